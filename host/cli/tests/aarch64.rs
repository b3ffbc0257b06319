// SPDX-License-Identifier: MIT OR Apache-2.0
//! A static `etm4` for an aarch64 Linux, in the emulator of user programs: all that needs no register.

mod common;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
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
    for arguments in [
        &["packets", "testbench/traces/sort-a64"][..],
        &["flow", "testbench/traces/sort-a64"],
        &["target", "list"],
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
    let folder = TempDir::new().expect("a folder");
    let [native, foreign] = ["native", "foreign"].map(|name| folder.path().join(name));
    session(&native, &good);
    session(&foreign, &emulated);
    for folder in ["", "port", "core"] {
        let [golden, found] = [&native, &foreign].map(|of| files(&of.join(folder)));
        assert!(golden.len() > 2, "{:?}", golden.keys());
        assert_eq!(found, golden, "{folder}");
    }
    let core = foreign.join("core").display().to_string();
    for command in ["records", "profile", "info"] {
        let golden = good(&[command, &core]);
        assert!(golden.lines().count() > 5, "{command}: {golden}");
        assert_eq!(emulated(&[command, &core]), golden, "{command}");
    }
}

/// Discovers a simulated chip, starts and stops a session, and captures a trace at the port and by a core. What is
/// said is a file, too.
fn session(folder: &Path, etm4: &dyn Fn(&[&str]) -> String) {
    fs::create_dir(folder).expect("a folder");
    let path = |name: &str| folder.join(name).display().to_string();
    let (session, port, core) = (path(""), path("port"), path("core"));
    let run = |command: &str, bus: &str, more: &[&str]| {
        let arguments = ["target", command, "--bus", bus, "--session", &session];
        etm4(&[&arguments, more].concat())
    };
    let chip = ["--topology", "zynqmp"];
    let unit = [&chip[..], &["--cpu", "0", "--rs"]].concat();
    let said = [
        run("discover", "sim", &chip),
        run("start", "sim", &unit),
        run("status", "sim", &chip),
        run("stop", "sim", &[]),
    ];
    fs::write(path("said"), said.concat()).expect("written");
    let bus = "sim:trace=testbench/traces/sort-a64";
    let ring = [
        "--sink",
        "core",
        "--ring",
        "0x70000000:0x20000",
        "--out",
        &core,
    ];
    for to in [&["--out", &port[..]][..], &ring] {
        run(
            "capture",
            bus,
            &[&unit, to, &["--seconds", "0.03"]].concat(),
        );
    }
}

/// The files of a folder by name.
fn files(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let files = paths.filter(|path| path.is_file()).map(|path| {
        let name = path.file_name().expect("a name").to_owned();
        (name, fs::read(&path).expect("bytes"))
    });
    files.collect()
}
