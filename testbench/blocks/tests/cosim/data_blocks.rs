// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header classifier of data trace, with every header, A-Syncs, zeros, losses, masks and resets.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use coretrace_hdl_software::data::DataHeaders;
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Words of a run.
const WORDS: usize = 4000;

/// The inputs of a cycle.
pub struct DataCycle<const N: usize> {
    reset: bool,
    valid: bool,
    discontinuity: bool,
    bytes: [(u8, bool); N],
}

/// Bytes that leave no state alone for long.
fn piece(rng: &mut Rng) -> Vec<u8> {
    match rng.random_range(0..5) {
        0 => [vec![0; rng.random_range(9..14)], vec![0x80]].concat(),
        1 => vec![0, rng.random()],
        2 => vec![rng.random()],
        _ => vec![rng.random_range(1..5)],
    }
}

impl<const N: usize> Bench for DataHeaders<N, 1> {
    type Cycle = DataCycle<N>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[DataCycle<N>]> {
        let mut rng = rng(SEED);
        let mut bytes = Vec::new();
        let mut cycles = Vec::new();
        for _ in 0..WORDS {
            while bytes.len() < N {
                bytes.extend(piece(&mut rng));
            }
            let valid = rng.random_bool(0.9);
            let mut word = [(rng.random(), false); N];
            for lane in word.iter_mut().filter(|_| valid) {
                if rng.random_bool(0.8) {
                    *lane = (bytes.remove(0), true);
                }
            }
            cycles.push(DataCycle {
                reset: rng.random_bool(0.005),
                valid,
                discontinuity: rng.random_bool(0.02),
                bytes: word,
            });
        }
        cycles
    }

    fn drive(&mut self, cycle: &DataCycle<N>, _: &mut Mixer) {
        self.reset.next = cycle.reset;
        self.s_valid.next = cycle.valid;
        self.s_discontinuity.next = cycle.discontinuity;
        for (lane, &(octet, keep)) in cycle.bytes.iter().enumerate() {
            self.s_octet[lane].next = octet.to_bits();
            self.s_keep[lane].next = keep;
        }
    }
}
