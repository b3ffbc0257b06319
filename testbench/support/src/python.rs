// SPDX-License-Identifier: MIT OR Apache-2.0
//! Python environments with third-party packages.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use fs4::FileExt;

/// Why a tool cannot run here.
pub struct Missing(pub String);

/// Runs a program; returns what it printed.
///
/// # Errors
/// If there is no such program, or it fails; then the error has its output.
pub fn output(command: &mut Command) -> Result<String, Missing> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdin(Stdio::null()).output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            Err(Missing(format!("{program} fails: {errors}")))
        }
        Err(_) => Err(Missing(format!("{program} not found"))),
    }
}

/// Makes sure that `folder` is a Python environment with the packages of a requirements file. Of several processes
/// one makes it, and the others wait.
///
/// # Errors
/// If there is no Python, or the packages cannot be installed.
///
/// # Panics
/// If the list of packages cannot be read, or `folder` cannot be written.
pub fn environment(folder: &Path, requirements: &Path) -> Result<(), Missing> {
    let text = fs::read_to_string(requirements).expect("the list of packages");
    fs::create_dir_all(folder).expect("the folder of the environment");
    let lock = File::create(folder.join("lock")).expect("a file of the environment");
    FileExt::lock(&lock).expect("the lock of the environment");
    // Written last: an interrupted installation is done again.
    let stamp = folder.join("installed");
    if fs::read_to_string(&stamp).is_ok_and(|installed| installed == text) {
        return Ok(());
    }
    output(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet"]);
    output(
        pip.args(["--disable-pip-version-check", "-r"])
            .arg(requirements),
    )?;
    fs::write(stamp, text).expect("a file of the environment");
    Ok(())
}

/// The value of a tool, or nothing if the test must be skipped.
///
/// # Panics
/// If something is missing that `ETM4_REQUIRE_TOOLS=1` requires.
pub fn or_skip<T>(found: Result<T, Missing>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(Missing(why)) => {
            assert!(
                std::env::var("ETM4_REQUIRE_TOOLS").as_deref() != Ok("1"),
                "{why}, and ETM4_REQUIRE_TOOLS=1 requires it"
            );
            println!("SKIPPED: {why}");
            None
        }
    }
}

/// A folder next to this crate.
pub fn testbench(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}
