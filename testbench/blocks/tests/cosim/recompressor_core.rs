// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_recompressor` from its pins: tables are loaded over the bus, a source enabled, traced and disabled, while
//! the consumer stalls and all registers are read; again with another trace ID, and after a reset.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::registers::recompressor_csr::{
    Control, InterruptEnable, InterruptStatus, SourceControl,
};
use coretrace_abi::registers::{BlockOptions, recompressor_writes, table_writes};
use coretrace_coresight::TraceId;
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_pipelines::Recompressor;
use coretrace_test_gen::{Framing, Rng, frame_streams, rng};
use coretrace_test_simulate::branch_case::BranchCase;
use coretrace_test_support::words_of;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles that a write stays on the bus: it is accepted within them.
const WRITE: usize = 6;
/// Cycles after which a source may be enabled.
const QUIET: usize = 70;
/// Cycles until the last block of a source has left.
const CLOSES: usize = 1500;

/// The pins in a cycle.
#[derive(Clone, Default)]
pub struct CoreCycle {
    resets: bool,
    word: Option<u32>,
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
    fn push(&mut self, word: Option<u32>, write: Option<(u32, u32)>) {
        // Each register is read in turn, and now and then one that does not exist.
        let read = self.cycles.len() as u32 % 0x80 * 4;
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

    /// A source, its trace, and the end of its last block.
    fn source(&mut self, case: &BranchCase, trace_id: u8) {
        let blocks = BlockOptions {
            is_a32: false,
            bytes: SIZES[0],
            time_out: 0,
        };
        let writes = recompressor_writes(trace_id, &case.source, &case.rules, &blocks);
        writes.into_iter().for_each(|write| self.write(write));
        self.write((InterruptEnable::OFFSET, 7));
        self.rest(QUIET);
        let id = TraceId::new(trace_id).expect("an ID");
        let port = frame_streams(&mut self.rng, &[(id, &case.bytes[..])], &Framing::PORT);
        for (number, word) in words_of(&port).into_iter().enumerate() {
            // A bit that flips now and then makes errors.
            let flip = u32::from(self.rng.random_bool(0.005)) << (number % 32);
            self.push(Some(word ^ flip), None);
            if number % 80 == 79 {
                let control = Control::RESET.with_snapshot(true).with_flush(true);
                self.write((Control::OFFSET, control.0));
            }
        }
        self.rest(200);
        self.write((SourceControl::offset(0), 0));
        self.rest(CLOSES);
        let control = Control::RESET.with_snapshot(true).with_clear(true);
        self.write((Control::OFFSET, control.0));
        self.rest(0x80);
        self.write((InterruptStatus::OFFSET, 7));
    }
}

impl Bench for Recompressor {
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
        let case = BranchCase::of_a64(8, 250);
        let mut run = Run {
            rng: rng(SEED),
            cycles: vec![reset.clone(); 4],
            ready: 0.9,
        };
        run.rest(QUIET);
        for (kind, index, word) in case.words() {
            let writes = table_writes(kind, index, word);
            writes.into_iter().for_each(|write| run.write(write));
        }
        run.source(&case, 0x10);
        run.ready = 0.3;
        run.source(&case, 0x2A);
        run.cycles.push(reset);
        run.rest(2 * QUIET);
        run.source(&case, 0x10);
        run.cycles
    }

    fn drive(&mut self, cycle: &CoreCycle, _mixer: &mut Mixer) {
        self.aresetn.next = !cycle.resets;
        self.trace_valid.next = cycle.word.is_some();
        self.trace_data.next = cycle.word.unwrap_or(0).to_bits();
        self.set(&cycle.pins);
        self.m_axis_blocks_tready.next = cycle.ready;
    }
}

#[test]
#[ignore = "nightly: large, and the gate has the Verilog of its walker and of its compressor"]
fn the_recompressor_in_verilator_equals_its_simulation() {
    check::<Recompressor>("etm4_recompressor");
}
