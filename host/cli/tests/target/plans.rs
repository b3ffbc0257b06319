// SPDX-License-Identifier: MIT OR Apache-2.0
//! A start makes the accesses that its plan prints, and no other.

use std::fs;

use crate::chip::{CORE_0, Chip, behind, follow, plan};
use crate::common::{good, refused};

#[test]
fn a_start_makes_the_accesses_of_its_plan_and_no_other() {
    for more in [
        &[][..],
        &["--sink", "etr,tpiu", "--memory", "0x6B300000:0x100000"],
        &[
            "--ts",
            "--cc",
            "64",
            "--bb",
            "--rs",
            "--ctxt",
            "--el0",
            "--enable-clocks",
            "--trace-mhz",
            "250",
        ],
        &["--source", "stm", "--ts"],
    ] {
        let args = [CORE_0, more].concat();
        let chip = Chip::new();
        chip.good("start", "sim", &args);
        let events = chip.events();
        let steps = plan(&args);
        assert!(steps.len() > 150, "{more:?}: {} steps", steps.len());
        let left = follow(&steps, &events);
        assert!(left.is_empty(), "{more:?}: {left:?}");
    }
}

#[test]
fn a_capture_reads_its_buffer_by_the_accesses_of_its_plan() {
    for (sink, parts) in [
        (&["--sink", "etf2"][..], 3),
        (&["--sink", "etr", "--memory", "0x6B300000:0x100000"], 4),
    ] {
        let args = [CORE_0, sink].concat();
        let chip = Chip::new();
        let out = chip.path("out").to_str().expect("text").to_owned();
        let more = ["--seconds", "0.01", "--out", &out];
        chip.good("capture", "sim", &[&args, &more[..]].concat());
        let log = fs::read_to_string(chip.path("out/access.log")).expect("a log");
        let log: Vec<String> = log.lines().map(str::to_owned).collect();
        let (start, end): (Vec<_>, Vec<_>) = plan(&args)
            .into_iter()
            .partition(|step| step["phase"] == "start");
        let mut left = follow(&start, &log);
        let component = |step: &serde_json::Value| step["address"].as_u64().expect("a place") >> 12;
        let found: Vec<_> = end.chunk_by(|a, b| component(a) == component(b)).collect();
        assert_eq!(found.len(), parts, "{sink:?}");
        for steps in found {
            let page = component(&steps[0]);
            // What the session makes sure of before: the owner, the lock, the claim.
            left = behind(&format!("W {page:07x}fa0"), left);
            left = follow(steps, left);
        }
        let words = fs::metadata(chip.path("out/trace.bin"))
            .expect("a trace")
            .len()
            / 4;
        let drain = end.iter().find(|step| !step["drain"].is_null());
        let address = drain.and_then(|step| step["address"].as_u64());
        let read = format!("R {:010x} ", address.expect("a register"));
        let reads = log.iter().filter(|access| access.starts_with(&read));
        // The last one says that there is no more.
        assert!(words > 100, "{words} words");
        assert_eq!(reads.count() as u64, words + 1, "{sink:?}");
    }
}

#[test]
fn a_plan_is_printed_as_text_json_and_script_and_explained() {
    let print = |more: &[&str]| good(&[&["target", "plan"], CORE_0, more].concat());
    let steps = plan(CORE_0).len();
    assert_eq!(print(&[]).lines().count(), steps);
    let explained = print(&["--explain"]);
    assert!(
        explained.contains("CLOCK: a component is accessed only after"),
        "{explained}"
    );
    let script = print(&["--format", "devmem"]);
    assert!(
        script.starts_with("#!/bin/sh\n") && script.contains("0xFE980304"),
        "{script}"
    );
}

