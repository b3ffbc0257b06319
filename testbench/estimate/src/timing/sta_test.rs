// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hand-made netlists whose delays can be added up by hand, and a second opinion.

use super::Sta;
use crate::netlist::cell::Netlist;
use crate::timing::delay::{DEFAULT, TIGHT};
use serde_json::{Map, Value, json};
use std::path::Path;
use std::process::Command;

/// Cells of a module, built one by one.
#[derive(Default)]
struct Module(Map<String, Value>);

impl Module {
    /// Adds a cell; `outputs` names its output ports, the bits are net numbers or constants.
    fn cell(&mut self, model: &str, outputs: &[&str], ports: &[(&str, Value)]) {
        let direction = |port: &str| {
            if outputs.contains(&port) {
                "output"
            } else {
                "input"
            }
        };
        let directions: Map<String, Value> = ports
            .iter()
            .map(|(port, _)| ((*port).to_owned(), json!(direction(port))))
            .collect();
        let connections: Map<String, Value> = ports
            .iter()
            .map(|(port, bits)| ((*port).to_owned(), bits.clone()))
            .collect();
        let cell = json!({
            "type": model, "parameters": {}, "attributes": {},
            "port_directions": directions, "connections": connections,
        });
        self.0.insert(format!("cell{}", self.0.len()), cell);
    }

    fn ff(&mut self, d: usize, q: usize) {
        self.cell(
            "FDRE",
            &["Q"],
            &[
                ("C", json!([1])),
                ("D", json!([d])),
                ("CE", json!(["1"])),
                ("R", json!(["0"])),
                ("Q", json!([q])),
            ],
        );
    }

    /// A shift register with a fixed length or, if there are any, address nets.
    fn srl(&mut self, d: usize, address: &[usize], q: usize) {
        let pins = ["A0", "A1", "A2", "A3"].iter().enumerate();
        let mut ports: Vec<(&str, Value)> = pins
            .map(|(pin, name)| {
                let net = address.get(pin);
                (*name, net.map_or(json!(["1"]), |net| json!([net])))
            })
            .collect();
        ports.extend([("CLK", json!([1])), ("CE", json!(["1"]))]);
        ports.extend([("D", json!([d])), ("Q", json!([q]))]);
        self.cell("SRL16E", &["Q"], &ports);
    }

    /// Two bits of a RAM in LUTs, written at `write` and read at `read`, the lowest address bits.
    fn ram(&mut self, data: usize, write: usize, read: usize, output: usize) {
        self.cell(
            "RAM32M16",
            &["DOA"],
            &[
                ("WCLK", json!([1])),
                ("WE", json!(["1"])),
                ("DIA", json!([data, "0"])),
                ("ADDRH", json!([write, "0", "0", "0", "0"])),
                ("ADDRA", json!([read, "0", "0", "0", "0"])),
                ("DOA", json!([output, output + 1])),
            ],
        );
    }

    fn lut(&mut self, inputs: &[usize], output: usize) {
        let names: Vec<String> = (0..inputs.len()).map(|pin| format!("I{pin}")).collect();
        let mut ports: Vec<(&str, Value)> = names
            .iter()
            .zip(inputs)
            .map(|(name, net)| (name.as_str(), json!([net])))
            .collect();
        ports.push(("O", json!([output])));
        self.cell(&format!("LUT{}", inputs.len()), &["O"], &ports);
    }

    fn json(&self) -> String {
        let module = json!({
            "attributes": { "top": "1" }, "ports": {}, "cells": self.0, "netnames": {},
        });
        json!({ "modules": { "top": module } }).to_string()
    }

    fn netlist(&self) -> Netlist {
        Netlist::parse(&self.json(), "top").unwrap()
    }
}

/// Checks the period of the longest path, given in ps.
#[track_caller]
fn assert_period(module: &Module, picoseconds: f64) {
    let netlist = module.netlist();
    let worst = Sta::new(&netlist, DEFAULT).unwrap().slowest().unwrap();
    let found = worst.period_ns * 1000.0;
    assert!((found - picoseconds).abs() < 0.01, "{found} {worst:?}");
}

/// A LUT2 whose pins are half-way between A6 (35 ps) and the mean of A6 to A2 (80 ps).
const LATE_PIN: f64 = 57.5;

