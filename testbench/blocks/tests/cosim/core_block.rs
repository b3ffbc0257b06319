// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core from its pins: a source is enabled over the bus, traced, cleared, flushed, disabled and
//! enabled again with other registers, a filter and the other policy, while consumers stall now and
//! then and all registers are read.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use coretrace_abi::record_filter::{Filter, FilterKind};
use coretrace_abi::registers::csr::{Control, InterruptEnable, InterruptStatus};
use coretrace_abi::registers::{control, filter_writes, source_writes};
use coretrace_coresight::TraceId;
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_pipelines::Etm4Core;
use coretrace_test_gen::{
    Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream, rng,
};
use coretrace_test_support::{DecoderSetup, words_of};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Trace ID of a source of software trace.
pub const BESIDE: u8 = 0x31;
/// Cycles that a write stays on the bus: it is accepted within them.
const WRITE: usize = 6;
/// Cycles after which a disabled source may be enabled.
const QUIET: usize = 70;
/// `CONTROL` with each of its pulses.
const PULSES: [fn(Control) -> Control; 3] = [
    |control| control.with_snapshot(true),
    |control| control.with_clear(true),
    |control| control.with_flush(true),
];

/// The pins in a cycle.
#[derive(Clone, Default)]
pub struct CoreCycle {
    pub resets: bool,
    pub word: Option<u32>,
    /// The bus.
    pub pins: MasterPins,
    pub ready: [bool; 3],
}

/// A source of software trace beside that of the core: the writes that enable it, and its stream.
pub struct Beside {
    pub writes: Vec<(u32, u32)>,
    pub stream: Vec<u8>,
    /// Cycles after which another one may be enabled.
    pub quiet: usize,
}

/// A run under construction.
struct Run {
    rng: Rng,
    cycles: Vec<CoreCycle>,
    beside: Beside,
}

impl Run {
    fn push(&mut self, word: Option<u32>, write: Option<(u32, u32)>) {
        // Each register is read in turn, and now and then one that does not exist.
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
            ready: [
                !rests,
                self.rng.random_bool(0.7),
                self.cycles.len() % 1100 > 300,
            ],
        });
    }

    fn rest(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.push(None, None));
    }

    fn write(&mut self, (offset, value): (u32, u32)) {
        (0..WRITE).for_each(|_| self.push(None, Some((offset, value))));
        self.rest(1);
    }

    /// A source and its trace.
    fn source(&mut self, set: RegisterSet, lenient: bool, filter: &Filter) {
        self.rest(self.beside.quiet);
        let config = DecoderSetup { set, lenient }.source_config();
        let filter = filter_writes(filter);
        let writes = filter
            .into_iter()
            .chain(source_writes(0x10, &config, false));
        writes.for_each(|write| self.write(write));
        let beside = self.beside.writes.clone();
        beside.into_iter().for_each(|write| self.write(write));
        self.write((InterruptEnable::OFFSET, 7));
        self.rest(QUIET);
        let options = StreamOptions {
            packets: 400,
            sync_every: 60,
            ..StreamOptions::default()
        };
        let stream = legal_stream(&mut self.rng, &set.config(), &options).bytes;
        let other: Vec<u8> = stream.iter().rev().copied().collect();
        let ids = [0x10, 0x23, BESIDE].map(|id| TraceId::new(id).expect("an ID"));
        let beside = self.beside.stream.clone();
        let parts = [
            (ids[0], &stream[..]),
            (ids[1], &other[..]),
            (ids[2], &beside[..]),
        ];
        let port = frame_streams(&mut self.rng, &parts, &Framing::PORT);
        for (number, word) in words_of(&port).into_iter().enumerate() {
            // A bit that flips now and then makes errors.
            let flip = u32::from(self.rng.random_bool(0.005)) << (number % 32);
            self.push(Some(word ^ flip), None);
            if number % 150 == 149 {
                let pulse = PULSES[number / 150 % PULSES.len()];
                self.write((Control::OFFSET, pulse(control(&config)).0));
            }
        }
        self.rest(300);
        self.write((InterruptStatus::OFFSET, 7));
    }
}

impl Bench for Etm4Core {
    type Cycle = CoreCycle;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|core, clock| {
        core.aclk.next = clock;
        core.trace_clk.next = clock;
    });

    fn cycles() -> impl AsRef<[CoreCycle]> {
        cycles(Beside {
            writes: Vec::new(),
            stream: Vec::new(),
            quiet: 0,
        })
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

/// The run of a core.
pub fn cycles(beside: Beside) -> Vec<CoreCycle> {
    let reset = CoreCycle {
        resets: true,
        ..CoreCycle::default()
    };
    let mut run = Run {
        rng: rng(SEED),
        cycles: vec![reset.clone(); 4],
        beside,
    };
    let [v46, ete] = ["v46-all", "ete"].map(|name| RegisterSet::by_name(name).expect(name));
    let all = Filter::default();
    let some = Filter {
        drop: 1 << FilterKind::Atoms as u16 | 1 << FilterKind::Timestamps as u16,
        range: None,
    };
    let half = Filter {
        range: Some((0, u64::MAX >> 1)),
        ..some
    };
    run.source(v46, false, &all);
    run.source(ete, true, &some);
    run.source(v46, true, &half);
    run.cycles.push(reset);
    run.rest(200);
    run.source(ete, false, &all);
    run.cycles
}

#[test]
fn the_core_in_verilator_equals_its_simulation() {
    check::<Etm4Core>("etm4_core");
}
