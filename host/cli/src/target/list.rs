// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 target list`: the chips and buses that the program knows.

use clap::Args;
use coretrace_target::presets;
use coretrace_target_sim::CONDITIONS;

use crate::error::Outcome;
use crate::output::Output;

/// List presets, buses, and conditions of the simulator
#[derive(Debug, Args)]
pub struct ListArgs {}

/// Each bus, with what it is.
const BUSES: [(&str, &str); 3] = [
    (
        "linux[:ROOT]",
        "the chip that the program runs on, by UIO and /dev/mem",
    ),
    (
        "openocd:[SERVER,]TARGET",
        "a chip behind a debug probe, by the TCL port of OpenOCD",
    ),
    ("sim[:CONDITION,...]", "a simulated chip"),
];

/// Runs the command.
pub fn run() -> Outcome {
    let mut output = Output::new();
    output.text = format!("Presets, for --topology:\n{}\n", indented(&presets()));
    output.text.push_str("Buses, for --bus:\n");
    for (name, text) in BUSES {
        output.text.push_str(&format!("  {name:<25} {text}\n"));
    }
    output
        .text
        .push_str("\nConditions, for --bus sim:CONDITION,...\n");
    let own = [
        (
            "trace=TRACE",
            "the cores do what a trace has, not only count",
        ),
        ("killed@N", "the command is killed after N accesses"),
        (
            "hw",
            "the core behind the port is the simulated hardware, in etm4-lab",
        ),
        (
            "guard",
            "a guard undoes a session that is killed, as on a machine",
        ),
    ];
    for (name, text) in CONDITIONS.iter().chain(&own) {
        output.text.push_str(&format!("  {name:<25} {text}\n"));
    }
    output.finish();
    Outcome::Complete
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}
