// SPDX-License-Identifier: MIT OR Apache-2.0
//! Runs three linters over one exported text. Verilator uses the exported waivers.

use std::process::Command;

use anyhow::Result;
use coretrace_hdl_verilog::waivers;

use crate::tools::{Tool, run};
use crate::work::Work;

/// The messages of a linter; empty if the text is clean.
///
/// # Errors
/// If the tool cannot be started or the work directory cannot be written.
pub fn lint(tool: Tool, verilog: &str, top: &str) -> Result<Vec<String>> {
    let work = Work::new(&format!("lint-{}-{top}", tool.program()))?;
    work.write("top.v", verilog)?;
    let mut command = Command::new(tool.program());
    command.current_dir(work.path());
    match tool {
        Tool::Verilator => {
            command.args(["--lint-only", "-Wall", "--language", "1364-2005"]);
            work.write("top.vlt", waivers("top"))?;
            command.args(["--top-module", top, "top.vlt", "top.v"]);
        }
        Tool::Icarus => {
            command.args(["-g2005", "-Wall", "-Wno-timescale", "-t", "null"]);
            command.args(["-s", top, "top.v"]);
        }
        Tool::Yosys => {
            let script = format!(
                "read_verilog -noautowire top.v; hierarchy -check -top {top}; proc; flatten; \
                 opt_clean; select -assert-none t:$dlatch; check -assert"
            );
            command.args(["-q", "-p", &script]);
        }
    }
    let run = run(&mut command)?;
    let mut findings: Vec<_> = run.text.lines().map(str::to_string).collect();
    findings.retain(|line| !line.trim().is_empty());
    if !run.ok && findings.is_empty() {
        findings.push(format!("{} failed without a message", tool.program()));
    }
    Ok(findings)
}

/// The messages of all installed linters, one per line.
///
/// # Errors
/// As [`lint`].
pub fn lint_all(verilog: &str, top: &str) -> Result<Vec<String>> {
    let mut all = vec![];
    for tool in [Tool::Verilator, Tool::Icarus, Tool::Yosys] {
        if tool.version().is_some() {
            all.extend(lint(tool, verilog, top)?);
        }
    }
    Ok(all)
}
