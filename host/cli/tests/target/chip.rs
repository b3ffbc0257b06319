// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated chip in a folder of its own.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use crate::common::{Ran, etm4, good};

/// A session of core 0 to the trace port.
pub const CORE_0: &[&str] = &["--topology", "zynqmp", "--cpu", "0"];

/// A chip.
pub struct Chip(TempDir);

impl Chip {
    /// As after reset.
    pub fn new() -> Chip {
        Chip(TempDir::new().expect("a folder"))
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs a command on it, with a bus and more arguments.
    pub fn run(&self, command: &str, bus: &str, more: &[&str]) -> Ran {
        let session = self.0.path().to_str().expect("text");
        let args = ["target", command, "--bus", bus, "--session", session];
        etm4(&[&args, more].concat())
    }

    /// Runs a command that does its work.
    ///
    /// # Panics
    /// If it does not.
    pub fn good(&self, command: &str, bus: &str, more: &[&str]) -> String {
        let ran = self.run(command, bus, more);
        assert_eq!(ran.code, 0, "{command} {more:?}: {}", ran.stderr);
        ran.stdout
    }

    /// The state of every component.
    pub fn status(&self) -> String {
        self.good("status", "sim", &["--topology", "zynqmp"])
    }

    /// The state of every component without configuration, which a session leaves as it is.
    pub fn at_rest(&self) -> Vec<String> {
        let is_left = |word: &&str| {
            let (name, _) = word.split_once('=').unwrap_or_default();
            ["MODE", "FFCR", "FFSR", "CSPSR"].contains(&name)
        };
        let line = |line: &str| {
            let words: Vec<&str> = line
                .split_whitespace()
                .filter(|word| !is_left(word))
                .collect();
            words.join(" ")
        };
        self.status().lines().map(line).collect()
    }

    /// What ever happened to it.
    pub fn events(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("sim.log")).expect("events");
        text.lines().skip(1).map(str::to_owned).collect()
    }

    /// Whether a session is left.
    pub fn has_session(&self) -> bool {
        self.path("journal.jsonl").exists()
    }
}

/// The plan of a session, an object for each step.
pub fn plan(more: &[&str]) -> Vec<serde_json::Value> {
    let json = good(&[&["target", "plan", "--format", "json"], more].concat());
    let object = |line: &str| serde_json::from_str(line).expect("an object");
    json.lines().map(object).collect()
}

/// Goes on behind the first event that begins in a way.
///
/// # Panics
/// If there is none.
pub fn behind<'a>(start: &str, events: &'a [String]) -> &'a [String] {
    let place = events.iter().position(|event| event.starts_with(start));
    &events[place.unwrap_or_else(|| panic!("no {start}")) + 1..]
}

/// Takes the accesses of steps from the front of events, and returns the others.
///
/// # Panics
/// If an event is another one.
pub fn follow<'a>(steps: &[serde_json::Value], events: &'a [String]) -> &'a [String] {
    steps.iter().fold(events, |events, step| {
        let address = step["address"].as_u64().expect("an address");
        let (write, copy) = (&step["write"], &step["copy"]);
        let waits = ["wait", "rest"].iter().any(|key| !step[*key].is_null());
        if let Some(size) = step["drain"]["size"].as_u64() {
            let mut events = read(size, events);
            while is_read(address, events) {
                events = read(address, events);
            }
            return events;
        }
        if !copy.is_null() {
            let from = copy["from"].as_u64().expect("an address");
            return read(address, written(address, read(from, events)).1);
        }
        if write.is_null() {
            let mut events = read(address, events);
            while waits && is_read(address, events) {
                events = read(address, events);
            }
            return events;
        }
        let before = match write["reads_first"] == true {
            true => read(address, events),
            false => events,
        };
        let (value, events) = written(address, before);
        let bits = |key: &str| write[key].as_u64().expect("bits");
        assert_eq!(value & bits("mask"), bits("value"), "{step}");
        events
    })
}

fn is_read(address: u64, events: &[String]) -> bool {
    let first = events.first().map_or("", String::as_str);
    first.starts_with(&format!("R {address:010x}"))
}

/// What follows a read.
fn read(address: u64, events: &[String]) -> &[String] {
    assert!(
        is_read(address, events),
        "R {address:010x}, but {:?}",
        events.first()
    );
    &events[1..]
}

/// The value of a write, and what follows.
fn written(address: u64, events: &[String]) -> (u64, &[String]) {
    let start = format!("W {address:010x} ");
    let value = events.first().and_then(|event| event.strip_prefix(&start));
    let value = value.unwrap_or_else(|| panic!("{start}, but {:?}", events.first()));
    (
        u64::from_str_radix(value, 16).expect("a number"),
        &events[1..],
    )
}
