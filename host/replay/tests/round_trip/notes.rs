// SPDX-License-Identifier: MIT OR Apache-2.0
//! Contexts and times between events, in blocks.

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::{Item, Note};
use coretrace_compress::{BlockSettings, BlockWriter};
use coretrace_replay::{Block, Blocks};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::program::Program;

/// A context or a time.
pub fn any_note(rng: &mut StdRng) -> Note {
    match rng.random() {
        true => Note::Context(rng.random()),
        false => Note::Timestamp(rng.random::<u64>() >> rng.random_range(0..64)),
    }
}

/// Events with notes between them, before the branch that each of them is about.
fn with_notes(rng: &mut StdRng, events: &[Event]) -> Vec<Item<Event>> {
    let mut items = Vec::new();
    for event in events {
        let mut instructions = 0;
        while rng.random_bool(0.1) {
            instructions = rng.random_range(instructions..=event.instructions());
            let is_branch = matches!(event, Event::Branch(_));
            instructions -= u32::from(is_branch && instructions == event.instructions());
            let note = any_note(rng);
            items.push(Item::Note { instructions, note });
        }
        items.push(Item::Event(*event));
    }
    items
}

/// The blocks of a random program, and what each of them was given: its first context, and its items.
struct Noted {
    program: Program,
    memory: Vec<u8>,
    blocks: Vec<(u32, Vec<Item<Event>>)>,
}

impl Noted {
    fn random(seed: u64, encoder: Encoder) -> Noted {
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 100, 0x1_0000);
        let run = program.run(&mut rng, 15_000, 0.01);
        let items = with_notes(&mut rng, &run);
        let mut settings = BlockSettings::new(encoder, 0x10, false);
        [settings.size, ..] = SIZES;
        let mut writer = BlockWriter::new(settings, program.start());
        let mut memory = Vec::new();
        let mut blocks: Vec<(u32, Vec<Item<Event>>)> = vec![(0, Vec::new())];
        let mut context = 0;
        for item in items {
            let before = memory.len();
            let sink = |block: &[u8]| memory.extend_from_slice(block);
            match item {
                Item::Event(event) => writer.event(&event, sink),
                Item::Note { instructions, note } => writer.note(note, instructions, sink),
                Item::Rest { .. } => unreachable!("the events end with one"),
            }
            if memory.len() > before {
                blocks.push((context, Vec::new()));
            }
            let (first, block) = blocks.last_mut().expect("a block");
            if let Item::Note {
                instructions,
                note: Note::Context(new),
            } = item
            {
                context = new;
                if instructions == 0 && block.iter().all(|item| item.event().is_none()) {
                    *first = new;
                }
            }
            block.push(item);
        }
        writer.finish(0, |block| memory.extend_from_slice(block));
        Noted {
            program,
            memory,
            blocks,
        }
    }

    /// Every block with what it was given.
    fn blocks(&self) -> impl Iterator<Item = (Block<'_>, &(u32, Vec<Item<Event>>))> {
        assert!(self.blocks.len() > 2, "only {} blocks", self.blocks.len());
        assert_eq!(Blocks::new(&self.memory).count(), self.blocks.len());
        Blocks::new(&self.memory).zip(&self.blocks)
    }
}

#[test]
fn notes_of_the_x_encoders_come_back_where_they_were() {
    for (name, encoder) in Encoder::all() {
        if !matches!(encoder, Encoder::History(_) | Encoder::Votes) {
            continue;
        }
        for seed in 0..3 {
            let noted = Noted::random(seed, encoder);
            for (block, (_, want)) in noted.blocks() {
                let items = block.items(&noted.program.code).expect("an encoder");
                let items: Result<Vec<_>, _> = items.collect();
                assert_eq!(items.as_ref(), Ok(want), "{name}, seed {seed}");
            }
        }
    }
}

#[test]
fn other_encoders_leave_notes_out_and_no_event() {
    for (name, encoder) in Encoder::all() {
        if matches!(encoder, Encoder::History(_) | Encoder::Votes) {
            continue;
        }
        let noted = Noted::random(7, encoder);
        for (block, (_, want)) in noted.blocks() {
            let items = block.items(&noted.program.code).expect("an encoder");
            let items: Result<Vec<_>, _> = items.collect();
            let want = want.iter().filter(|item| item.event().is_some());
            let want: Vec<Item<Event>> = want.copied().collect();
            assert_eq!(items, Ok(want), "{name}");
        }
    }
}

#[test]
fn a_block_begins_with_the_context_of_its_first_instruction() {
    for name in ["X2", "M4", "eBASE", "NEXS"] {
        let encoder = Encoder::named(name).expect("an encoder");
        for (number, (block, (context, _))) in Noted::random(9, encoder).blocks().enumerate() {
            assert_eq!(block.header.context, *context, "{name}, block {number}");
        }
    }
}

#[test]
fn every_block_begins_with_identifiers_that_its_context_lacks() {
    let mut rng = StdRng::seed_from_u64(11);
    let program = Program::random(&mut rng, 100, 0x1_0000);
    let run = program.run(&mut rng, 15_000, 0.01);
    let settings = BlockSettings {
        size: SIZES[0],
        ..BlockSettings::new(Encoder::named("X2").expect("an encoder"), 0x10, false)
    };
    let identifiers = Note::Identifiers {
        vmid: 0x1234,
        cid: 0x9876_5432,
    };
    let mut memory = Vec::new();
    let mut put = |block: &[u8]| memory.extend_from_slice(block);
    let mut writer = BlockWriter::new(settings, program.start());
    writer.note(Note::Context(0x5432_3415), 0, &mut put);
    writer.note(identifiers, 0, &mut put);
    let (first, second) = run.split_at(run.len() / 2);
    first.iter().for_each(|event| writer.event(event, &mut put));
    writer.note(Note::Context(0x0001_0215), 0, &mut put);
    writer.flush(&mut put);
    second
        .iter()
        .for_each(|event| writer.event(event, &mut put));
    writer.finish(0, &mut put);
    let mut blocks = [0, 0];
    for block in Blocks::new(&memory) {
        let items = block.items(&program.code).expect("an encoder");
        let items: Result<Vec<_>, _> = items.collect();
        let has = items.expect("items").contains(&Item::Note {
            instructions: 0,
            note: identifiers,
        });
        let needs = block.header.context == 0x5432_3415 || block.header.is_first;
        assert_eq!(has, needs, "{:?}", block.header);
        blocks[usize::from(needs)] += 1;
    }
    assert!(blocks.iter().all(|&count| count > 1), "{blocks:?}");
}
