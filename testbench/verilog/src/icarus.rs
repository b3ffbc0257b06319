// SPDX-License-Identifier: MIT OR Apache-2.0
//! Replay in Icarus Verilog: two memory files and a generated bench.

use std::fmt::Write as _;
use std::process::Command;

use anyhow::{Context, Result, bail};
use coretrace_hdl_verilog::Port;

use crate::recording::{Mismatch, Outcome, Phase, Recording};
use crate::tools::{Tool, demand};
use crate::work::Work;

pub(crate) fn replay(recording: &Recording, verilog: &str, top: &str) -> Result<Outcome> {
    let work = Work::new(&format!("icarus-{top}"))?;
    work.write("top.v", verilog)?;
    work.write("bench.v", bench(recording, top))?;
    // A top without inputs still needs a digit per cycle.
    let stimulus: String = recording
        .inputs
        .iter()
        .map(|line| format!("0{line}\n"))
        .collect();
    work.write("inputs.mem", stimulus)?;
    work.write("outputs.mem", recording.outputs.join("\n"))?;
    demand(
        Command::new(Tool::Icarus.program())
            .current_dir(work.path())
            .args([
                "-g2005",
                "-s",
                "etm4_bench",
                "-o",
                "bench.vvp",
                "bench.v",
                "top.v",
            ]),
    )?;
    let text = demand(
        Command::new("vvp")
            .current_dir(work.path())
            .args(["-n", "bench.vvp"]),
    )?;
    parse(recording, &text)
}

/// Digits of a port, as bits.
fn padded(port: &Port) -> usize {
    port.width.div_ceil(4) * 4
}

fn bench(recording: &Recording, top: &str) -> String {
    let cycles = recording.outputs.len();
    let ins: usize = recording.input_ports().map(padded).sum::<usize>() + 4;
    let outs: usize = recording.output_ports().map(padded).sum();
    let row = outs * if recording.is_clocked { 2 } else { 1 };
    let mut v = format!(
        "`timescale 1ns/1ps\nmodule etm4_bench;\n\
         reg [{}:0] inputs [0:{}];\nreg [{}:0] outputs [0:{}];\n\
         reg [{}:0] in = 0;\nreg [{}:0] want;\nreg clk = 0;\ninteger n;\n",
        ins - 1,
        cycles - 1,
        row - 1,
        cycles - 1,
        ins - 1,
        row - 1
    );
    let mut connections = vec![];
    let mut top_bit = ins - 4;
    for port in recording.input_ports() {
        let low = top_bit - padded(port);
        connections.push(format!(
            ".{}(in[{}:{low}])",
            port.name,
            low + port.width - 1
        ));
        top_bit = low;
    }
    for port in recording.output_ports() {
        let _ = writeln!(v, "wire [{}:0] \\{}.got ;", port.width - 1, port.name);
        connections.push(format!(".{0}(\\{0}.got )", port.name));
    }
    for port in recording.ports.iter().filter(|port| port.is_clock) {
        if !recording
            .output_ports()
            .any(|output| output.name == port.name)
        {
            connections.push(format!(".{}(clk)", port.name));
        }
    }
    let _ = writeln!(v, "{top} dut({});", connections.join(", "));
    let compare = |v: &mut String, mut top_bit: usize, phase: &str| {
        for port in recording.output_ports() {
            let low = top_bit - padded(port);
            let want = format!("want[{}:{low}]", low + port.width - 1);
            let _ = writeln!(
                v,
                "if (\\{0}.got !== {want}) $display(\"MISMATCH %0d {phase} {0} %h %h\", n, \
                 \\{0}.got , {want});",
                port.name
            );
            top_bit = low;
        }
    };
    let _ = write!(
        v,
        "initial begin\n$readmemh(\"inputs.mem\", inputs);\n$readmemh(\"outputs.mem\", outputs);\n\
         for (n = 0; n < {cycles}; n = n + 1) begin\n\
         clk = 0; in = inputs[n]; want = outputs[n]; #5;\n"
    );
    compare(&mut v, row, "before");
    if recording.is_clocked {
        v.push_str("clk = 1; #5;\n");
        compare(&mut v, outs, "after");
    }
    v.push_str("end\n$display(\"DONE\");\n$finish;\nend\nendmodule\n");
    v
}

fn parse(recording: &Recording, text: &str) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for line in text.lines() {
        let words: Vec<_> = line.split_whitespace().collect();
        match words[..] {
            ["MISMATCH", cycle, phase, port, verilog, rust] => {
                let cycle = cycle.parse().context("Icarus counts cycles")?;
                let phase = match phase {
                    "before" => Phase::BeforeEdge,
                    _ => Phase::AfterEdge,
                };
                if !recording.is_power_on(cycle, phase) {
                    outcome.add(Mismatch {
                        cycle,
                        phase,
                        port: port.to_string(),
                        verilog: verilog.to_string(),
                        rust: rust.to_string(),
                    });
                }
            }
            ["DONE"] => return Ok(outcome),
            _ => {}
        }
    }
    bail!("the simulation did not end:\n{}", text.trim())
}
