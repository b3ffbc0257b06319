// SPDX-License-Identifier: MIT OR Apache-2.0
//! `trace_compressor` and its variants from their pins: enabled over the bus, with branches now and then and in
//! each cycle, flushed, disabled, enabled again with other settings, reset, while the consumer stalls and all
//! registers are read.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::compressed::branch_beat::BranchBeat;
use coretrace_abi::registers::compressor_csr::SourceControl;
use coretrace_abi::registers::compressor_csr::{Control, InterruptEnable, InterruptStatus};
use coretrace_abi::registers::compressor_writes;
use coretrace_hdl_compress::BRANCH_BEAT_W;
use coretrace_hdl_dataflow::{Bus, Wide};
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_pipelines::{
    TraceCompressor, TraceCompressorM4, TraceCompressorRBase, TraceCompressorX1,
};
use coretrace_test_gen::trace_unit::RandomProgram;
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles that a write stays on the bus: it is accepted within them.
const WRITE: usize = 6;
/// Cycles until an encoder has started.
const STARTS: usize = 600;

/// The pins in a cycle.
#[derive(Clone, Default)]
pub struct CoreCycle {
    resets: bool,
    beat: Option<Bus<BRANCH_BEAT_W>>,
    pins: MasterPins,
    ready: bool,
}

/// A run under construction.
struct Run {
    rng: Rng,
    cycles: Vec<CoreCycle>,
    /// The share of cycles in which the consumer takes a beat.
    ready: f64,
}

impl Run {
    fn push(&mut self, beat: Option<BranchBeat>, write: Option<(u32, u32)>) {
        // Each register is read in turn, and now and then one that does not exist.
        let read = self.cycles.len() as u32 % 0x60 * 4;
        let words = |beat: BranchBeat| {
            let mut wide = Wide::default();
            for (low, word) in (0..).step_by(64).zip(beat.words()) {
                wide.or_field(low, 64, word);
            }
            Bus(wide)
        };
        self.cycles.push(CoreCycle {
            resets: false,
            beat: beat.map(words),
            pins: MasterPins {
                aw: write.map(|(offset, _)| offset),
                w: write.map(|(_, value)| (value, 0xF)),
                b_ready: true,
                ar: Some(read),
                r_ready: self.rng.random_bool(0.8),
            },
            ready: self.rng.random_bool(self.ready),
        });
    }

    fn rest(&mut self, cycles: usize) {
        (0..cycles).for_each(|_| self.push(None, None));
    }

    fn write(&mut self, (offset, value): (u32, u32)) {
        (0..WRITE).for_each(|_| self.push(None, Some((offset, value))));
        self.rest(1);
    }

    /// A source with a program, and gaps in front of its branches.
    fn source(&mut self, is_a32: bool, steps: u64, gaps: f64, time_out: u32) {
        let [size, ..] = SIZES;
        let writes = compressor_writes(0x2A, is_a32, size, time_out);
        writes.into_iter().for_each(|write| self.write(write));
        self.write((InterruptEnable::OFFSET, 7));
        let program = RandomProgram { blocks: 40, steps };
        let trace = program.trace(&mut self.rng);
        self.push(
            Some(BranchBeat::Begin {
                next: trace.start,
                lost: 0,
            }),
            None,
        );
        self.rest(STARTS);
        for (number, event) in (1..).zip(trace.events()) {
            while self.rng.random_bool(gaps) {
                self.push(None, None);
            }
            self.push(Some(BranchBeat::Event(event)), None);
            if number % 300 == 0 {
                let control = Control::RESET.with_snapshot(true).with_flush(true);
                self.write((Control::OFFSET, control.0));
            }
        }
        self.write((SourceControl::offset(0), 0));
        self.rest(1500);
        let control = Control::RESET.with_snapshot(true).with_clear(true);
        self.write((Control::OFFSET, control.0));
        self.rest(0x60);
        self.write((InterruptStatus::OFFSET, 7));
    }
}

macro_rules! compressor_core {
    ($top:ident) => {
        impl Bench for $top {
            type Cycle = CoreCycle;
            const SET_CLOCK: Option<fn(&mut Self, Clock)> =
                Some(|core, clock| core.aclk.next = clock);

            fn cycles() -> impl AsRef<[CoreCycle]> {
                run()
            }

            fn drive(&mut self, cycle: &CoreCycle, _mixer: &mut Mixer) {
                self.aresetn.next = !cycle.resets;
                self.s_axis_branches_tvalid.next = cycle.beat.is_some();
                self.s_axis_branches_tdata.next = cycle.beat.unwrap_or_default();
                self.set(&cycle.pins);
                self.m_axis_blocks_tready.next = cycle.ready;
            }
        }
    };
}

compressor_core!(TraceCompressor);
compressor_core!(TraceCompressorX1);
compressor_core!(TraceCompressorM4);
compressor_core!(TraceCompressorRBase);

/// All cycles.
fn run() -> Vec<CoreCycle> {
    let reset = CoreCycle {
        resets: true,
        ..CoreCycle::default()
    };
    let mut run = Run {
        rng: rng(SEED),
        cycles: vec![reset.clone(); 4],
        ready: 0.9,
    };
    run.source(false, 900, 0.6, 0);
    // Full rate, and a consumer that is too slow.
    run.ready = 0.1;
    run.source(true, 1500, 0.0, 0);
    run.cycles.push(reset);
    run.ready = 1.0;
    run.source(false, 200, 0.5, 400);
    run.cycles
}

#[test]
fn the_compressor_in_verilator_equals_its_simulation() {
    check::<TraceCompressor>("trace_compressor");
}

#[test]
#[ignore = "nightly: that of X2 is in the gate"]
fn the_compressor_with_x1_in_verilator_equals_its_simulation() {
    check::<TraceCompressorX1>("trace_compressor_x1");
}

#[test]
#[ignore = "nightly: that of X2 is in the gate"]
fn the_compressor_with_m4_in_verilator_equals_its_simulation() {
    check::<TraceCompressorM4>("trace_compressor_m4");
}

#[test]
#[ignore = "nightly: that of X2 is in the gate"]
fn the_compressor_with_rbase_in_verilator_equals_its_simulation() {
    check::<TraceCompressorRBase>("trace_compressor_rbase");
}
