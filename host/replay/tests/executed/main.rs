// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of programs, followed, compressed and replayed: what was executed is what they walked.

mod captures;
mod golden;
mod random;

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{BlockSettings, BlockWriter, Followed, Step};
use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Element, ElementSink, Images, StreamFlow};
use coretrace_isa::Isa;
use coretrace_replay::{Blocks, ImageCode};

/// Stretches of instructions that follow each other: addresses of the first one and behind the last.
#[derive(Default)]
struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    fn add(&mut self, start: u64, end: u64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ if start == end => {}
            _ => self.0.push((start, end)),
        }
    }

    /// Compares what was executed with what is wanted. Where an indirect branch at the end led is not known.
    fn check(&self, want: &Stretches, name: &str) {
        let (Stretches(got), Stretches(want)) = (self, want);
        let mut want = want.clone();
        if (got.len(), got.last()) != (want.len(), want.last())
            && let Some((start, end)) = want.pop()
            && end - start > 4
        {
            want.push((start, end - 4));
        }
        for (number, (got, want)) in got.iter().zip(&want).enumerate() {
            assert_eq!(got, want, "{name}, stretch {number}");
        }
        assert_eq!(got.len(), want.len(), "{name}");
    }
}

/// A stream of a program.
struct Traced {
    source: SourceConfig,
    bytes: Vec<u8>,
    images: Images,
    isa: Isa,
}

/// A stream in blocks.
struct Compressed {
    memory: Vec<u8>,
    /// Instructions behind the last event of the trace.
    rest: u64,
    /// Exception calls among its events.
    calls: usize,
}

fn compress(traced: &Traced, encoder: Encoder) -> Compressed {
    let mut memory = Vec::new();
    let mut calls = 0;
    let settings = BlockSettings::new(encoder, 0x10, traced.isa == Isa::A32);
    let mut writer: Option<BlockWriter> = None;
    let mut put = |block: &[u8]| memory.extend_from_slice(block);
    let mut followed = Followed::new(traced.images.clone());
    let mut sink = |offset: u64, element: &Element| {
        followed.element(offset, element);
        for step in followed.steps() {
            match (step, &mut writer) {
                (Step::Start(address), None) => writer = Some(BlockWriter::new(settings, address)),
                (Step::Event(event), Some(writer)) => {
                    let is_call = |branch: &Branch| branch.kind.is(BranchKind::EXCEPTION);
                    calls +=
                        usize::from(matches!(&event, Event::Branch(branch) if is_call(branch)));
                    writer.event(&event, &mut put);
                }
                (Step::Note { instructions, note }, Some(writer)) => {
                    writer.note(note, instructions, &mut put);
                }
                _ => panic!("one start, and all else behind it"),
            }
        }
    };
    let mut flow = StreamFlow::new(&traced.source, traced.images.clone(), Policy::Resync);
    flow.feed(&traced.bytes, &mut sink);
    flow.finish(&mut sink);
    let rest = followed.rest();
    writer.expect("a program").finish(rest, &mut put);
    Compressed {
        memory,
        rest,
        calls,
    }
}

/// What a reader of the blocks with the images finds.
fn replay(compressed: &Compressed, traced: &Traced) -> Stretches {
    let code = ImageCode::new(traced.images.clone(), traced.isa);
    let mut stretches = Stretches::default();
    for block in Blocks::new(&compressed.memory) {
        let mut start = block.header.address;
        for event in block.events(&code).expect("an encoder") {
            let (end, next) = match event.expect("an event") {
                Event::Branch(Branch { address, next, .. }) => (address + 4, next),
                Event::Discontinuity { instructions, next } => {
                    (start + 4 * u64::from(instructions), next)
                }
            };
            stretches.add(start, end);
            start = next;
        }
        if block.trailer.is_end {
            stretches.add(start, start + 4 * compressed.rest);
        }
    }
    stretches
}
