// SPDX-License-Identifier: MIT OR Apache-2.0
//! Calls of tclsh: a script as Vivado would run it, or a line with the procedures of the gate.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// For the start of a test: whether to skip it because there is no tclsh.
pub fn skip_or_fail() -> bool {
    let mut tclsh = Command::new("tclsh");
    if tclsh.stdin(Stdio::null()).output().is_ok() {
        return false;
    }
    assert!(
        std::env::var("ETM4_REQUIRE_TOOLS").as_deref() != Ok("1"),
        "tclsh not found, and ETM4_REQUIRE_TOOLS=1 requires it"
    );
    println!("SKIPPED: tclsh not found");
    true
}

/// The outcome of a call of `ooc.tcl`.
pub struct Outcome {
    /// The exit code.
    pub code: i32,
    /// Vivado commands with their words, in order.
    pub calls: Vec<String>,
    /// Everything else on standard output.
    pub output: String,
    /// Standard error.
    pub errors: String,
}

impl Outcome {
    /// The calls of each project.
    pub fn projects(&self) -> Vec<&[String]> {
        let mut projects = Vec::new();
        let mut rest = &self.calls[..];
        let is_start = |call: &String| call.starts_with("create_project ");
        while let Some(start) = rest.iter().rposition(is_start) {
            projects.insert(0, &rest[start..]);
            rest = &rest[..start];
        }
        projects
    }

    /// The words of every call of a command.
    pub fn words_of(&self, command: &str) -> Vec<&str> {
        let words = |call: &'_ String| {
            call.split_once(' ')
                .is_some_and(|(name, _)| name == command)
        };
        let calls = self.calls.iter().filter(|call| words(call));
        calls.map(|call| call[command.len()..].trim()).collect()
    }
}

/// Calls a script as Vivado would, with stubs that differ as a Tcl dict specifies.
pub fn call(script: &Path, differences: &str, arguments: &[&str]) -> Outcome {
    call_with("stubs.tcl", script, differences, arguments)
}

/// Calls a script with the stubs of a file of this folder.
pub fn call_with(stubs: &str, script: &Path, differences: &str, arguments: &[&str]) -> Outcome {
    let folder = root().join("testbench/suites/tests/vivado");
    let stubs = folder.join(stubs);
    let mut command = Command::new("tclsh");
    command.arg(stubs).arg(script).arg(differences);
    let output = command.args(arguments).output().expect("tclsh starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let (calls, others): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("CALL "));
    Outcome {
        code: output.status.code().expect("an exit code"),
        calls: calls.iter().map(|line| line[5..].to_owned()).collect(),
        output: others.join("\n"),
        errors: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The result or error of a Tcl script that can use `gate.tcl` and `result.tcl`.
pub fn evaluate(script: &str) -> Result<String, String> {
    let folder = root().join("constraints/vivado");
    let text = format!(
        "source {{{folder}/gate.tcl}}\nsource {{{folder}/result.tcl}}\n\
         if {{[catch {{{script}}} value]}} {{puts stderr $value; exit 1}}\n\
         puts -nonewline $value\n",
        folder = folder.display()
    );
    let mut command = Command::new("tclsh");
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut tclsh = command
        .stderr(Stdio::piped())
        .spawn()
        .expect("tclsh starts");
    let mut stdin = tclsh.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("tclsh reads");
    drop(stdin);
    let output = tclsh.wait_with_output().expect("tclsh ends");
    let errors = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    if output.status.success() && errors.is_empty() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        Err(errors)
    }
}
