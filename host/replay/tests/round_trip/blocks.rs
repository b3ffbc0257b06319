// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: each alone, from any place of a memory, damaged, and behind losses.

use std::collections::BTreeMap;

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{BlockSettings, BlockWriter};
use coretrace_replay::{Block, Blocks, Site, Sites};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::program::Program;

/// Bytes of a block.
const SIZE: usize = SIZES[0];

/// The blocks of a trace, and the events of each.
struct Trace {
    code: Sites,
    memory: Vec<u8>,
    events: Vec<Vec<Event>>,
}

impl Trace {
    /// Of a random program, with losses.
    fn random(seed: u64, encoder: Encoder) -> Trace {
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 200, 0x1_0000);
        let run = program.run(&mut rng, 20_000, 0.01);
        let mut settings = BlockSettings::new(encoder, 0x10, false);
        settings.size = SIZE;
        let mut writer = BlockWriter::new(settings, program.start());
        let mut memory = Vec::new();
        let mut events = vec![Vec::new()];
        let mut lost = 0;
        for event in &run {
            if lost > 0 {
                lost -= 1;
                let blocks = memory.len();
                writer.lose(1, event.next(), |block| memory.extend_from_slice(block));
                if memory.len() > blocks {
                    events.push(Vec::new());
                }
                continue;
            }
            if rng.random_bool(0.0005) {
                lost = rng.random_range(1..4);
            }
            let blocks = memory.len();
            writer.event(event, |block| memory.extend_from_slice(block));
            if memory.len() > blocks {
                events.push(Vec::new());
            }
            events.last_mut().expect("a block").push(*event);
        }
        writer.finish(0, |block| memory.extend_from_slice(block));
        Trace {
            code: program.code,
            memory,
            events,
        }
    }

    fn check(&self, block: &Block<'_>, name: &str) {
        let number = usize::from(block.header.sequence);
        let events = block.events(&self.code).expect("an encoder");
        let events: Result<Vec<Event>, _> = events.collect();
        assert_eq!(
            events.as_ref(),
            Ok(&self.events[number]),
            "{name}, block {number}"
        );
    }
}

fn traces(seed: u64) -> impl Iterator<Item = (&'static str, Trace)> {
    Encoder::all().map(move |(name, encoder)| (name, Trace::random(seed, encoder)))
}

#[test]
fn every_block_gives_its_events_alone() {
    for (name, trace) in traces(1) {
        let blocks: Vec<Block<'_>> = Blocks::new(&trace.memory).collect();
        assert_eq!(blocks.len(), trace.events.len(), "{name}");
        assert!(blocks.len() > 3, "{name}");
        let has_losses = blocks.iter().filter(|block| block.header.lost_before);
        assert!(has_losses.count() > 1, "{name}");
        for block in blocks.iter().rev() {
            assert_eq!(block.skipped, 0, "{name}");
            trace.check(block, name);
        }
        let last = blocks[blocks.len() - 1];
        assert!(blocks[0].header.is_first && last.trailer.is_end && last.header.lost > 0);
    }
}

#[test]
fn a_loop_of_many_instructions_ends_its_block() {
    let kind = BranchKind(0);
    let (start, address) = (0x1000, 0x1000 + (4 << 31) - 4);
    let code = Sites::new(vec![Site {
        address,
        kind,
        target: start,
    }]);
    let turn = Event::Branch(Branch {
        address,
        kind,
        taken: true,
        next: start,
        instructions: 1 << 31,
    });
    let leaves = Event::Discontinuity {
        instructions: 5,
        next: start,
    };
    let events = [turn, turn, turn, turn, leaves, turn, turn];
    // Streams have no record of so many instructions.
    let has_record = |encoder: &Encoder| {
        matches!(
            encoder,
            Encoder::Raptor(_) | Encoder::History(_) | Encoder::Votes
        )
    };
    for (name, encoder) in Encoder::all().filter(|(_, encoder)| has_record(encoder)) {
        let mut writer = BlockWriter::new(BlockSettings::new(encoder, 0x10, false), start);
        let mut memory = Vec::new();
        for event in &events {
            writer.event(event, |block| memory.extend_from_slice(block));
        }
        writer.finish(7, |block| memory.extend_from_slice(block));
        let mut back = Vec::new();
        for block in Blocks::new(&memory) {
            let events = block.events(&code).expect("an encoder");
            back.extend(events.map(|event| event.expect("an event")));
        }
        assert_eq!(back, events, "{name}");
    }
}

