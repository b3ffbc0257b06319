// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of elements: each alone, with notes, behind losses, and damaged.

use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::Item;
use coretrace_compress::ElementBlockWriter;
use coretrace_replay::{Block, Blocks, Damaged};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::notes::any_note;

/// Bytes of a block.
const SIZE: usize = SIZES[0];

/// Elements and notes; an address in so many of them is any, the others are of few places.
fn items(rng: &mut StdRng, count: usize, any: f64) -> Vec<Item<Element>> {
    let mut item = || {
        if rng.random_bool(0.05) {
            return Item::Note {
                instructions: 0,
                note: any_note(rng),
            };
        }
        let taken = rng.random_bool(0.6);
        let address = (taken && rng.random_bool(0.3)).then(|| match rng.random_bool(any) {
            true => rng.random::<u64>() & !3,
            false => 0x40 * rng.random_range(0..20),
        });
        Item::Event(Element { taken, address })
    };
    (0..count).map(|_| item()).collect()
}

/// The blocks of items, and the items of each. Some elements are lost.
fn write(rng: &mut StdRng, items: &[Item<Element>]) -> (Vec<u8>, Vec<Vec<Item<Element>>>) {
    let mut writer = ElementBlockWriter::new(SIZE, 0x10);
    let mut memory = Vec::new();
    let mut blocks = vec![Vec::new()];
    for item in items {
        let before = memory.len();
        let mut sink = |block: &[u8]| memory.extend_from_slice(block);
        if rng.random_bool(0.0005) {
            writer.lose(1, &mut sink);
        }
        match item {
            Item::Event(element) => writer.element(element, sink),
            Item::Note { note, .. } => writer.note(*note, sink),
            Item::Rest { .. } => unreachable!("elements have none"),
        }
        if memory.len() > before {
            blocks.push(Vec::new());
        }
        blocks.last_mut().expect("a block").push(*item);
    }
    writer.finish(|block| memory.extend_from_slice(block));
    (memory, blocks)
}

fn read(block: &Block<'_>) -> Result<Vec<Item<Element>>, Damaged> {
    block.elements()?.collect()
}

#[test]
fn every_block_gives_its_elements_and_notes_alone() {
    for (seed, any) in [(1, 0.0), (2, 0.1), (3, 1.0)] {
        let mut rng = StdRng::seed_from_u64(seed);
        let items = items(&mut rng, 30_000, any);
        let (memory, want) = write(&mut rng, &items);
        let blocks: Vec<Block<'_>> = Blocks::new(&memory).collect();
        assert_eq!(blocks.len(), want.len());
        let after_losses = blocks.iter().filter(|block| block.header.lost_before);
        assert!(after_losses.count() > 1, "seed {seed}");
        for (block, want) in blocks.iter().zip(&want).rev() {
            assert_eq!(read(block).as_ref(), Ok(want), "seed {seed}");
        }
        let last = blocks[blocks.len() - 1];
        assert!(blocks[0].header.is_first && last.trailer.is_end && last.header.lost > 1);
    }
}

#[test]
fn a_damaged_block_of_elements_is_left_out_and_no_other() {
    let mut rng = StdRng::seed_from_u64(4);
    let items = items(&mut rng, 30_000, 0.2);
    let (memory, want) = write(&mut rng, &items);
    for _ in 0..200 {
        let mut memory = memory.clone();
        let place = rng.random_range(0..memory.len());
        memory[place] ^= 1 << rng.random_range(0..8);
        let mut seen = 0;
        for block in Blocks::new(&memory) {
            let number = usize::from(block.header.sequence);
            assert_eq!(read(&block).as_ref(), Ok(&want[number]));
            seen += 1;
        }
        assert_eq!(seen + 1, want.len());
    }
}
