// SPDX-License-Identifier: MIT OR Apache-2.0
//! A static `etm4` for an aarch64 Linux, in the emulator of user programs: all that needs no register.

mod common;

use std::path::Path;
use std::process::{Command, Stdio};

use common::{good, root};
use tempfile::TempDir;

const TARGET: &str = "aarch64-unknown-linux-gnu";

/// The output of a program; `None` if it cannot be run, or fails.
fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root())
        .stderr(Stdio::inherit());
    let output = command
        .output()
        .ok()
        .filter(|output| output.status.success());
    output.map(|output| String::from_utf8(output.stdout).expect("text"))
}

/// What is missing, if anything.
fn missing() -> Option<&'static str> {
    let library = output("rustc", &["--print", "target-libdir", "--target", TARGET]);
    if !library.is_some_and(|folder| Path::new(folder.trim()).exists()) {
        return Some("the standard library for aarch64-unknown-linux-gnu");
    }
    let programs = ["aarch64-linux-gnu-gcc", "qemu-aarch64"];
    programs
        .into_iter()
        .find(|program| output(program, &["--version"]).is_none())
}

#[test]
#[ignore = "it compiles etm4 for another target"]
fn a_static_etm4_for_aarch64_does_what_the_native_one_does() {
    if let Some(what) = missing() {
        let needed = std::env::var("ETM4_REQUIRE_TOOLS").as_deref() == Ok("1");
        assert!(
            !needed,
            "{what} not found, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
        println!("SKIPPED: {what} not found");
        return;
    }
    output("cargo", &["etm4-aarch64", "--locked"]).expect("it compiles");
    // Without a root of libraries the emulator runs static programs alone.
    let program = format!("target/{TARGET}/debug/etm4");
    let emulated = |arguments: &[&str]| {
        let arguments = [&[&program[..]], arguments].concat();
        output("qemu-aarch64", &arguments).expect("it runs")
    };
    let folder = TempDir::new().expect("a folder");
    let session = |name: &str| folder.path().join(name).display().to_string();
    for arguments in [
        &["packets", "testbench/traces/sort-a64"][..],
        &["flow", "testbench/traces/sort-a64"],
        &[
            "target",
            "plan",
            "--topology",
            "zynqmp",
            "--cpu",
            "0",
            "--explain",
        ],
    ] {
        let golden = good(arguments);
        assert!(golden.lines().count() > 10, "{arguments:?}");
        assert_eq!(emulated(arguments), golden, "{arguments:?}");
    }
    let discover = [
        "target",
        "discover",
        "--topology",
        "zynqmp",
        "--bus",
        "sim",
        "--session",
    ];
    let [native, foreign] = ["native", "foreign"].map(session);
    assert_eq!(
        emulated(&[&discover, &[&foreign[..]][..]].concat()),
        good(&[&discover, &[&native[..]][..]].concat())
    );
}
