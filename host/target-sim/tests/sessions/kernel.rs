// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every access of the drivers of Linux 6.1 on this topology, through the judge.

use std::collections::BTreeSet;
use std::fs;

use coretrace_target::Bus;
use coretrace_target_sim::World;

use crate::session::zynqmp;

/// An access of the log.
struct Access {
    is_write: bool,
    address: u64,
    value: u32,
    is_wide: bool,
}

fn access(line: &str) -> Access {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (base, offset) = words[2].split_once('+').expect("base and offset");
    let hex = |text: &str| u64::from_str_radix(text, 16).expect("a number");
    Access {
        is_write: words[0] == "W",
        address: hex(base) + hex(offset),
        value: u32::from_str_radix(words[3], 16).expect("a number"),
        is_wide: words[4] == "sz8",
    }
}

#[test]
fn the_judge_finds_in_linux_what_is_known_and_no_more() {
    let Some(shared) = coretrace_test_support::shared_dir() else {
        return;
    };
    let log = fs::read_to_string(shared.join("coresight/linux-6.1-access.log")).expect("the log");
    let topology = zynqmp();
    let mut world = World::cold(&topology);
    // Its clock driver reads the clocks, which the log does not have.
    for clock in &topology.clocks {
        world.read32(clock.address).expect("a clock");
    }
    let mut found = BTreeSet::new();
    let mut differing = BTreeSet::new();
    let (mut phase, mut last) = ("load", 0);
    let accesses: Vec<Access> = log.lines().map(access).collect();
    for Access {
        is_write,
        address,
        value,
        is_wide,
    } in accesses
    {
        // The empty enable of the trace port begins a session, PU 0 ends it, and the ETR the next one.
        phase = match (phase, is_write, address, value) {
            ("load", true, 0xFE98_0FB0, 0) if last == address => "start",
            ("stop", true, 0xFE97_0FB0, _) => "start ETR",
            (_, true, 0xFEC4_0310 | 0xFED4_0310, 0) if phase.starts_with("start") => {
                if phase == "start" { "stop" } else { "stop ETR" }
            }
            _ => phase,
        };
        last = address;
        world.findings.violations.clear();
        if is_write {
            world.write32(address, value).expect("an answer");
            if is_wide {
                world.write32(address + 4, 0).expect("an answer");
            }
        } else if world.read32(address).expect("an answer") != value {
            differing.insert(address & 0xFFF);
        }
        // The kernel waits where the log shows the last read only.
        world.run(8);
        let violations = world.findings.violations.iter();
        found.extend(
            violations.map(|violation| (phase, violation.rule, violation.component.clone())),
        );
    }
    let found: Vec<String> = found
        .iter()
        .map(|(phase, rule, component)| format!("{phase}: {rule} {component}"))
        .collect();
    // It never claims the trace port, which it stops when it is loaded and at the end.
    let (unclaimed, found): (Vec<String>, Vec<String>) =
        found.into_iter().partition(|found| found.contains("CLAIM"));
    assert_eq!(unclaimed, ["load: CLAIM tpiu", "stop: CLAIM tpiu"]);
    // Its start breaks no rule. Its stop closes funnels before the buffers below them are flushed, and
    // drops the power of a trace unit before EN.
    let known = [
        "stop: FLUSH funnel1",
        "stop: FLUSH funnel2",
        "stop: POWER etm0",
        "stop: POWER etm1",
        "stop ETR: FLUSH funnel1",
        "stop ETR: FLUSH funnel2",
        "stop ETR: POWER etm0",
    ];
    assert_eq!(found, known);
    let lost: Vec<String> = world
        .findings
        .lost
        .keys()
        .map(ToString::to_string)
        .collect();
    let known = [
        "stops at funnel1: an input was closed before a flush",
        "stops at funnel2: an input was closed before a flush",
        "stops at tpiu: the port is stopped",
    ];
    assert_eq!(lost, known);
    // Sizes, fill level, device ID and revision are not simulated.
    let known = [0x004, 0x00C, 0xFC8, 0xFE8];
    assert_eq!(Vec::from_iter(differing), known);
}
