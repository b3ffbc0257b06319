// SPDX-License-Identifier: MIT OR Apache-2.0
//! FuseSoC takes the exported folder: it finds the core, and its lint target is clean.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use coretrace_pipelines::package::core::{CORE, ETM4_CORE};
use coretrace_pipelines::package::write_package;
use coretrace_test_support::python::{Missing, environment, or_skip, output, testbench};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

fn tools() -> Result<PathBuf, Missing> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fusesoc-tools");
    let pins = testbench("fusesoc").join("requirements.txt");
    environment(&folder, &pins).map(|()| folder)
}

/// FuseSoC's output for the lint target of a folder.
fn lint(tools: &Path, folder: &Path) -> Result<String, Missing> {
    let mut fusesoc = Command::new(tools.join("bin/fusesoc"));
    fusesoc.arg("--cores-root").arg(folder);
    fusesoc.args(["run", "--target", "lint", "--build-root"]);
    fusesoc.arg(folder.join("build")).arg(CORE);
    // Without the user's settings and caches.
    let settings = fusesoc.env("HOME", folder).env_remove("XDG_CONFIG_HOME");
    output(settings.current_dir(folder))
}

#[test]
#[ignore = "nightly: FuseSoC from PyPI"]
fn fusesoc_finds_the_core_and_its_lint_target_is_clean() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let Some(tools) = or_skip(tools()) else {
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("fusesoc-run");
    let _ = fs::remove_dir_all(&folder);
    write_package(ETM4_CORE.files().expect("the core exports"), &folder).expect("a folder");
    lint(&tools, &folder).unwrap_or_else(|Missing(why)| panic!("{why}"));

    // A finding is a failure: without the waivers there are some, without a file no core.
    for gone in ["etm4_core.vlt", "etm4_core.v"] {
        let path = folder.join(gone);
        let text = fs::read_to_string(&path).expect("a file of the package");
        let lines = text.lines().filter(|line| !line.starts_with("lint_off"));
        match gone.ends_with(".vlt") {
            true => fs::write(&path, lines.collect::<Vec<_>>().join("\n")).expect("a file"),
            false => fs::remove_file(&path).expect("a file"),
        }
        assert!(lint(&tools, &folder).is_err(), "nothing said of {gone}");
        fs::write(&path, text).expect("a file");
    }
}
