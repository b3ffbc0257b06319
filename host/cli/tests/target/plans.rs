// SPDX-License-Identifier: MIT OR Apache-2.0
//! A start makes the accesses that its plan prints, and no other.

use crate::chip::{CORE_0, Chip, follow, plan};
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
        ],
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
            "1",
        ],
        &["threshold"],
    );
}

#[test]
fn the_list_has_every_preset_and_condition() {
    let list = good(&["target", "list"]);
    for word in ["zynqmp", "juno", "not run", "clock-off=CLOCK", "killed@N"] {
        assert!(list.contains(word), "no {word} in {list}");
    }
}
