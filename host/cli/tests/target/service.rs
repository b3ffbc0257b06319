// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands of `scripts/etm4-capture@.service`, on the simulated chip.

use std::fs;

use crate::chip::Chip;
use crate::common::{Ran, etm4, root};

/// The unit.
fn unit() -> String {
    fs::read_to_string(root().join("scripts/etm4-capture@.service")).expect("a unit")
}

/// Runs the command of a line, with the options that the unit has as an example.
fn run(chip: &Chip, key: &str, bus: &str) -> Ran {
    let unit = unit();
    let after = |start: &str| {
        let mut lines = unit.lines();
        let line = lines.find_map(|line| line.strip_prefix(start));
        line.unwrap_or_else(|| panic!("no {start}")).to_owned()
    };
    let options = after("#     ETM4_CAPTURE=");
    let session = chip.path("").to_str().expect("text").to_owned();
    let command = after(&format!("{key}=/usr/local/bin/etm4 "))
        .replace("--bus linux", &format!("--bus {bus} --session {session}"))
        .replace("%S/etm4/%i", &format!("{session}/out"))
        .replace("$ETM4_CAPTURE", options.trim_matches('"'))
        .replace("--seconds 10", "--seconds 0.01");
    let words: Vec<&str> = command.split(' ').collect();
    etm4(&words)
}

#[test]
fn the_commands_of_the_service_capture_and_leave_nothing() {
    let chip = Chip::new();
    let before = chip.at_rest();
    let ran = run(&chip, "ExecStart", "sim");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let out = chip.path("out");
    assert_eq!(etm4(&["packets", out.to_str().expect("text")]).code, 0);
    assert_eq!(run(&chip, "ExecStopPost", "sim").code, 0);
    // A capture that is killed, and has no guard.
    fs::remove_dir_all(&out).expect("removed");
    let ran = run(&chip, "ExecStart", "sim:killed@100");
    assert_eq!(
        (ran.code, chip.has_session()),
        (137, true),
        "{}",
        ran.stderr
    );
    let ran = run(&chip, "ExecStopPost", "sim");
    assert_eq!((ran.code, chip.has_session()), (0, false), "{}", ran.stderr);
    assert_eq!(chip.at_rest(), before);
}

#[test]
fn the_service_keeps_its_session_where_a_linux_has_it() {
    let unit = unit();
    for line in [
        "RuntimeDirectory=etm4",
        "RuntimeDirectoryPreserve=yes",
        "KillMode=mixed",
    ] {
        assert!(unit.lines().any(|found| found == line), "no {line}");
    }
    assert!(!unit.contains("--session"));
}