#[test]
fn a_lut_between_two_flip_flops_adds_up() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    module.ff(3, 4);
    // Clock to Q, net, LUT, wire in the slice, setup, uncertainty.
    assert_period(&module, 79.0 + 152.0 + LATE_PIN + 50.0 - 25.0 + 100.0);
    let netlist = module.netlist();
    let period = Sta::new(&netlist, DEFAULT).unwrap().period_ns();
    assert_eq!(period, Some(1.29), "the clock buffer is slower");
}

#[test]
fn the_later_input_has_the_faster_pin() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    module.lut(&[2, 3], 4);
    module.ff(4, 5);
    let first_net = 152.0 + 63.0 * 2f64.ln();
    let luts = LATE_PIN + 152.0 + LATE_PIN;
    assert_period(&module, 79.0 + first_net + luts + 50.0 - 25.0 + 100.0);
}

#[test]
fn the_tight_corner_caps_the_fan_out() {
    let mut module = Module::default();
    module.ff(9, 2);
    for net in 10..110 {
        module.ff(2, net);
    }
    assert_period(&module, 79.0 + 152.0 + 63.0 * 100f64.ln() - 25.0 + 100.0);
    let netlist = module.netlist();
    let tight = Sta::new(&netlist, TIGHT).unwrap().slowest().unwrap();
    let by_hand = 79.0 + 0.85 * (152.0 + 63.0 * 16f64.ln()) - 25.0 + 100.0;
    assert!((tight.period_ns * 1000.0 - by_hand).abs() < 0.01);
}

#[test]
fn two_carry4_of_a_chain_are_one_carry8() {
    let mut module = Module::default();
    module.ff(99, 2);
    module.lut(&[2], 3);
    let zeros = json!(["0", "0", "0", "0"]);
    for (first, carry_in, select) in [
        (10, json!(["0"]), json!([3])),
        (20, json!([17]), json!(["0"])),
    ] {
        let select: Vec<Value> = (0..4)
            .map(|bit| {
                if bit == 0 {
                    select[0].clone()
                } else {
                    json!("0")
                }
            })
            .collect();
        let sums: Vec<usize> = (first..first + 4).collect();
        let carries: Vec<usize> = (first + 4..first + 8).collect();
        module.cell(
            "CARRY4",
            &["O", "CO"],
            &[
                ("S", json!(select)),
                ("DI", zeros.clone()),
                ("CI", carry_in),
                ("CYINIT", json!(["0"])),
                ("O", json!(sums)),
                ("CO", json!(carries)),
            ],
        );
    }
    // The last carry out: it would be later with a carry of its own for the upper half.
    module.ff(27, 30);
    let into_chain = 79.0 + 152.0 + LATE_PIN + 15.0;
    assert_period(&module, into_chain + 199.0 + 25.0 - 25.0 + 100.0);
}

#[test]
fn a_wide_multiplexer_is_entered_without_leaving_the_slice() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    let ports = [
        ("I0", json!([3])),
        ("I1", json!(["0"])),
        ("S", json!(["0"])),
        ("O", json!([4])),
    ];
    module.cell("MUXF7", &["O"], &ports);
    module.ff(4, 5);
    let in_slice = 25.0 + 70.0 + 25.0;
    assert_period(&module, 79.0 + 152.0 + LATE_PIN + in_slice - 25.0 + 100.0);
}

#[test]
fn an_end_at_a_reset_counts_one_more_lut() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    module.cell(
        "FDRE",
        &["Q"],
        &[("D", json!(["0"])), ("R", json!([3])), ("Q", json!([4]))],
    );
    let netlist = module.netlist();
    assert_eq!(Sta::new(&netlist, DEFAULT).unwrap().lut_depth(), 2);
}

#[test]
fn a_loop_is_timed_without_the_paths_that_enter_and_leave_it() {
    let mut module = Module::default();
    // A long way in: 2 over three LUTs to 6, which is an input of the loop of 7 and 8.
    module.ff(99, 2);
    module.lut(&[2], 3);
    module.lut(&[3], 4);
    module.lut(&[4], 6);
    module.lut(&[6, 8], 9);
    module.ff(9, 7);
    module.ff(7, 8);
    let netlist = module.netlist();
    let loops = Sta::new(&netlist, DEFAULT).unwrap().loops();
    assert_eq!(loops.len(), 1);
    assert_eq!((loops[0].bits, loops[0].deepest.levels), (2, 1));
    // The input from the loop is early: half-way between A5 (50 ps) and the mean.
    let by_hand = 79.0 + 152.0 + 65.0 + 50.0 - 25.0 + 100.0;
    assert!(
        (loops[0].slowest.period_ns * 1000.0 - by_hand).abs() < 0.01,
        "{loops:?}"
    );
}

