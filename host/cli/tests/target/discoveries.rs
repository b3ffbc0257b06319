// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the simulated chip has by its ROM table is joined to what its topology says.

use std::fs;

use coretrace_coresight::map::Mark;
use coretrace_target::{Preset, Topology};

use crate::chip::Chip;
use crate::common::good;

const ZYNQMP: &[&str] = &["--topology", "zynqmp"];

#[test]
fn every_component_of_the_topology_is_found_as_what_it_is() {
    let chip = Chip::new();
    let text = chip.good("discover", "sim", ZYNQMP);
    assert!(!text.contains("is to be a"), "{text}");
    for line in [
        "table",
        "B912 tpiu         tpiu locked",
        "B961 etr          etr locked",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let toml = chip.good("discover", "sim", &[ZYNQMP, &["--format", "toml"]].concat());
    let components = toml.matches("[[component]]").count();
    assert_eq!(text.lines().count(), components + 1);
    assert_eq!(graph(&toml), graph(preset()));
    let json = chip.good("discover", "sim", &[ZYNQMP, &["--format", "json"]].concat());
    assert_eq!(json.lines().count(), 2 * components + 1);
    assert_eq!(json.matches("\"place\":\"same\"").count(), components);
    assert!(!chip.events().iter().any(|event| event.starts_with('W')));
}

fn preset() -> &'static str {
    Preset::find("zynqmp").expect("a preset").source
}

/// What a topology has besides addresses, their marks, and its status.
fn graph(text: &str) -> Topology {
    let mut topology = Topology::parse(text).expect("a topology");
    topology.status.clear();
    for component in &mut topology.components {
        (component.base, component.mark) = (0, Mark::M);
    }
    topology
}

#[test]
fn what_is_not_as_the_topology_says_is_named_and_the_status_is_1() {
    let chip = Chip::new();
    let bus = "sim:claimed=etf1,elsewhere=funnel1,clock-off=trace";
    let ran = chip.run("discover", bus, ZYNQMP);
    for line in [
        "etf1 locked claims=1 (an external debugger)",
        "funnel1 is to be a funnel: nothing",
        "00FE980000 0000 CRF_APB.DBG_TRACE_CTRL is off tpiu\n",
    ] {
        assert!(ran.stdout.contains(line), "no {line} in {}", ran.stdout);
    }
    assert_eq!(
        ran.stdout.matches("is to be a").count(),
        1,
        "{}",
        ran.stdout
    );
    let said = "error: 1 of 16 components are not as zynqmp has them";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(ran.code, 1);
    let wrong = Chip::new().run(
        "discover",
        "sim",
        &[ZYNQMP, &["--rom", "0xFE000000"]].concat(),
    );
    assert!(
        wrong.stdout.starts_with("00FE000000 0000 nothing"),
        "{}",
        wrong.stdout
    );
    let said = "error: no ROM table is at 0xFE000000";
    assert!(wrong.stderr.contains(said), "{}", wrong.stderr);
    assert_eq!(wrong.code, 1);
}

#[test]
fn a_clock_that_is_off_is_named_and_no_difference() {
    let chip = Chip::new();
    let text = chip.good("discover", "sim:clock-off=trace", ZYNQMP);
    assert!(
        text.contains(" CRF_APB.DBG_TRACE_CTRL is off tpiu"),
        "{text}"
    );
    let ran = chip.run("discover", "sim:clock-off=debug", ZYNQMP);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    assert!(
        ran.stderr
            .contains("error: CRF_APB.DBG_FPD_CTRL is off\n  boot"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_component_that_moved_is_joined_and_planned_where_it_is() {
    let chip = Chip::new();
    let args = [ZYNQMP, &["--format", "toml"]].concat();
    let ran = chip.run("discover", "sim:moved=etf1@99", &args);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert_eq!(graph(&ran.stdout), graph(preset()));
    let found = chip.path("found.toml");
    fs::write(&found, &ran.stdout).expect("written");
    let found = found.to_str().expect("text");
    let steps = |topology: &str| good(&["target", "plan", "--topology", topology, "--cpu", "0"]);
    let moved = steps(found).replace("00FE9A3", "00FE940");
    assert_eq!(moved, steps("zynqmp"));
    let script = ["--topology", found, "--cpu", "0", "--format", "devmem"];
    let script = good(&[&["target", "plan"], &script[..]].concat());
    assert!(
        script.contains("0xFE9A3028") && !script.contains("0xFE940028"),
        "{script}"
    );
    let text = chip.run("discover", "sim", ZYNQMP).stdout;
    for line in [
        "00FE9A3000 B961 etf          etf1 locked\n",
        "00FE940000 0000 nothing      - (no table has it)\n",
        "00FE940000 etf1 is to be a etf: it is at 00FE9A3000\n",
    ] {
        assert!(text.contains(line), "no {line} in {text}");
    }
    let json = chip.run("discover", "sim", &[ZYNQMP, &["--format", "json"]].concat());
    assert!(
        json.stdout.contains("\"found\":4271517696,") && json.stdout.contains("\"moved\""),
        "{}",
        json.stdout
    );
}
