// SPDX-License-Identifier: MIT OR Apache-2.0
//! The AXI4-Lite slave keeps the rules of the bus, whatever its master does: proofs for all runs of
//! any length, by Yosys' SAT solver with temporal induction on the exported Verilog.
//!
//! The rules stand in `axi/rules.v`, a module around the slave whose registers remember what is
//! under way. Its inputs are free: also a master that takes back a VALID, a reset at any time, and
//! any answer from the registers behind. [`verdict`] says how the two halves of an induction go.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use etm4_hdl::axi::AxiLite;
use etm4_hdl::export::verilog;
use etm4_pipelines::ControlRegisters;
use etm4_verilog::tools::{Tool, skip_or_fail};

/// Steps up to which the solver looks for an induction.
const DEPTH: u32 = 8;

/// The exported slave.
fn slave() -> String {
    verilog(AxiLite::<4, 2>::default(), "slave").expect("no finding")
}

/// What Yosys prints about a slave, and whether it was content.
fn yosys(slave: &str, script: &str) -> Result<(bool, String)> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("axi-{}-{count}", std::process::id());
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).with_context(|| format!("{}", dir.display()))?;
    std::fs::write(dir.join("slave.v"), slave)?;
    std::fs::write(dir.join("rules.v"), include_str!("axi/rules.v"))?;
    let mut command = Command::new("yosys");
    let output = command.current_dir(&dir).args(["-p", script]).output();
    let output = output.context("cannot start yosys")?;
    std::fs::remove_dir_all(&dir)?;
    let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
    log.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok((output.status.success(), log))
}

/// Whether a slave keeps all rules. From the first state on no rule is broken within some steps,
/// and where none was broken in as many steps in a row, from any state, none is in the next one.
fn verdict(slave: &str) -> Result<bool> {
    let script = format!(
        "read_verilog slave.v; read_verilog -formal rules.v; hierarchy -check -top rules; \
         proc; flatten; check -assert; opt_clean; \
         sat -tempinduct -prove-asserts -maxsteps {DEPTH} rules"
    );
    let (_, log) = yosys(slave, &script)?;
    if log.contains("Induction step proven: SUCCESS!") {
        Ok(true)
    } else if log
        .contains("SAT temporal induction proof finished - model found for base case: FAIL!")
    {
        Ok(false)
    } else {
        bail!("no verdict:\n{log}")
    }
}

/// Whether no path without a register leads from any input to any output to the bus.
fn is_registered(text: &str, top: &str) -> bool {
    let script = format!(
        "read_verilog slave.v; hierarchy -check -top {top}; proc; flatten; opt_clean; cd {top}; \
         select -assert-min 8 o:s_axi_*; \
         select -assert-none o:s_axi_* %ci*:-$dff,$sdff,$dffe,$sdffe i:* %i"
    );
    let (is_content, log) = yosys(text, &script).expect("Yosys runs");
    assert!(
        is_content || log.contains("selection is not empty"),
        "{log}"
    );
    is_content
}

/// The slave with one text in the place of another, which has to be there.
fn mutated(from: &str, to: &str) -> String {
    let text = slave();
    assert!(text.contains(from), "no `{from}` in\n{text}");
    text.replacen(from, to, 1)
}

#[test]
fn the_slave_keeps_the_rules_of_the_bus() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    assert!(verdict(&slave()).expect("a verdict"));
}

#[test]
fn no_path_leads_from_an_input_to_an_output_of_the_bus() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    assert!(is_registered(&slave(), "slave"));
    let registers = verilog(ControlRegisters::default(), "control").expect("no finding");
    assert!(is_registered(&registers, "control"));
}

#[test]
fn slaves_that_break_a_rule_are_refuted() {
    if skip_or_fail(Tool::Yosys) {
        return;
    }
    let wrong = [
        // Applies a write again while its answer waits.
        (" & (~b_valid__q)", ""),
        // Takes back an answer before READY.
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
        // Hands on another index.
        ("s_axi_awaddr[3:2]", "s_axi_awaddr[2:1]"),
        ("s_axi_araddr[3:2]", "s_axi_araddr[2:1]"),
        // Remembers a response through a reset.
        (
            "read_s2__d = 1'b0;\n      r_valid__d = 1'b0",
            "read_s2__d = 1'b0",
        ),
    ];
    for (from, to) in wrong {
        let is_good = verdict(&mutated(from, to)).expect("a verdict");
        assert!(!is_good, "nothing wrong with `{to}` for `{from}`");
    }
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
        let with_path = mutated(&start, &format!("{start}{input} & "));
        assert!(!is_registered(&with_path, "slave"), "{port} by {input}");
    }
}