#[test]
fn a_shift_register_is_slow_to_read_and_ends_a_path() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.srl(2, &[], 3);
    module.ff(3, 4);
    assert_period(&module, 408.0 + 152.0 - 25.0 + 100.0);
    let mut into = Module::default();
    into.ff(9, 2);
    into.lut(&[2], 3);
    into.srl(3, &[], 4);
    assert_period(&into, 79.0 + 152.0 + LATE_PIN + 152.0 + 75.0 + 100.0);
}

#[test]
fn an_address_goes_through_a_shift_register_like_a_lut() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    module.lut(&[3], 4);
    module.srl(99, &[4], 5);
    module.ff(5, 6);
    let luts = 152.0 + LATE_PIN + 152.0 + LATE_PIN;
    assert_period(&module, 79.0 + luts + 152.0 + 120.0 + 152.0 - 25.0 + 100.0);
    let netlist = module.netlist();
    let deepest = Sta::new(&netlist, DEFAULT).unwrap().deepest().unwrap();
    assert_eq!(deepest.levels, 3);
    assert_eq!(deepest.cells(), "FDRE > LUT1 > LUT1 > SRL16E > FDRE D");
}

#[test]
fn a_ram_in_luts_is_read_within_the_cycle_and_written_at_its_end() {
    let mut module = Module::default();
    module.ff(9, 2);
    module.lut(&[2], 3);
    module.lut(&[3], 4);
    module.ram(98, 99, 4, 5);
    module.ff(5, 7);
    let luts = 152.0 + LATE_PIN + 152.0 + LATE_PIN;
    assert_period(&module, 79.0 + luts + 152.0 + 120.0 + 50.0 - 25.0 + 100.0);
    let mut write = Module::default();
    write.ff(9, 2);
    write.ram(98, 2, 99, 5);
    assert_period(&write, 79.0 + 152.0 + 117.0 + 100.0);
}

#[test]
fn a_chain_of_registers_is_no_loop_unless_its_end_leads_to_its_start() {
    let mut chain = Module::default();
    chain.ff(9, 2);
    chain.srl(2, &[], 3);
    chain.ff(3, 4);
    let netlist = chain.netlist();
    assert_eq!(Sta::new(&netlist, DEFAULT).unwrap().loops().len(), 0);
    chain.lut(&[4], 9);
    let netlist = chain.netlist();
    let loops = Sta::new(&netlist, DEFAULT).unwrap().loops();
    assert_eq!(loops.len(), 1);
    assert_eq!((loops[0].bits, loops[0].deepest.levels), (3, 1));
}

#[test]
fn the_deepest_path_is_not_always_the_slowest() {
    let mut module = Module::default();
    // One LUT behind a net with a hundred loads, or two LUTs with one load each.
    module.ff(9, 2);
    for net in 100..200 {
        module.lut(&[2], net);
        module.ff(net, net + 100);
    }
    module.ff(9, 3);
    module.lut(&[3], 4);
    module.lut(&[4], 5);
    module.ff(5, 6);
    let netlist = module.netlist();
    let sta = Sta::new(&netlist, DEFAULT).unwrap();
    let (slowest, deepest) = (sta.slowest().unwrap(), sta.deepest().unwrap());
    assert_eq!((slowest.levels, deepest.levels), (1, 2));
    assert!(slowest.period_ns > deepest.period_ns);
}

#[test]
fn a_register_has_its_name_from_before_mapping() {
    let mut module = Module::default();
    module.ff(2, 2);
    let named = |names: Value| {
        let mut document: Value = serde_json::from_str(&module.json()).unwrap();
        document["modules"]["top"]["netnames"] = names;
        document.to_string()
    };
    let mapped = named(json!({ "stage.n7": { "bits": [2] } }));
    let before = named(json!({
        "stage.n7": { "bits": [40] }, "state.q": { "bits": [30, 40] }, "other": { "bits": [2] },
    }));
    let mut netlist = Netlist::parse(&mapped, "top").unwrap();
    netlist.name_by(&before, "top").unwrap();
    let loops = Sta::new(&netlist, DEFAULT).unwrap().loops();
    assert_eq!(loops[0].registers, ["state"]);
    assert_eq!(
        (
            loops[0].slowest.start.as_str(),
            loops[0].slowest.end.as_str()
        ),
        ("state", "state")
    );
}

