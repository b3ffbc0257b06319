// SPDX-License-Identifier: MIT OR Apache-2.0
//! Theorems over Verilog text, and the solver: the `sat` command of Yosys.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};

/// The verdict of the solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The goal is 1 whenever `assumed` is.
    Proven,
    /// There is a counterexample.
    Refuted,
}

/// A combinational module with an output `assumed`, and more outputs, the goals, which must be 1
/// whenever it is.
#[derive(Clone)]
pub struct Theorem {
    /// Name of the module.
    pub top: &'static str,
    /// File names and texts, including `names.vh`.
    pub files: Vec<(String, String)>,
}

/// Seconds after which the solver gives up.
const LIMIT: u32 = 1200;

impl Theorem {
    /// The theorem with one file changed by `change`, which must make a difference.
    pub fn with(&self, file: &str, change: impl Fn(&str) -> String) -> Theorem {
        let mut changed = self.clone();
        let (_, text) = changed
            .files
            .iter_mut()
            .find(|(name, _)| name == file)
            .expect("the file is there");
        let new = change(text);
        assert_ne!(*text, new, "{file} stays as it is");
        *text = new;
        changed
    }

    /// Asks whether the goals hold under the assumptions.
    ///
    /// # Errors
    /// If Yosys cannot be started, refuses the text or gives up, or if the assumptions are
    /// contradictory.
    pub fn verdict(&self, goals: &[&str]) -> Result<Verdict> {
        let top = self.top;
        let prove: String = goals
            .iter()
            .map(|goal| format!(" -prove {goal} 1"))
            .collect();
        let assume = format!("sat -timeout {LIMIT} -set assumed 1");
        let log = self.run(&format!("{assume} {top}; {assume}{prove} {top}"))?;
        if !log.contains("SAT solving finished - model found") {
            bail!("nothing meets the assumptions of {top}");
        }
        if log.contains("SAT proof finished - no model found: SUCCESS!") {
            Ok(Verdict::Proven)
        } else if log.contains("SAT proof finished - model found: FAIL!") {
            Ok(Verdict::Refuted)
        } else {
            bail!("no verdict on {goals:?} of {top}:\n{log}")
        }
    }

    fn run(&self, command: &str) -> Result<String> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}-{}-{count}", self.top, std::process::id());
        let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&dir).with_context(|| format!("{}", dir.display()))?;
        for (file, text) in &self.files {
            std::fs::write(dir.join(file), text)?;
        }
        let sources = self.files.iter().map(|(file, _)| file.as_str());
        let sources: Vec<&str> = sources.filter(|file| file.ends_with(".v")).collect();
        let script = format!(
            "read_verilog -noautowire -I. {}; hierarchy -check -top {}; proc; flatten; \
             check -assert; opt_clean; memory_map; opt_expr; opt_merge; opt_clean; techmap; \
             opt_expr; opt_merge; opt_clean; {command}",
            sources.join(" "),
            self.top
        );
        let output = Command::new("yosys")
            .current_dir(&dir)
            .args(["-p", &script])
            .output()
            .context("cannot start yosys")?;
        std::fs::remove_dir_all(&dir)?;
        let log = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!("yosys: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(log)
    }
}
