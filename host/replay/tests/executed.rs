// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of real programs, followed, compressed and replayed: what was executed is what they walked.

use coretrace_abi::compressed::branch::{Branch, Event};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{BlockSettings, BlockWriter, Followed, Step};
use coretrace_decode::Policy;
use coretrace_etm::Context;
use coretrace_flow::{Element, ElementSink, Image, Images, StreamFlow};
use coretrace_isa::Isa;
use coretrace_replay::{Blocks, ImageCode};
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::shared_dir;

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

    /// Of the lines of a walk.
    fn of_walk(walk: &str) -> Stretches {
        let mut stretches = Stretches::default();
        for line in walk.lines() {
            let mut fields = line.split(' ');
            let mut field = || u64::from_str_radix(fields.next().expect("a field"), 16);
            stretches.add(field().expect("an address"), field().expect("an address"));
        }
        stretches
    }
}

/// A stream in blocks.
struct Compressed {
    memory: Vec<u8>,
    context: Context,
    /// Instructions behind the last event of the trace.
    rest: u64,
}

fn compress(stream: &GoldenStream, images: &Images, encoder: Encoder) -> Compressed {
    let mut memory = Vec::new();
    let mut context = Context::default();
    let settings = BlockSettings::new(encoder, 0x10, stream.name.contains("a32"));
    let mut writer: Option<BlockWriter> = None;
    let mut put = |block: &[u8]| memory.extend_from_slice(block);
    let mut followed = Followed::new(images.clone(), |step| match (step, &mut writer) {
        (Step::Start(address), None) => writer = Some(BlockWriter::new(settings, address)),
        (Step::Start(address), Some(writer)) => writer.lose(0, address, &mut put),
        (Step::Event(event), Some(writer)) => writer.event(&event, &mut put),
        (Step::Event(_), None) => panic!("an event before the start"),
    });
    let mut sink = |offset: u64, element: &Element| {
        if let Element::Context { context: of, .. } = element {
            context = *of;
        }
        followed.element(offset, element);
    };
    let mut flow = StreamFlow::new(&stream.source, images.clone(), Policy::Resync);
    flow.feed(&stream.bytes, &mut sink);
    flow.finish(&mut sink);
    let rest = followed.rest();
    writer.expect("a program").finish(rest, &mut put);
    Compressed {
        memory,
        context,
        rest,
    }
}

/// What a reader of the blocks with the images finds.
fn replay(compressed: &Compressed, images: &Images, isa: Isa) -> Stretches {
    let mut images = images.clone();
    let set = images.set(&compressed.context);
    let code = ImageCode::new(images, set, isa);
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
        if block.header.is_end {
            stretches.add(start, start + 4 * compressed.rest);
        }
    }
    stretches
}

fn compare(is_chosen: impl Fn(&str) -> bool, encoders: &[&str]) {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let mut compared = 0;
    for stream in streams {
        if !is_chosen(&stream.name) {
            continue;
        }
        let memory = stream.memory().expect("an image").into_iter();
        let images = memory.map(|(address, bytes)| Image::new(address, bytes));
        let images = Images::new(images.collect());
        let isa = match stream.name.contains("a32") {
            true => Isa::A32,
            false => Isa::A64,
        };
        let want = stream.ranges().expect("ranges");
        let Stretches(mut want) = Stretches::of_walk(&want);
        for name in encoders {
            let encoder = Encoder::named(name).expect("an encoder");
            let compressed = compress(&stream, &images, encoder);
            let Stretches(got) = replay(&compressed, &images, isa);
            // Where an indirect branch at the end led is not known.
            let (last, of_got) = (want.last_mut().expect("a stretch"), got.last());
            if of_got == Some(&(last.0, last.1 - 4)) {
                last.1 -= 4;
            }
            let pairs = got.iter().zip(&want).enumerate();
            for (number, (got, want)) in pairs {
                assert_eq!(got, want, "{}, {name}, stretch {number}", stream.name);
            }
            assert_eq!(got.len(), want.len(), "{}, {name}", stream.name);
        }
        compared += 1;
    }
    assert!(compared > 5, "only {compared} streams");
}

#[test]
fn small_programs_are_executed_again_from_their_blocks() {
    let is_chosen = |name: &str| name.starts_with("sha1") || name.starts_with("sort.a64");
    compare(is_chosen, &["X2"]);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn every_stream_of_a_program_is_executed_again_from_its_blocks() {
    compare(|_| true, &["M4", "X0", "X2"]);
    // A stream cache has no addresses of a kernel beside those of a program.
    compare(|name| !name.contains("kernel"), &["BASE", "eBASE", "rBASE"]);
}
