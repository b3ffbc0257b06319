// SPDX-License-Identifier: MIT OR Apache-2.0
//! `flow_core` from its pins: a table is loaded over the bus, a source enabled and traced, the counts
//! are read while it goes on, and all registers are read.

use crate::SEED;
use crate::bench::{Bench, check};
use crate::mixer::Mixer;
use coretrace_abi::flow_table::{SpaceRule, Widths};
use coretrace_abi::registers::flow_csr::{Control, InterruptEnable, InterruptStatus};
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS, flow_source_writes, table_writes};
use coretrace_coresight::TraceId;
use coretrace_hdl_parts::axi::master::{AxiSlave, MasterPins};
use coretrace_pipelines::{FlowCore, FlowCoreTop, FlowCoreX2};
use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};
use coretrace_test_gen::{Framing, Rng, frame_streams, rng};
use coretrace_test_simulate::flow::used_words;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_support::words_of;
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles that a write stays on the bus: it is accepted within them.
const WRITE: usize = 6;
/// Cycles after which a disabled source may be enabled.
const QUIET: usize = 70;

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
            ready: self.rng.random_bool(0.5),
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
    fn source(&mut self, unit: &TraceUnit, stream: &[u8]) {
        let rule = Some(SpaceRule::ANY);
        let rules = [rule, None, None, rule];
        let writes = flow_source_writes(0x10, &unit.source(), &rules);
        writes.into_iter().for_each(|write| self.write(write));
        self.write((InterruptEnable::OFFSET, 3));
        self.rest(QUIET);
        let id = TraceId::new(0x10).expect("an ID");
        let port = frame_streams(&mut self.rng, &[(id, stream)], &Framing::PORT);
        for (number, word) in words_of(&port).into_iter().enumerate() {
            // A bit that flips now and then makes errors.
            let flip = u32::from(self.rng.random_bool(0.005)) << (number % 32);
            self.push(Some(word ^ flip), None);
            if number % 150 == 149 {
                let control = Control::RESET.with_snapshot(true).with_read_out(true);
                self.write((Control::OFFSET, control.0));
            }
        }
        self.rest(200);
        self.write((InterruptStatus::OFFSET, 3));
    }
}

impl<const ONE: usize, const TWO: usize> Bench for FlowCoreTop<ONE, TWO> {
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
        let mut rng = rng(SEED);
        let program = RandomProgram {
            blocks: 8,
            steps: 100,
        };
        let unit = TraceUnit::default();
        let widths = Widths::new(SITE_BITS, FRAME_BITS).expect("widths");
        let case = FlowCase::of_program(widths, &program, &unit, &mut rng);
        let FlowCase {
            table,
            bytes: stream,
            ..
        } = case.expect("room");
        let mut run = Run {
            rng,
            cycles: vec![reset.clone(); 4],
        };
        run.rest(QUIET);
        for (kind, index, word) in used_words(&table) {
            let writes = table_writes(kind, index, word);
            writes.into_iter().for_each(|write| run.write(write));
        }
        run.source(&unit, &stream);
        run.cycles.push(reset);
        run.rest(2 * QUIET);
        run.source(&unit, &stream);
        run.cycles
    }

    fn drive(&mut self, cycle: &CoreCycle, _mixer: &mut Mixer) {
        self.aresetn.next = !cycle.resets;
        self.trace_valid.next = cycle.word.is_some();
        self.trace_data.next = cycle.word.unwrap_or(0).to_bits();
        self.set(&cycle.pins);
        self.m_axis_flow_tready.next = cycle.ready;
    }
}

#[test]
#[ignore = "nightly: large, and the gate has random programs in its Verilog"]
fn the_flow_core_in_verilator_equals_its_simulation() {
    check::<FlowCore>("flow_core");
}

#[test]
#[ignore = "nightly: the Verilog of a path of two walkers follows programs in the gate"]
fn the_flow_core_of_two_walkers_in_verilator_equals_its_simulation() {
    check::<FlowCoreX2>("flow_core_x2");
}
