// SPDX-License-Identifier: MIT OR Apache-2.0
//! The interface between the co-simulation and a block.

use crate::SEED;
use crate::mixer::Mixer;
use coretrace_hdl_verilog::verilog;
use coretrace_test_support::on_large_stack;
use coretrace_test_verilog::cosim::{Simulator, record, replay};
use coretrace_test_verilog::recording::Recording;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

/// A block under co-simulation.
pub trait Bench: Block + Default {
    /// The inputs of one cycle.
    type Cycle;

    /// Sets the clock; a combinational block has none.
    const SET_CLOCK: Option<fn(&mut Self, Clock)>;

    /// The inputs of a run.
    fn cycles() -> impl AsRef<[Self::Cycle]>;

    /// Sets the inputs of a cycle. Those that another block drives in a decoder pass the mixer.
    fn drive(&mut self, cycle: &Self::Cycle, mixer: &mut Mixer);
}

/// Runs a block in the Rust simulation.
pub fn recorded<B: Bench>() -> Recording {
    let run = B::cycles();
    let cycles = run.as_ref();
    let mut mixer = Mixer::new(SEED);
    record(
        B::default(),
        cycles.len(),
        |uut, cycle| uut.drive(&cycles[cycle], &mut mixer),
        B::SET_CLOCK,
    )
}

/// Bytes of Verilog from which on a block takes Icarus Verilog longer than Verilator takes to compile it.
const LONG: usize = 300_000;

/// Where a block is replayed. In Icarus Verilog data may not change at an edge, so not if both are used.
fn simulator(text: &str) -> (Simulator, Tool) {
    if text.len() >= LONG || text.contains("negedge") {
        (Simulator::Verilator, Tool::Verilator)
    } else {
        (Simulator::Icarus, Tool::Icarus)
    }
}

/// Compares the exported Verilog of a block with its Rust simulation: every bit of every output, in every
/// cycle, before and after the edge.
pub fn check<B: Bench>(name: &str) {
    let (text, recording) = on_large_stack(|| {
        let text = verilog(B::default(), name).unwrap_or_else(|findings| panic!("{findings}"));
        (text, recorded::<B>())
    });
    compare(name, &text, &recording);
}

fn compare(name: &str, text: &str, recording: &Recording) {
    let (simulator, tool) = simulator(text);
    if skip_or_fail(tool) {
        return;
    }
    let outcome = replay(recording, text, name, simulator);
    let outcome = outcome.unwrap_or_else(|error| panic!("{name}: {error:#}"));
    assert!(outcome.agrees(), "{name}, seed {SEED:#x}: {outcome}");
    println!("{name}: equal in {} cycles", recording.inputs.len());
}