/// Branches of which nothing can be expected.
fn chaos(rng: &mut StdRng, count: usize) -> Vec<Branch> {
    let mut address = 0x1000;
    let kinds = [BranchKind::CONDITIONAL, BranchKind(0), BranchKind::RETURN];
    let mut branch = |_| {
        let kind = BranchKind::INDIRECT.and(kinds[rng.random_range(0..3)]);
        let taken = !kind.is(BranchKind::CONDITIONAL) || rng.random();
        let any = rng.random::<u64>() & 0x7FFF_FFFF_FFFC;
        let branch = Branch {
            address,
            kind,
            taken,
            next: if taken { any } else { address + 4 },
            instructions: 1,
        };
        address = branch.next;
        branch
    };
    (0..count).map(&mut branch).collect()
}

#[test]
fn events_of_which_nothing_is_expected_fit_into_their_blocks() {
    for (name, encoder) in Encoder::all() {
        let branches = chaos(&mut StdRng::seed_from_u64(4), 5000);
        let site = |branch: &Branch| Site {
            address: branch.address,
            kind: branch.kind,
            target: 0,
        };
        let code = Sites::new(branches.iter().map(site).collect());
        let mut settings = BlockSettings::new(encoder, 0x10, false);
        settings.size = SIZE;
        let mut writer = BlockWriter::new(settings, 0x1000);
        let mut memory = Vec::new();
        for branch in &branches {
            let event = Event::Branch(*branch);
            writer.event(&event, |block| memory.extend_from_slice(block));
        }
        writer.finish(0, |block| memory.extend_from_slice(block));
        let mut back = Vec::new();
        for block in Blocks::new(&memory) {
            let events = block.events(&code).expect("an encoder");
            back.extend(events.map(|event| event.expect("an event")));
        }
        let want: Vec<Event> = branches
            .iter()
            .map(|branch| Event::Branch(*branch))
            .collect();
        assert!(back == want, "{name}");
    }
}

#[test]
fn a_reader_that_starts_anywhere_finds_the_next_block() {
    for (name, trace) in traces(2) {
        let mut rng = StdRng::seed_from_u64(2);
        for _ in 0..20 {
            let start = 4 * rng.random_range(0..trace.memory.len() / 4);
            let mut ring = trace.memory[start..].to_vec();
            ring.extend_from_slice(&trace.memory[..start]);
            let blocks: Vec<Block<'_>> = Blocks::new(&ring).collect();
            // The block that the ring cuts is lost.
            assert!(blocks.len() + 1 >= trace.events.len(), "{name}");
            blocks.iter().for_each(|block| trace.check(block, name));
        }
    }
}

/// Damages some words: bits, words lost, doubled and swapped.
fn damage(rng: &mut StdRng, memory: &mut Vec<u8>) {
    let word = 4 * rng.random_range(0..memory.len() / 4 - 2);
    match rng.random_range(0..4) {
        0 => memory[word] ^= 1 << rng.random_range(0..8),
        1 => drop(memory.drain(word..word + 4)),
        2 => {
            let doubled = memory[word..word + 4].to_vec();
            memory.splice(word..word, doubled);
        }
        _ => (0..4).for_each(|byte| memory.swap(word + byte, word + 4 + byte)),
    }
}

fn check_damages(damages: u64) {
    for (number, (name, trace)) in traces(3).enumerate() {
        let mut rng = StdRng::seed_from_u64(number as u64);
        for _ in 0..damages {
            let mut memory = trace.memory.clone();
            let count = rng.random_range(1..4);
            (0..count).for_each(|_| damage(&mut rng, &mut memory));
            let mut seen = BTreeMap::new();
            for block in Blocks::new(&memory) {
                trace.check(&block, name);
                seen.insert(block.header.sequence, block.offset);
            }
            // A damage costs the block that it is in; words may be swapped across two.
            assert!(seen.len() + 2 * count >= trace.events.len(), "{name}");
        }
    }
}

#[test]
fn a_reader_learns_how_many_blocks_are_missing() {
    let (_, trace) = traces(5).next().expect("an encoder");
    let mut rng = StdRng::seed_from_u64(5);
    for _ in 0..100 {
        let mut memory = Vec::new();
        let mut want = Vec::new();
        let mut missing = 0;
        for block in trace.memory.chunks(SIZE) {
            if rng.random_bool(0.4) {
                missing += 1;
                continue;
            }
            memory.extend_from_slice(block);
            want.push(if want.is_empty() { 0 } else { missing });
            missing = 0;
        }
        let got: Vec<u16> = Blocks::new(&memory).map(|block| block.missing).collect();
        assert_eq!(got, want);
    }
    // The encoder was enabled again.
    let twice = trace.memory.repeat(2);
    assert!(Blocks::new(&twice).all(|block| block.missing == 0));
}

#[test]
fn a_damaged_block_is_left_out_and_no_other() {
    check_damages(10);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn ten_thousand_damaged_memories_lose_the_damaged_blocks_alone() {
    check_damages(500);
}
