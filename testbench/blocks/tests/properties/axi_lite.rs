// SPDX-License-Identifier: MIT OR Apache-2.0
//! The AXI4-Lite slave obeys the bus protocol, whatever its master does: proofs for all runs of any
//! length, by Yosys' SAT solver with temporal induction on the exported Verilog.
//!
//! The rules are in `axi_lite.v`, a module around the slave whose registers track the transactions
//! in flight. Its inputs are free: this includes a master that withdraws a VALID, a reset at any
//! time, and any answer from the register port.

use coretrace_hdl_parts::axi::AxiLite;
use coretrace_pipelines::{CoreRegisters, FlowRegisters};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

use crate::exported;
use crate::induction::{Claim, is_registered, mutated};

/// The exported slave.
fn slave() -> String {
    exported(AxiLite::<4, 2>::default(), "slave")
}

/// A slave under the rules.
fn rules() -> Claim {
    Claim {
        text: slave(),
        block: "slave".into(),
        rules: include_str!("axi_lite.v"),
        macros: vec![],
        depth: 8,
    }
}

/// Whether there is no combinational path from any input to any output to the bus.
fn is_free(text: &str, top: &str) -> bool {
    is_registered(text, top, "*", "s_axi_*")
}

#[test]
fn the_slave_keeps_the_rules_of_the_bus() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    rules().prove();
}

#[test]
fn no_path_leads_from_an_input_to_an_output_of_the_bus() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    assert!(is_free(&slave(), "slave"));
    for registers in [
        exported(CoreRegisters::default(), "control"),
        exported(FlowRegisters::default(), "control"),
    ] {
        assert!(is_free(&registers, "control"));
    }
}

#[test]
#[ignore = "nightly: a refutation"]
fn slaves_that_break_a_rule_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    rules().refute_each(&[
        // Applies a write again while its answer waits.
        (" & (~b_valid__q)", ""),
        // Withdraws a response before READY.
        ("if (b_valid__q & s_axi_bready)", "if (b_valid__q)"),
        ("if (r_valid__q & s_axi_rready)", "if (r_valid__q)"),
        // Changes the payload of an answer that waits.
        ("if (read_s2__q)", "if (read_s2__q | r_valid__q)"),
        // Takes a second address or second data before the answer.
        ("aw_ready__d = ~aw_held__q", "aw_ready__d = 1'b1"),
        ("w_ready__d = ~w_held__q", "w_ready__d = 1'b1"),
        // Answers without data.
        ("(aw_held__q & w_held__q)", "aw_held__q"),
        // Never answers a second read.
        (
            "ar_held__d = 1'b0;\n      ar_ready__d = 1'b1",
            "ar_held__d = 1'b0",
        ),
        // Says OKAY to everything.
        ("b_resp__d = 2'd2", "b_resp__d = 2'd0"),
        // Passes on another index.
        ("s_axi_awaddr[3:2]", "s_axi_awaddr[2:1]"),
        ("s_axi_araddr[3:2]", "s_axi_araddr[2:1]"),
        // Keeps a response through a reset.
        (
            "read_s2__d = 1'b0;\n      r_valid__d = 1'b0",
            "read_s2__d = 1'b0",
        ),
    ]);
}

#[test]
fn a_path_from_an_input_to_an_output_of_the_bus_is_found() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    for (port, input) in [
        ("awready", "s_axi_awvalid"),
        ("rvalid", "s_axi_rready"),
        ("rdata", "read_known"),
    ] {
        let start = format!("assign s_axi_{port} = ");
        let with_path = mutated(&slave(), &start, &format!("{start}{input} & "));
        assert!(!is_free(&with_path, "slave"), "{port} by {input}");
    }
}
