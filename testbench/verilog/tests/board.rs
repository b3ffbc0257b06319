// SPDX-License-Identifier: MIT OR Apache-2.0
//! The board self-test in Icarus Verilog equals its simulation, and passes every linter.

use etm4_hdl::export::verilog;
use etm4_pipelines::AlchitryCu;
use etm4_verilog::cosim::{Simulator, cosim};
use etm4_verilog::lint::lint;
use etm4_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::Clock;

/// Cycles of a few passes over the stored trace.
const CYCLES: usize = 500;

#[test]
fn the_board_self_test_in_verilog_equals_its_simulation() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let set_clock = |board: &mut AlchitryCu, clock: Clock| board.clock.next = clock;
    let outcome = cosim(
        "alchitry_cu",
        AlchitryCu::default,
        CYCLES,
        |_, _| (),
        Some(set_clock),
        Simulator::Icarus,
    )
    .expect("the board exports and runs");
    assert!(outcome.agrees(), "{:?}", outcome.mismatches.first());
}

#[test]
fn the_board_self_test_is_lint_clean() {
    let text = verilog(AlchitryCu::default(), "alchitry_cu").expect("the board exports");
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if !skip_or_fail(tool) {
            let findings = lint(tool, &text, "alchitry_cu").expect("the linter runs");
            assert!(findings.is_empty(), "{findings:?}");
        }
    }
}