#[test]
fn what_cannot_be_planned_is_refused_in_words() {
    let plan = |args: &[&str], words: &[&str]| {
        refused(&[&["target", "plan"], args].concat(), words);
    };
    plan(
        &["--topology", "none", "--cpu", "0"],
        &["none", "target list"],
    );
    plan(
        &["--topology", "zynqmp", "--cpu", "9"],
        &["zynqmp", "core 9"],
    );
    plan(
        &["--topology", "zynqmp", "--cpu", "4"],
        &["r5etm0", "ETMv3"],
    );
    plan(
        &["--topology", "zynqmp", "--cpu", "0", "--sink", "etr"],
        &["etr", "memory"],
    );
    let registers = "0xFE900000:0x100000";
    for sink in [["etr", "--memory"], ["core", "--ring"]] {
        plan(
            &[CORE_0, &["--sink", sink[0], sink[1], registers]].concat(),
            &["registers of the topology"],
        );
    }
    plan(
        &["--topology", "zynqmp", "--cpu", "0", "--sink", "x"],
        &["no component x"],
    );
    plan(
        &[
            "--topology",
            "host/target/presets/zynqmp.toml",
            "--cpu",
            "0",
            "--cc",
            "0",
        ],
        &["threshold"],
    );
}

#[test]
fn a_threshold_below_that_of_the_trace_unit_is_undone_and_named() {
    let chip = Chip::new();
    let ran = chip.run("start", "sim", &[CORE_0, &["--cc", "3"]].concat());
    assert_eq!(ran.code, 4, "{}", ran.stderr);
    let said = "etm0.TRCIDR3 is 0x0D7B0004: bits 0xFFF must be at most 0x3 (DECODE)";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    chip.good("start", "sim", &[CORE_0, &["--cc", "4"]].concat());
}

#[test]
fn a_chip_without_a_known_sink_is_refused_and_its_table_is_known() {
    let thunderx = ["--topology", "thunderx"];
    let ran = Chip::new().run("start", "sim", &[&thunderx[..], &["--cpu", "0"]].concat());
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("on-chip logic analyzer"),
        "{}",
        ran.stderr
    );
    assert!(
        ran.stderr.contains("no trace unit of core 0"),
        "{}",
        ran.stderr
    );
    let found = Chip::new().good("discover", "sim", &thunderx);
    assert_eq!(found, "87A000000000 B000 table        -\n");
}

/// A trace unit, and two buffers beside each other on the way to a port.
const TWO_WAYS: &str = r#"
name = "two ways"
status = "not run"
component = [
    { name = "etm0", kind = "etm4", base = 0x1000, cpu = 0, mark = "I" },
    { name = "replicator", kind = "replicator", base = 0x2000, mark = "I" },
    { name = "left", kind = "etf", base = 0x3000, mark = "I" },
    { name = "right", kind = "etf", base = 0x4000, mark = "I" },
    { name = "funnel", kind = "funnel", base = 0x5000, mark = "I" },
    { name = "tpiu", kind = "tpiu", base = 0x6000, mark = "I" },
]
link = [
    { from = "etm0:0", to = "replicator:0" },
    { from = "replicator:0", to = "left:0" },
    { from = "replicator:1", to = "right:0" },
    { from = "left:0", to = "funnel:0" },
    { from = "right:0", to = "funnel:1" },
    { from = "funnel:0", to = "tpiu:0" },
]
"#;

#[test]
fn of_several_ways_the_one_with_what_it_must_pass_is_planned() {
    let chip = Chip::new();
    let file = chip.path("ways.toml");
    fs::write(&file, TWO_WAYS).expect("written");
    let args = ["target", "plan", "--cpu", "0", "--topology"];
    let args = [&args[..], &[file.to_str().expect("text")]].concat();
    let refuse = |more: &[&str], words: &[&str]| refused(&[&args, more].concat(), words);
    refuse(&[], &["several paths", "left", "right", "--via"]);
    refuse(&["--via", "funnel"], &["several paths"]);
    refuse(&["--via", "left,right"], &["no path"]);
    refuse(&["--via", "middle"], &["no component middle"]);
    for (via, other) in [("left", "right"), ("right", "left")] {
        let steps = good(&[&args[..], &["--via", via]].concat());
        let has = |name: &str| steps.contains(&format!(" {name}.CTL"));
        assert!(has(via) && !has(other), "{steps}");
    }
}

#[test]
fn the_list_has_every_preset_and_condition() {
    let list = good(&["target", "list"]);
    for word in ["zynqmp", "juno", "not run", "clock-off=CLOCK", "killed@N"] {
        assert!(list.contains(word), "no {word} in {list}");
    }
}
