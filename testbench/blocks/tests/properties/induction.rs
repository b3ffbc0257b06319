// SPDX-License-Identifier: MIT OR Apache-2.0
//! Claims about exported text for all runs of any length: Yosys' SAT solver with temporal
//! induction.
//!
//! The rules of a claim are a Verilog module `rules` around one module of the text, with assertions
//! and registers that track the history. It states its own assumptions about inputs; all other
//! inputs are free. The base case: no assertion fails in the first steps. The induction step: after
//! as many steps without a failure, from any state, none fails in the next one.
//!
//! Rules may read wires inside the block: `(* hierconn *) wire \dut.name ;` is the wire `name` of
//! the instance `dut`.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

/// Yosys' message for a run that breaks a rule.
const BREAKS: &str = "SAT temporal induction proof finished - model found for base case: FAIL!";

/// Rules around a block.
#[derive(Clone)]
pub struct Claim {
    /// Verilog that has the block.
    pub text: String,
    /// The module that the rules are about.
    pub block: String,
    /// Verilog with the module `rules`. It may name the block `` `BLOCK ``, its inputs as ports
    /// `` `INPUTS ``, its outputs as wires `` `OUTPUTS ``, and `` `PORTS ``, which connects each
    /// with the wire of its name.
    pub rules: &'static str,
    /// More macros.
    pub macros: Vec<(&'static str, String)>,
    /// Steps up to which the solver looks for an induction.
    pub depth: u32,
}

impl Claim {
    /// The claim about a text with the first occurrence of a string replaced; there must be one.
    pub fn mutated(&self, from: &str, to: &str) -> Claim {
        Claim {
            text: mutated(&self.text, from, to),
            ..self.clone()
        }
    }

    /// Demands that no run breaks a rule.
    pub fn prove(&self) {
        assert!(self.holds().expect("a verdict"), "{} is wrong", self.block);
    }

    /// The same by an induction of this many steps: half the time, if the number is known.
    pub fn prove_in(&self, steps: u32) {
        let options = format!("-initsteps {}", steps - 1);
        let holds = self.verdict(&options).expect("a verdict");
        assert!(holds, "{} is wrong", self.block);
    }

    /// Demands that each mutation lets some run break a rule.
    pub fn refute_each(&self, changes: &[(&str, &str)]) {
        for (from, to) in changes {
            let fails = self.mutated(from, to).fails();
            let fails = fails.unwrap_or_else(|error| panic!("`{to}` for `{from}`: {error}"));
            assert!(fails, "nothing wrong with `{to}` for `{from}`");
        }
    }

    /// Whether no run breaks a rule.
    ///
    /// # Errors
    /// If Yosys cannot be started, refuses the text, or finds neither a proof nor a run from the
    /// first state.
    pub fn holds(&self) -> Result<bool> {
        self.verdict("")
    }

    fn verdict(&self, options: &str) -> Result<bool> {
        let log = self.solve(options)?;
        if log.contains("Induction step proven: SUCCESS!") {
            Ok(true)
        } else if log.contains(BREAKS) {
            Ok(false)
        } else {
            bail!("no verdict:\n{log}")
        }
    }

    /// Whether a run of at most `depth` steps breaks a rule, which is faster than a proof.
    ///
    /// # Errors
    /// If Yosys cannot be started or refuses the text.
    pub fn fails(&self) -> Result<bool> {
        let log = self.solve("-tempinduct-baseonly")?;
        if log.contains(BREAKS) {
            Ok(true)
        } else if log.contains("Reached maximum number of time steps") {
            Ok(false)
        } else {
            bail!("no verdict:\n{log}")
        }
    }

