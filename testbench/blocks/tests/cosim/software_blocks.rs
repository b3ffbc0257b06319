// SPDX-License-Identifier: MIT OR Apache-2.0
//! The decoders of software trace, with streams of the generator: whole, broken and lost, with pauses and resets.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use coretrace_hdl_software::itm::ItmDecoder;
use coretrace_hdl_software::itm::x4::ItmX4;
use coretrace_hdl_software::stp::x4::{BYTES, StpX4};
use coretrace_hdl_software::stp::{NIBBLES, StpDecoder};
use coretrace_test_gen::{Damage, Rng, itm_stream, rng, stm_stream};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Streams of a run.
const STREAMS: usize = 30;
/// Packets of each.
const PACKETS: usize = 60;

/// The inputs of a cycle, in each lane an octet and whether it counts.
#[derive(Clone, Copy)]
pub struct WordCycle<const LANES: usize> {
    lenient: bool,
    itm_tcr: u32,
    reset: bool,
    valid: bool,
    discontinuity: bool,
    lanes: [(u8, bool); LANES],
}

/// The cycles of streams of one protocol.
fn cycles<const LANES: usize>(
    stream: fn(&mut Rng, usize, Option<Damage>) -> Vec<u8>,
) -> Vec<WordCycle<LANES>> {
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
            let lanes = [(); LANES].map(|()| {
                let keep = LANES == 1 || rng.random_bool(0.5 + rate / 2.0);
                let octet = if valid && keep { bytes.next() } else { None };
                (octet.unwrap_or_else(|| rng.random()), keep)
            });
            cycles.push(WordCycle {
                lenient,
                itm_tcr,
                reset: rng.random_bool(0.005),
                valid,
                discontinuity: rng.random_bool(0.02),
                lanes,
            });
        }
    }
    cycles
}

macro_rules! drive_flags {
    ($uut:ident, $cycle:ident) => {
        $uut.lenient.next = $cycle.lenient;
        $uut.reset.next = $cycle.reset;
        $uut.s_valid.next = $cycle.valid;
        $uut.s_discontinuity.next = $cycle.discontinuity;
    };
}

macro_rules! drive_byte {
    ($uut:ident, $cycle:ident) => {
        drive_flags!($uut, $cycle);
        $uut.s_octet.next = $cycle.lanes[0].0.to_bits();
    };
}

macro_rules! drive_word {
    ($uut:ident, $cycle:ident) => {
        drive_flags!($uut, $cycle);
        for (lane, (octet, keep)) in $cycle.lanes.iter().enumerate() {
            $uut.s_octet[lane].next = octet.to_bits();
            $uut.s_keep[lane].next = *keep;
        }
    };
}

impl Bench for StpDecoder<NIBBLES, 1> {
    type Cycle = WordCycle<1>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[WordCycle<1>]> {
        cycles(stm_stream)
    }

    fn drive(&mut self, cycle: &WordCycle<1>, _: &mut Mixer) {
        drive_byte!(self, cycle);
    }
}

impl Bench for ItmDecoder<1, 1> {
    type Cycle = WordCycle<1>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[WordCycle<1>]> {
        cycles(itm_stream)
    }

    fn drive(&mut self, cycle: &WordCycle<1>, _: &mut Mixer) {
        drive_byte!(self, cycle);
        self.itm_tcr.next = cycle.itm_tcr.to_bits();
    }
}

impl Bench for StpX4<BYTES, 1> {
    type Cycle = WordCycle<BYTES>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[WordCycle<BYTES>]> {
        cycles(stm_stream)
    }

    fn drive(&mut self, cycle: &WordCycle<BYTES>, _: &mut Mixer) {
        drive_word!(self, cycle);
    }
}

impl Bench for ItmX4<BYTES, 1> {
    type Cycle = WordCycle<BYTES>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[WordCycle<BYTES>]> {
        cycles(itm_stream)
    }

    fn drive(&mut self, cycle: &WordCycle<BYTES>, _: &mut Mixer) {
        drive_word!(self, cycle);
        self.itm_tcr.next = cycle.itm_tcr.to_bits();
    }
}
