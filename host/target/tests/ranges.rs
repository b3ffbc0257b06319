// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session may access is what its topology names, and no other address.

use std::collections::BTreeSet;
use std::ops::Range;

use coretrace_target::plan::Action;
use coretrace_target::ring::Ring;
use coretrace_target::{Options, PRESETS, Plan, Preset, Wanted};

/// The numbers with a name in each table of an array.
fn numbers<'a>(
    preset: &'a toml::Table,
    array: &str,
    name: &'a str,
) -> impl Iterator<Item = u64> + 'a {
    let tables = preset.get(array).and_then(toml::Value::as_array);
    let tables = tables.into_iter().flatten();
    tables.map(move |table| table[name].as_integer().expect(name) as u64)
}

#[test]
fn the_ranges_of_a_preset_are_what_it_names_and_nothing_else() {
    for preset in PRESETS {
        let text: toml::Table = preset.source.parse().expect("a preset");
        let rom = text.get("rom").and_then(toml::Value::as_integer);
        let pages = numbers(&text, "component", "base")
            .chain(numbers(&text, "receiver", "registers"))
            .chain(rom.map(|base| base as u64));
        let named: BTreeSet<(u64, u64)> = pages
            .map(|base| (base, 0x1000))
            .chain(numbers(&text, "receiver", "dma").map(|base| (base, 0x1_0000)))
            .chain(numbers(&text, "clock", "address").map(|address| (address, 4)))
            .collect();
        let topology = preset.topology().expect("a topology");
        let found = topology.ranges().into_iter();
        let found: BTreeSet<(u64, u64)> = found
            .map(|Range { start, end }| (start, end - start))
            .collect();
        assert_eq!(found, named, "{}", preset.name);
    }
}

#[test]
fn every_access_of_a_session_is_within_the_ranges() {
    let topology = Preset::find("zynqmp").expect("a preset").topology();
    let topology = topology.expect("a topology");
    let ring = Ring::new(0x7000_0000, 0x2_0000).expect("a ring");
    let sink = |name: &str| topology.find(name).expect("a sink");
    for (sinks, has_core) in [
        (vec![sink("tpiu")], true),
        (vec![sink("tpiu"), sink("etr")], false),
        (vec![sink("etf2")], false),
    ] {
        let wanted = Wanted {
            sources: vec![topology.trace_unit(0).expect("a core")],
            sinks,
            via: vec![],
        };
        let core = topology.receiver("core").filter(|_| has_core);
        let options = Options {
            timestamps: true,
            enable_clocks: true,
            memory: Some((0x6B30_0000, 0x10_0000)),
            receiver: core.map(|core| (core, ring)),
            ..Options::default()
        };
        let plan = Plan::start(&topology, &wanted, &options).expect("a plan");
        let ranges = topology.ranges();
        for step in plan.steps.iter().chain(&plan.read_out(&topology)) {
            let other = match step.action {
                Action::Copy { from } => from,
                Action::Drain { size } => size,
                _ => step.address,
            };
            for address in [step.address, other] {
                let mut within = ranges.iter();
                assert!(
                    within.any(|range| range.contains(&address)),
                    "{}",
                    step.place
                );
            }
        }
    }
}
