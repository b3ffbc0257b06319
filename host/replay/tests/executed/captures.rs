// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures with what was in memory: every branch comes back, and every context.

use std::fs;
use std::path::Path;

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::{Item, Note};
use coretrace_compress::{BlockSettings, BlockWriter, Followed, Step};
use coretrace_decode::Policy;
use coretrace_flow::StreamFlow;
use coretrace_isa::Isa;
use coretrace_replay::{Blocks, ImageCode};
use coretrace_test_support::{FollowedCapture, shared_dir};

/// What a program did, as an encoder takes it.
struct Steps {
    isa: Isa,
    start: u64,
    items: Vec<Item<Event>>,
}

impl Steps {
    /// Of a capture; none of a source without A64 and A32 code.
    fn of(capture: &FollowedCapture) -> impl Iterator<Item = Steps> {
        capture.streams.iter().filter_map(|(source, stream)| {
            let mut followed = Followed::new(capture.images.clone());
            let mut flow = StreamFlow::new(source, capture.images.clone(), Policy::Resync);
            flow.feed(&stream.bytes, &mut followed);
            flow.finish(&mut followed);
            let mut start = None;
            let mut items = Vec::new();
            for step in followed.steps() {
                match step {
                    Step::Start(address) => start = Some(address),
                    Step::Event(event) => items.push(Item::Event(event)),
                    Step::Note { instructions, note } => {
                        items.push(Item::Note { instructions, note });
                    }
                }
            }
            let rest = followed.rest();
            items.extend((rest > 0).then_some(Item::Rest { instructions: rest }));
            Some(Steps {
                isa: followed.isa()?,
                start: start?,
                items,
            })
        })
    }

    fn compress(&self, encoder: Encoder) -> Vec<u8> {
        let mut memory = Vec::new();
        let mut put = |block: &[u8]| memory.extend_from_slice(block);
        let settings = BlockSettings::new(encoder, 0x10, self.isa == Isa::A32);
        let mut writer = BlockWriter::new(settings, self.start);
        let mut rest = 0;
        for item in &self.items {
            match item {
                Item::Event(event) => writer.event(event, &mut put),
                Item::Note { instructions, note } => writer.note(*note, *instructions, &mut put),
                Item::Rest { instructions } => rest = *instructions,
            }
        }
        writer.finish(rest, &mut put);
        memory
    }

    /// Whether the code depends on the context, so far as notes are kept by some encoders only.
    fn has_contexts(&self) -> bool {
        let is_context = |item: &&Item<Event>| {
            let Item::Note { note, .. } = item else {
                return false;
            };
            matches!(note, Note::Context(_))
        };
        self.items.iter().filter(is_context).count() > 1
    }

    /// Every item comes back from blocks; without notes where `is_noted` is false.
    fn check(&self, memory: &[u8], capture: &FollowedCapture, is_noted: bool, name: &str) {
        let code = ImageCode::new(capture.images.clone(), self.isa);
        let is_note = |item: &Item<Event>| matches!(item, Item::Note { .. });
        let mut want = self.items.iter().filter(|item| is_noted || !is_note(item));
        let mut number = 0;
        for block in Blocks::new(memory) {
            for item in block.items(&code).expect("an encoder") {
                assert_eq!(item.as_ref().ok(), want.next(), "{name}, item {number}");
                number += 1;
            }
        }
        assert_eq!(want.next(), None, "{name}");
    }
}

fn check(folder: &Path) -> usize {
    let Some(capture) = FollowedCapture::open(folder) else {
        return 0;
    };
    let mut sources = 0;
    for steps in Steps::of(&capture) {
        sources += 1;
        for (name, is_noted) in [("X2", true), ("X0", true), ("M4", false), ("S1", false)] {
            if !is_noted && steps.has_contexts() {
                continue;
            }
            let encoder = Encoder::named(name).expect("an encoder");
            let memory = steps.compress(encoder);
            let name = format!("{}, {name}", folder.display());
            steps.check(&memory, &capture, is_noted, &name);
        }
    }
    sources
}

#[test]
fn every_branch_and_context_of_captures_comes_back() {
    let Some(shared) = shared_dir() else { return };
    let mut sources = 0;
    for folder in ["corpus", "corpus-flow"] {
        let entries = fs::read_dir(shared.join(folder)).expect("captures");
        for entry in entries {
            sources += check(&entry.expect("an entry").path());
        }
    }
    assert!(sources > 30, "only {sources} sources");
}
