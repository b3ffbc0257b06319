// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wrong use of the commands that only `etm4-lab` has: one line that says what to do, and exit code
//! 2.

#[path = "../../../host/cli/tests/common/mod.rs"]
mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{refused, refused_in_one_line};
use tempfile::TempDir;

const RAW: &str = "testbench/traces/sort-a64";

#[test]
fn a_capture_that_cannot_be_made() {
    let folder = TempDir::new().expect("a folder");
    let there = folder.path().to_str().expect("text");
    let new = folder.path().join("new");
    let new = new.to_str().expect("text");
    refused_in_one_line(&["gen", there], &["exists already", "name a new folder"]);
    refused_in_one_line(&["gen", new, "--set", "a54"], &["a54", "a53", "random"]);
    refused_in_one_line(
        &["gen", new, "--set", "ete", "--kind", "I_COND_FLUSH"],
        &["ete", "--set"],
    );
    refused_in_one_line(
        &["gen", new, "--id", "10", "--id", "11"],
        &["one source", "--format"],
    );
    refused_in_one_line(
        &["gen", new, "--format", "frames", "--id", "10", "--id", "10"],
        &["0x10"],
    );
    refused_in_one_line(&["gen", new, "--format", "dstream"], &["tpiu-fsync"]);
    refused_in_one_line(&["gen", new, "--packets", "0"], &["empty"]);
    refused_in_one_line(&["gen", new, "--from", "no/such"], &["no/such"]);
    refused(&["gen", new, "--damage", "bit-flip=2"], &["from 0 to 1"]);
    refused(&["gen", new, "--damage", "rust=0.1"], &["lost-word"]);
    refused(&["gen", new, "--kind", "ATOM"], &["I_ATOM_F1"]);
    refused(&["gen", new, "--from", RAW, "--set", "ete"], &["--from"]);
    assert!(
        !PathBuf::from(new).exists(),
        "a refused capture is not begun"
    );
}

#[test]
fn verilator_that_is_not_installed() {
    let ran = Command::new(common::PROGRAM)
        .args(["packets", RAW, "--engine", "verilog"])
        .current_dir(common::root())
        .env("PATH", "")
        .output()
        .expect("the program starts");
    let stderr = String::from_utf8(ran.stderr).expect("text");
    assert_eq!(ran.status.code(), Some(2), "{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    assert!(
        stderr.contains("--engine hw") && stderr.contains("Verilator"),
        "{stderr}"
    );
}

#[test]
fn hardware_that_is_not_there_or_cannot_do_it() {
    refused(
        &["packets", RAW, "--engine", "hw", "--preset", "etm4_x8"],
        &["etm4_x8", "etm4_x4"],
    );
    refused_in_one_line(&["packets", RAW, "--preset", "etm4_x4"], &["--engine hw"]);
    for engine in ["hw", "verilog"] {
        let args = ["packets", RAW, "--engine", engine, "--on-error", "opencsd"];
        refused_in_one_line(&args, &["--on-error resync", "--engine model"]);
    }
    let args = ["packets", RAW, "--engine", "hw", "--preset", "tpiu_etm4_x4"];
    refused_in_one_line(&args, &["trace port", "raw", "etm4_x4"]);
}
