// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs with interruptions, and bits that no encoder wrote.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Item;
use coretrace_compress::Elements;
use coretrace_replay::{Damaged, ElementsReplay, Reader};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::encoder::{encode, replay};
use crate::program::Program;

/// Where programs begin: A32 and A64.
const PLACES: [(u64, bool); 2] = [(0xFFF0_0000, false), (0xFFFF_FFF0_0000, true)];

#[test]
fn every_event_of_a_random_program_comes_back() {
    for seed in 0..40 {
        let mut rng = StdRng::seed_from_u64(seed);
        let (first, is_wide) = PLACES[seed as usize % 2];
        let branches = rng.random_range(2..200);
        let program = Program::random(&mut rng, branches, first);
        let interruptions = [0.0, 0.02, 0.3][seed as usize % 3];
        let run = program.run(&mut rng, 2000, interruptions);
        for (name, encoder) in Encoder::all() {
            let begin = (program.start(), is_wide);
            let encoded = encode(encoder, begin, &mut run.iter().copied(), 0);
            replay(encoder, begin, &program.code, &encoded, |events| {
                for (number, event) in run.iter().enumerate() {
                    let back = events.next();
                    assert_eq!(
                        back,
                        Some(Ok(*event)),
                        "seed {seed}, {name}, event {number}"
                    );
                }
                assert_eq!(events.next(), None, "seed {seed}, {name}");
            });
        }
    }
}

/// Elements of a trace with few addresses.
fn elements(rng: &mut StdRng, count: usize) -> Vec<Element> {
    let mut element = || {
        let taken = rng.random_bool(0.6);
        let address = (taken && rng.random_bool(0.2)).then(|| {
            let place = rng.random_range(0..20_u64);
            0xFFFF_0000_0000 * (place % 2) + 0x40 * place
        });
        Element { taken, address }
    };
    (0..count).map(|_| element()).collect()
}

/// The element of a trace without notes.
pub fn only_element(item: Item<Element>) -> Element {
    item.event().expect("no note")
}

#[test]
fn elements_come_back_and_damaged_bits_give_some_or_an_error() {
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let elements = elements(&mut rng, 500);
        let mut encoder = Elements::new();
        elements.iter().for_each(|element| encoder.element(element));
        let bits = encoder.finish();
        let len = bits.len();
        let mut bytes = bits.into_bytes();
        let back = ElementsReplay::new(Reader::new(&bytes, len).expect("bits"));
        let back: Result<Vec<Element>, Damaged> = back.map(|item| item.map(only_element)).collect();
        assert_eq!(back.as_ref(), Ok(&elements), "seed {seed}");
        for _ in 0..rng.random_range(1..20) {
            let place = rng.random_range(0..bytes.len());
            bytes[place] ^= rng.random::<u8>();
        }
        let damaged = ElementsReplay::new(Reader::new(&bytes, len).expect("bits"));
        damaged.take(5000).for_each(drop);
    }
}

#[test]
fn damaged_bits_never_make_a_replayer_panic() {
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 50, 0x1000);
        let run = program.run(&mut rng, 200, 0.02);
        for (_, encoder) in Encoder::all() {
            let begin = (program.start(), seed % 2 == 0);
            let mut encoded = encode(encoder, begin, &mut run.iter().copied(), 0);
            for _ in 0..rng.random_range(1..20) {
                let place = rng.random_range(0..encoded.bytes.len());
                encoded.bytes[place] ^= rng.random::<u8>();
            }
            replay(encoder, begin, &program.code, &encoded, |events| {
                events.take(5000).for_each(drop);
            });
        }
    }
}
