// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs that this crate calls.

use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

/// An external program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Two-state compiled simulation, and lint.
    Verilator,
    /// Four-state event simulation (`iverilog` and `vvp`).
    Icarus,
    /// Synthesis front end, used as a structural check.
    Yosys,
}

impl Tool {
    /// Name of the program.
    pub fn program(self) -> &'static str {
        match self {
            Tool::Verilator => "verilator",
            Tool::Icarus => "iverilog",
            Tool::Yosys => "yosys",
        }
    }

    /// First line of the program's version message, if it can be started.
    pub fn version(self) -> Option<&'static str> {
        static VERSIONS: [OnceLock<Option<String>>; 3] = [const { OnceLock::new() }; 3];
        let version = VERSIONS[self as usize].get_or_init(|| {
            let output = Command::new(self.program())
                .arg("-V")
                .stdin(Stdio::null())
                .output()
                .ok()?;
            let text = String::from_utf8_lossy(&output.stdout);
            Some(text.lines().next().unwrap_or_default().to_string())
        });
        version.as_deref()
    }
}

/// For the start of a test: whether to skip it because `tool` is missing.
///
/// # Panics
/// If the tool is missing and the environment says `ETM4_REQUIRE_TOOLS=1`.
#[must_use]
pub fn skip_or_fail(tool: Tool) -> bool {
    if tool.version().is_some() {
        return false;
    }
    let program = tool.program();
    assert!(
        std::env::var("ETM4_REQUIRE_TOOLS").as_deref() != Ok("1"),
        "{program} not found, and ETM4_REQUIRE_TOOLS=1 requires it"
    );
    println!("SKIPPED: {program} not found");
    true
}

/// The output of a program, and whether it succeeded.
pub(crate) struct Run {
    pub ok: bool,
    pub text: String,
}

/// Runs a program to its end.
pub(crate) fn run(command: &mut Command) -> Result<Run> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok(Run {
        ok: output.status.success(),
        text,
    })
}

/// Runs a program that must succeed, and returns its output.
pub(crate) fn demand(command: &mut Command) -> Result<String> {
    let run = run(command)?;
    if !run.ok {
        bail!("{:?} failed:\n{}", command.get_program(), run.text.trim());
    }
    Ok(run.text)
}
