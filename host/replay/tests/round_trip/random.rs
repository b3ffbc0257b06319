// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs with interruptions, and bits that no encoder wrote.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::encoder::Encoder;
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
            let encoded = encoder.encode(begin, &mut run.iter().copied(), 0);
            encoder.replay(begin, &program.code, &encoded, |events| {
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

#[test]
fn damaged_bits_never_make_a_replayer_panic() {
    for seed in 0..200 {
        let mut rng = StdRng::seed_from_u64(seed);
        let program = Program::random(&mut rng, 50, 0x1000);
        let run = program.run(&mut rng, 200, 0.02);
        for (_, encoder) in Encoder::all() {
            let begin = (program.start(), seed % 2 == 0);
            let mut encoded = encoder.encode(begin, &mut run.iter().copied(), 0);
            for _ in 0..rng.random_range(1..20) {
                let place = rng.random_range(0..encoded.bytes.len());
                encoded.bytes[place] ^= rng.random::<u8>();
            }
            encoder.replay(begin, &program.code, &encoded, |events| {
                events.take(5000).for_each(drop);
            });
        }
    }
}