    fn solve(&self, options: &str) -> Result<String> {
        let script = format!(
            "read_verilog block.v; read_verilog -formal -noautowire rules.v; \
             hierarchy -check -top rules; proc; memory_map; flatten; opt_clean -purge; \
             sat -tempinduct {options} -set-assumes -prove-asserts -maxsteps {} rules",
            self.depth
        );
        let rules = self.all_macros() + self.rules;
        let (_, log) = yosys(&[("block.v", &self.text), ("rules.v", &rules)], &script)?;
        Ok(log)
    }

    fn all_macros(&self) -> String {
        let start = format!("module {} (\n", self.block);
        let (_, rest) = self.text.split_once(&start).expect("the block");
        let (ports, _) = rest.split_once(");").expect("a list of ports");
        let ports: Vec<&str> = ports
            .lines()
            .map(|line| line.trim().trim_end_matches(','))
            .collect();
        let inputs: Vec<&str> = ports
            .iter()
            .copied()
            .filter(|port| port.starts_with("input "))
            .collect();
        let outputs = ports.iter().filter_map(|port| port.strip_prefix("output "));
        let outputs: Vec<String> = outputs
            .map(|port| format!("{};", port.replacen("reg", "wire", 1)))
            .collect();
        let names = ports.iter().filter_map(|port| port.split(' ').next_back());
        let names: Vec<String> = names.map(|name| format!(".{name}({name})")).collect();
        let more: String = self
            .macros
            .iter()
            .map(|(name, text)| format!("`define {name} {text}\n"))
            .collect();
        format!(
            "`define BLOCK {}\n`define INPUTS {}\n`define OUTPUTS {}\n`define PORTS {}\n{more}",
            self.block,
            inputs.join(", "),
            outputs.join(" "),
            names.join(", ")
        )
    }
}

/// A text with the first occurrence of a string replaced; there must be one.
pub fn mutated(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "no `{from}` in\n{text}");
    text.replacen(from, to, 1)
}

/// The text with uninitialised registers.
pub fn from_any_state(text: &str) -> String {
    let mut is_initial = false;
    let mut kept = String::new();
    for line in text.lines() {
        let is_inside = is_initial;
        is_initial = line.trim() == "initial begin" || is_initial && line.trim() != "end";
        if is_inside || is_initial {
            continue;
        }
        match line.rsplit_once(" = ") {
            Some((register, _)) if line.contains(" reg [") => kept += &format!("{register};\n"),
            _ => kept += &format!("{line}\n"),
        }
    }
    kept
}

/// Yosys' output for a script, and whether it succeeded.
pub fn yosys(files: &[(&str, &str)], script: &str) -> Result<(bool, String)> {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("properties-{}-{count}", std::process::id());
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&dir).with_context(|| format!("{}", dir.display()))?;
    for (file, text) in files {
        std::fs::write(dir.join(file), text)?;
    }
    let mut command = Command::new("yosys");
    let output = command.current_dir(&dir).args(["-p", script]).output();
    let output = output.context("cannot start yosys")?;
    std::fs::remove_dir_all(&dir)?;
    let mut log = String::from_utf8_lossy(&output.stdout).into_owned();
    log.push_str(&String::from_utf8_lossy(&output.stderr));
    Ok((output.status.success(), log))
}

/// Whether there is no combinational path from some ports of a module to others. Both are Yosys
/// patterns that must match.
pub fn is_registered(text: &str, top: &str, from: &str, to: &str) -> bool {
    let script = format!(
        "read_verilog block.v; hierarchy -check -top {top}; proc; flatten; opt_clean; cd {top}; \
         select -assert-min 1 i:{from}; select -assert-min 1 o:{to}; \
         select -assert-none i:{from} %co*:-$dff,$sdff,$dffe,$sdffe o:{to} %i"
    );
    let (succeeded, log) = yosys(&[("block.v", text)], &script).expect("Yosys runs");
    let last = log.lines().rev().find(|line| line.starts_with("ERROR"));
    assert!(
        succeeded || last.is_some_and(|line| line.contains("selection is not empty")),
        "{log}"
    );
    succeeded
}
