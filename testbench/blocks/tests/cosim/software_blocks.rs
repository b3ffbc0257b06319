// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of software trace, with streams of the generator: whole, broken and lost, with pauses and resets.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::stp::{NIBBLES, StpDecoder};
use coretrace_test_gen::{Damage, Rng, itm_stream, rng, stm_stream};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Streams of a run.
const STREAMS: usize = 30;
/// Packets of each.
const PACKETS: usize = 60;

/// The inputs of a cycle.
#[derive(Clone, Copy)]
pub struct ByteCycle {
    lenient: bool,
    itm_tcr: u32,
    reset: bool,
    valid: bool,
    discontinuity: bool,
    octet: u8,
}

/// The cycles of streams of one protocol.
fn cycles(stream: fn(&mut Rng, usize, Option<Damage>) -> Vec<u8>) -> Vec<ByteCycle> {
    let mut rng = rng(SEED);
    let mut cycles = Vec::new();
    for number in 0..STREAMS {
        let damage = (number % 2 == 1).then(|| Damage::ALL[number / 2 % Damage::ALL.len()]);
        let bytes = stream(&mut rng, PACKETS, damage);
        let (lenient, itm_tcr) = (number % 3 == 0, rng.random_range(0..64) << 4);
        let rate = [1.0, 0.6][number % 2];
        let mut bytes = bytes.into_iter();
        while bytes.len() > 0 {
            let valid = rng.random_bool(rate);
            cycles.push(ByteCycle {
                lenient,
                itm_tcr,
                reset: rng.random_bool(0.005),
                valid,
                discontinuity: rng.random_bool(0.02),
                octet: if valid { bytes.next() } else { None }.unwrap_or_else(|| rng.random()),
            });
        }
    }
    cycles
}

macro_rules! drive_bytes {
    ($uut:ident, $cycle:ident) => {
        $uut.lenient.next = $cycle.lenient;
        $uut.reset.next = $cycle.reset;
        $uut.s_valid.next = $cycle.valid;
        $uut.s_discontinuity.next = $cycle.discontinuity;
        $uut.s_octet.next = $cycle.octet.to_bits();
    };
}

impl Bench for StpDecoder<NIBBLES, 1> {
    type Cycle = ByteCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[ByteCycle]> {
        cycles(stm_stream)
    }

    fn drive(&mut self, cycle: &ByteCycle, _: &mut Mixer) {
        drive_bytes!(self, cycle);
    }
}

impl Bench for ItmDecoder<1, 1> {
    type Cycle = ByteCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[ByteCycle]> {
        cycles(itm_stream)
    }

    fn drive(&mut self, cycle: &ByteCycle, _: &mut Mixer) {
        drive_bytes!(self, cycle);
        self.itm_tcr.next = cycle.itm_tcr.to_bits();
    }
}
