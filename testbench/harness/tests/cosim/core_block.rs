// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core from its pins: a source is enabled over the bus, traced, cleared, flushed, disabled and
//! enabled anew with other registers, a filter and the other policy, while consumers rest now and
//! then and all registers are read.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use etm4_gen::{Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream, rng};
use etm4_harness::words_of;
use etm4_hdl::axi::master::{AxiSlave, MasterPins};
use etm4_pipelines::Etm4Core;
use etm4_pipelines::registers::placed;
use etm4_protocol::Protocol;
use etm4_protocol::tpiu::TraceId;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles that a write stands on the bus: it is taken within.
const WRITE: usize = 6;
/// Cycles after which a disabled source may be enabled.
const QUIET: usize = 70;
/// `SOURCE_CONTROL.ENABLE`; `CONTROL` with both streams, and with each of its pulses.
const ENABLE: u32 = 1;
const STREAMS: u32 = 6;
const PULSES: [u32; 3] = [1 << 8, 1 << 9, 1 << 10];

/// What stands at the pins in a cycle.
#[derive(Clone, Default)]
pub struct CoreCycle {
    resets: bool,
    word: Option<u32>,
    pins: MasterPins,
    ready: [bool; 2],
}

/// A run under construction.
struct Run {
    rng: Rng,
    cycles: Vec<CoreCycle>,
}

impl Run {
    fn push(&mut self, word: Option<u32>, write: Option<(u32, u32)>) {
        // Each register is read in its turn, and now and then one that does not exist.
        let read = self.cycles.len() as u32 % 0x80 * 4;
        let rests = self.cycles.len() % 700 < 250;
        self.cycles.push(CoreCycle {
            resets: false,
            word,
            pins: MasterPins {
                aw: write.map(|(offset, _)| offset),
                w: write.map(|(_, value)| (value, 0xF)),
                b_ready: true,
                ar: Some(read),
                r_ready: self.rng.random_bool(0.8),
            },
            ready: [!rests, self.rng.random_bool(0.7)],
        });
    }

    fn rest(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.push(None, None));
    }

    fn write(&mut self, register: &str, value: u32) {
        let mut all = placed().filter(|(_, row)| row.name == register);
        let (offset, _) = all.next().expect(register);
        (0..WRITE).for_each(|_| self.push(None, Some((offset, value))));
        self.rest(1);
    }

    /// A source and its trace, with whatever CONTROL and FILTER say.
    fn source(&mut self, set: &RegisterSet, control: u32, filter: u32) {
        self.write("SOURCE_CONTROL", 0);
        self.rest(QUIET);
        self.write("CONTROL", STREAMS | control);
        self.write("FILTER", filter);
        self.write("RANGE_LAST_HIGH", u32::MAX >> 1);
        let registers = &set.registers;
        self.write("TRCCONFIGR", registers.trcconfigr);
        self.write("TRCIDR0", registers.trcidr0);
        self.write("TRCIDR1", registers.trcidr1);
        self.write("TRCIDR2", registers.trcidr2);
        self.write("TRCIDR8", registers.trcidr8);
        self.write("TRCDEVARCH", registers.trcdevarch);
        let ete = u32::from(set.protocol == Protocol::Ete) << 1;
        self.write("SOURCE_CONTROL", ENABLE | ete | 0x10 << 8);
        let options = StreamOptions {
            packets: 400,
            sync_every: 60,
            ..StreamOptions::default()
        };
        let stream = legal_stream(&mut self.rng, &set.config(), &options).bytes;
        let other: Vec<u8> = stream.iter().rev().copied().collect();
        let ids = [0x10, 0x23].map(|id| TraceId::new(id).expect("an ID"));
        let parts = [(ids[0], &stream[..]), (ids[1], &other[..])];
        let port = frame_streams(&mut self.rng, &parts, &Framing::PORT);
        for (number, word) in words_of(&port).into_iter().enumerate() {
            // A bit that flips now and then makes errors.
            let flip = u32::from(self.rng.random_bool(0.005)) << (number % 32);
            self.push(Some(word ^ flip), None);
            if number % 150 == 149 {
                let pulse = PULSES[number / 150 % PULSES.len()];
                self.write("CONTROL", STREAMS | control | pulse);
            }
        }
        self.rest(300);
    }
}

impl Bench for Etm4Core {
    type Cycle = CoreCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|core, clock| {
        core.aclk.next = clock;
        core.trace_clk.next = clock;
    });

    fn cycles() -> impl AsRef<[CoreCycle]> {
        let reset = CoreCycle {
            resets: true,
            ..CoreCycle::default()
        };
        let mut run = Run {
            rng: rng(SEED),
            cycles: vec![reset.clone(); 4],
        };
        let [v46, ete] = ["v46-all", "ete"].map(|name| RegisterSet::by_name(name).expect(name));
        let (lenient, some_kinds, range) = (1, 0x11, 1 << 31);
        run.source(&v46, 0, 0);
        run.source(&ete, lenient, some_kinds);
        run.source(&v46, lenient, some_kinds | range);
        run.cycles.push(reset);
        run.rest(200);
        run.source(&ete, 0, 0);
        run.cycles
    }

    fn drive(&mut self, cycle: &CoreCycle, _mixer: &mut Mixer) {
        self.aresetn.next = !cycle.resets;
        self.trace_valid.next = cycle.word.is_some();
        self.trace_data.next = cycle.word.unwrap_or(0).to_bits();
        self.set(&cycle.pins);
        self.m_axis_records_tready.next = cycle.ready[0];
        self.m_axis_profile_tready.next = cycle.ready[1];
    }
}

#[test]
fn the_core_in_verilator_equals_its_simulation() {
    check::<Etm4Core>("etm4_core");
}
