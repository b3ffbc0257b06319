// SPDX-License-Identifier: MIT OR Apache-2.0
//! Listings of a plan: the script does what the plan does, and every step has its reason.

use std::fs::{self, File};
use std::process::Command;
use std::{iter, slice};

use coretrace_target::plan::{Action, Step};
use coretrace_target::wrappers::{Access, Recorded};
use coretrace_target::{Bus, Ending, Journal, Topology, execute, explain, json, shell, text};
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

/// What a script did: its reads, its writes, and what it wrote to standard output.
struct Ran {
    reads: Vec<u64>,
    writes: Vec<(u64, u32)>,
    words: Vec<u32>,
}

/// Runs the script of steps with the values that a log has read, and a line for its pause.
fn run(topology: &Topology, steps: &[Step], log: &[Access]) -> Ran {
    let values = log.iter().filter_map(|access| match access {
        Access::Read(_, value) => Some(format!("{value:#X}\n")),
        Access::Write(..) => None,
    });
    let folder = tempfile::TempDir::new().expect("a folder");
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("values", &values.collect::<String>());
    write("devmem", DEVMEM);
    write("script", &shell(topology, steps));
    write("line", "\n");
    let line = File::open(folder.path().join("line")).expect("a line");
    let ran = Command::new("sh")
        .args([
            "-c",
            "chmod +x devmem && PATH=\"$PWD:$PATH\" exec sh script",
        ])
        .current_dir(folder.path())
        .stdin(line)
        .output()
        .expect("a shell");
    assert!(ran.status.success(), "{ran:?}");
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect("read");
    let number = |text: &str| match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).expect("a number"),
        None => text.parse().expect("a number"),
    };
    let output = String::from_utf8(ran.stdout).expect("text");
    Ran {
        reads: read("reads").lines().map(number).collect(),
        writes: read("writes")
            .lines()
            .filter_map(|line| line.split_once(' '))
            .map(|(address, value)| (number(address), number(value) as u32))
            .collect(),
        words: output.lines().map(|word| number(word) as u32).collect(),
    }
}

fn reads(log: &[Access]) -> Vec<u64> {
    let read = |access: &Access| match access {
        Access::Read(address, _) => Some(*address),
        Access::Write(..) => None,
    };
    log.iter().filter_map(read).collect()
}

fn writes(log: &[Access]) -> Vec<(u64, u32)> {
    let write = |access: &Access| match access {
        Access::Write(address, value) => Some((*address, *value)),
        Access::Read(..) => None,
    };
    log.iter().filter_map(write).collect()
}

/// Makes steps; the words that a read-out gave.
fn make(topology: &Topology, steps: &[Step], bus: &mut dyn Bus) -> Vec<u32> {
    let mut words = Vec::new();
    for step in steps {
        if let Action::Drain { size } = step.action {
            let size = bus.read32(size).expect("a size");
            let next = || {
                bus.read32(step.address)
                    .ok()
                    .filter(|word| *word != u32::MAX)
            };
            words.extend(iter::from_fn(next).take(size as usize));
            continue;
        }
        let (mut time, mut journal) = (Ticks::default(), Journal::default());
        let ending = execute(
            topology,
            slice::from_ref(step),
            bus,
            &mut time,
            &mut journal,
        );
        assert_eq!(ending, Ending::Done);
    }
    words
}

#[test]
fn the_script_makes_the_accesses_of_the_plan() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let mut bus = Recorded::new(World::cold(&topology));
    assert!(make(&topology, &steps, &mut bus).is_empty());
    let ran = run(&topology, &steps, &bus.log);
    assert_eq!(ran.reads, reads(&bus.log));
    assert_eq!(ran.writes, writes(&bus.log));
    assert!(ran.words.is_empty());
}

#[test]
fn the_script_of_a_buffer_reads_what_it_holds() {
    let topology = zynqmp();
    for sink in ["etf2", "etr"] {
        let plan = plan(&topology, &[0], &[sink]);
        let end = plan.read_out(&topology);
        let index = topology.find(sink).expect("a buffer");
        let mut world = World::cold(&topology);
        let mut bus = Recorded::new(&mut world);
        make(&topology, &plan.steps, &mut bus);
        let mut log = bus.log;
        world.run(60);
        let mut bus = Recorded::new(&mut world);
        let words = make(&topology, &end, &mut bus);
        log.extend(bus.log);
        let held: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        assert!(held.len() > 50, "{sink}: {} bytes", held.len());
        assert_eq!(held, world.received(index), "{sink}");
        let ran = run(&topology, &[plan.steps, end].concat(), &log);
        assert_eq!(ran.reads, reads(&log), "{sink}");
        assert_eq!(ran.writes, writes(&log), "{sink}");
        assert_eq!(ran.words, words, "{sink}");
    }
}

#[test]
fn only_the_one_buffer_of_a_capture_is_read_out() {
    let topology = zynqmp();
    for sinks in [&["tpiu"][..], &["etr", "tpiu"]] {
        let plan = plan(&topology, &[0], sinks);
        assert_eq!(plan.read_out(&topology), [], "{sinks:?}");
    }
    let plan = plan(&topology, &[0], &["etf2"]);
    let steps = [plan.steps.clone(), plan.read_out(&topology)].concat();
    let text = text(&steps);
    assert_eq!(text.lines().count(), steps.len() + 2);
    let size = "read  etf2.RRD until FFFFFFFF, [FE950004] times at most";
    assert!(text.contains(size), "{text}");
    let json = json(&steps);
    let of = |line: &str, phase: &str| line.contains(&format!("\"phase\":\"{phase}\""));
    let count = |phase| json.lines().filter(|line| of(line, phase)).count();
    assert_eq!(count("start"), plan.steps.len());
    // A trace unit, two buffers, and what reads the second.
    assert_eq!((count("stop"), count("read-out")), (2 + 6 + 6, 2));
    let last = json.lines().rev().position(|line| of(line, "read-out"));
    assert_eq!(last, Some(2), "the capture ends behind it");
}

#[test]
fn every_step_has_a_line_in_json_and_its_rules_in_the_explanation() {
    let topology = zynqmp();
    let steps = plan(&topology, &[0], &["tpiu"]).steps;
    let (json, explained) = (json(&steps), explain(&steps));
    assert_eq!(json.lines().count(), steps.len());
    for (number, step) in (1..).zip(&steps) {
        let start = format!("\n{number:4}  {:010X}  ", step.address);
        let (before, line) = explained.split_once(&start).expect("a line");
        let line = line.lines().next().expect("what is done");
        for rule in step.rules.iter().map(|rule| rule.rule()) {
            let head = format!("\n{}: {}.\n", rule.name, rule.condition);
            let source = format!("  Otherwise {}. Source: {}.", rule.why, rule.source);
            assert_eq!(before.matches(&(head + &source)).count(), 1, "{number}");
            assert!(line.split(' ').any(|word| word == rule.name), "{line}");
        }
        let is_masked = matches!(step.action, Action::Write { mask, .. } if mask != u32::MAX);
        assert!(
            !is_masked || line.starts_with("read, then write "),
            "{line}"
        );
    }
    assert!(explained.contains("\nWAIT: "), "{explained}");
    for (line, step) in json.lines().zip(&steps) {
        assert!(
            line.contains(&format!("\"place\":\"{}\"", step.place)),
            "{line}"
        );
        assert!(line.contains("\"schema\":\"etm4.target-step.1\""), "{line}");
    }
}
