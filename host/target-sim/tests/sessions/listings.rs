// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listings of a plan: the script does what the plan does, and every step has its reason.

use std::fs;
use std::process::Command;

use coretrace_target::wrappers::{Access, Recorded};
use coretrace_target::{Ending, Journal, execute, explain, json, shell};
use coretrace_target_sim::{Ticks, World};

use crate::session::{plan, zynqmp};

/// Reads come from a file, line by line; writes go into another one.
const DEVMEM: &str = r#"#!/bin/sh
if [ $# -eq 3 ]; then
    echo "$1 $3" >>writes
else
    echo "$1" >>reads
    sed -n "$(wc -l <reads)p" values
fi
"#;

#[test]
fn the_script_makes_the_accesses_of_the_plan() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let mut bus = Recorded::new(World::cold(&topology));
    let ending = execute(
        &topology,
        &steps,
        &mut bus,
        &mut Ticks::default(),
        &mut Journal::default(),
    );
    assert_eq!(ending, Ending::Done);
    let (mut values, mut reads, mut writes) = (String::new(), String::new(), Vec::new());
    for access in &bus.log {
        match access {
            Access::Read(address, value) => {
                values += &format!("{value:#X}\n");
                reads += &format!("{address:#X}\n");
            }
            Access::Write(address, value) => writes.push((*address, *value)),
        }
    }
    let folder = tempfile::TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("values", &values);
    write("devmem", DEVMEM);
    write("script", &shell(&topology, &steps));
    let status = Command::new("sh")
        .args([
            "-c",
            "chmod +x devmem && PATH=\"$PWD:$PATH\" exec sh script",
        ])
        .current_dir(folder.path())
        .status()
        .expect("a shell");
    assert!(status.success());
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("read");
    assert_eq!(read("reads"), reads);
    let number = |text: &str| match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    };
    let found: Vec<(u64, u32)> = read("writes")
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(address, value)| (number(address), number(value) as u32))
        .collect();
    assert_eq!(found, writes);
}

#[test]
fn every_step_has_a_line_in_json_and_its_rule_in_the_explanation() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let (json, explained) = (json(&steps), explain(&steps));
    assert_eq!(json.lines().count(), steps.len());
    for (line, step) in json.lines().zip(&steps) {
        assert!(
            line.contains(&format!("\"place\":\"{}\"", step.place)),
            "{line}"
        );
        assert!(line.contains("\"schema\":\"etm4.target-step.1\""), "{line}");
        let rule = step.rules[0].rule();
        assert!(
            explained.contains(&format!("{}: {}.", rule.name, rule.condition)),
            "{}",
            rule.name
        );
    }
}