#[test]
fn a_netlist_that_cannot_be_timed_is_an_error() {
    let mut unknown = Module::default();
    unknown.cell("DSP48E2", &["P"], &[("A", json!([2])), ("P", json!([3]))]);
    let error = Netlist::parse(&unknown.json(), "top").unwrap_err();
    assert!(error.to_string().contains("DSP48E2"));
    let mut ring = Module::default();
    ring.lut(&[3], 2);
    ring.lut(&[2], 3);
    assert!(Sta::new(&ring.netlist(), DEFAULT).is_err());
    assert!(Netlist::parse("{}", "top").is_err());
    assert!(Netlist::parse(&ring.json(), "other").is_err());
}

/// Layers of LUTs, multiplexers, shift registers and RAMs with random inputs between two rows of
/// flip-flops.
fn random_module(mut seed: u64) -> Module {
    let mut below = |limit: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        (seed % limit as u64) as usize
    };
    let mut module = Module::default();
    let mut nets: Vec<usize> = (2..34).collect();
    for _ in 0..300 {
        let recent = nets.len().saturating_sub(40);
        let mut inputs: Vec<usize> = (0..1 + below(6))
            .map(|_| nets[recent + below(nets.len() - recent)])
            .collect();
        inputs.sort_unstable();
        inputs.dedup();
        let output = nets.len() + 2;
        if below(20) == 0 && inputs.len() > 1 {
            module.srl(inputs[0], &inputs[1..2], output);
        } else if below(20) == 0 && inputs.len() > 2 {
            module.ram(inputs[0], inputs[1], inputs[2], output);
            // The second bit of the RAM.
            nets.push(output);
            nets.push(output + 1);
            continue;
        } else if below(5) == 0 && inputs.len() > 2 {
            let pin = |at: usize| json!([inputs[at]]);
            let ports = [
                ("I0", pin(0)),
                ("I1", pin(1)),
                ("S", pin(2)),
                ("O", json!([output])),
            ];
            module.cell("MUXF7", &["O"], &ports);
        } else {
            module.lut(&inputs, output);
        }
        nets.push(output);
    }
    for q in 2..34 {
        module.ff(nets[nets.len() - 1 - below(40)], q);
    }
    module
}

/// Without carry chains: the other estimate has a figure for each bit of a chain, this one three.
#[test]
fn periods_without_carries_agree_with_an_independent_estimate() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let script = shared.join("tools/usp_sta.py");
    if !script.is_file() {
        assert!(
            std::env::var("CI").as_deref() != Ok("true"),
            "no {}",
            script.display()
        );
        println!("SKIPPED: the folder shared beside the repository is absent");
        return;
    }
    if Command::new("python3").arg("--version").output().is_err() {
        let required = std::env::var("ETM4_REQUIRE_TOOLS").as_deref() == Ok("1");
        assert!(
            !required,
            "python3 not found, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
        println!("SKIPPED: python3 not found");
        return;
    }
    let directory =
        std::env::temp_dir().join(format!("coretrace-test-estimate-{}", std::process::id()));
    std::fs::create_dir_all(&directory).unwrap();
    let (input, output) = (directory.join("top.json"), directory.join("sta.json"));
    for seed in 1..=10_u64 {
        println!("seed {seed}");
        let text = random_module(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15)).json();
        std::fs::write(&input, &text).unwrap();
        // The exit code is its verdict, not whether it worked: read the report.
        let mut run = Command::new("python3");
        run.arg(&script).arg(&input).arg("--report").arg(&output);
        run.output().unwrap();
        let theirs: Value =
            serde_json::from_str(&std::fs::read_to_string(&output).unwrap()).unwrap();
        std::fs::remove_file(&output).unwrap();
        let netlist = Netlist::parse(&text, "top").unwrap();
        for (corner, name) in [(DEFAULT, "default"), (TIGHT, "tight")] {
            let ours = Sta::new(&netlist, corner).unwrap().period_ns().unwrap();
            let other = theirs[name]["period_ns"].as_f64().unwrap();
            assert!(
                (ours / other - 1.0).abs() < 0.01,
                "seed {seed}, {name}: {ours} {other}"
            );
        }
    }
    std::fs::remove_dir_all(&directory).unwrap();
}
