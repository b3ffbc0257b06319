// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab target` on a simulated chip with the real core: what a user gets is what its model gives.

#[path = "../../../host/cli/tests/common/mod.rs"]
mod common;

use std::fs;

use common::good;
use serde_json::Value;
use tempfile::TempDir;

/// What the cores of the chip do, with a return stack.
const TRACE: &str = "trace=testbench/traces/sort-a64";

/// Runs a command on a chip after reset; what it prints, and the folder with what it made.
fn target(command: &str, bus: &str, more: &[&str]) -> (String, TempDir) {
    let folder = TempDir::new().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (session, out) = (path("session"), path("out"));
    let args = ["target", command, "--topology", "zynqmp", "--bus", bus];
    let out = match command {
        "capture" => vec!["--out", &out],
        _ => vec![],
    };
    let text = good(&[&args, &["--session", &session][..], &out, more].concat());
    (text, folder)
}

/// A capture by a core: its records as a list, and the counters at its end.
fn capture(bus: &str) -> (String, Value) {
    let ring = ["--sink", "core", "--ring", "0x70000000:0x20000"];
    let more = [&["--cpu", "0", "--rs", "--seconds", "0.04"], &ring[..]].concat();
    let (_, folder) = target("capture", bus, &more);
    let path = |name: &str| folder.path().join("out").join(name);
    let records = good(&["records", path("records.words").to_str().expect("text")]);
    let counters = fs::read_to_string(path("counters.jsonl")).expect("counters");
    let last = counters.lines().last().expect("a line");
    (records, serde_json::from_str(last).expect("an object"))
}

#[test]
fn a_capture_by_the_real_core_is_that_of_its_model() {
    let (records, counters) = capture(&format!("sim:hw,{TRACE}"));
    let (golden, of_model) = capture(&format!("sim:{TRACE}"));
    assert!(records.lines().count() > 10_000);
    for (line, golden) in records.lines().zip(golden.lines()) {
        assert_eq!(line, golden);
    }
    assert_eq!(records.lines().count(), golden.lines().count());
    for name in ["FRAMES", "SYNC_LOSSES", "SYNC_ACQUISITIONS", "LOST_WORDS"] {
        assert!(counters[name].is_u64(), "{name}");
        assert_eq!(counters[name], of_model[name], "{name}");
    }
    assert_eq!(counters["BYTES"], 24_354, "the bytes of the trace");
}

#[test]
fn the_real_core_counts_the_patterns_of_the_port_as_its_model_does() {
    let more = ["--seconds", "0.01"];
    let (text, _) = target("pattern", "sim:hw", &more);
    let (golden, _) = target("pattern", "sim", &more);
    assert_eq!(text.lines().count(), 4);
    assert_eq!(text, golden);
}
