// SPDX-License-Identifier: MIT OR Apache-2.0
//! Texts that are almost a topology are read or refused, and what is read can be planned.

use coretrace_target::{Options, Plan, Topology, Wanted};
use proptest::prelude::*;

const PRESET: &str = include_str!("../presets/zynqmp.toml");

proptest! {
    #[test]
    fn a_changed_preset_is_read_and_planned_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..4),
    ) {
        // Words of the text take the places of others.
        let mut words: Vec<&str> = PRESET.split_inclusive([' ', '\n', ':', '"']).collect();
        for (to, from) in changes {
            let (to, from) = (to.index(words.len()), from.index(words.len()));
            words[to] = words[from];
        }
        if let Ok(topology) = Topology::parse(&words.concat()) {
            let is = |test: fn(&coretrace_target::topology::Component) -> bool| {
                let all = topology.components.iter().enumerate();
                all.filter(move |(_, c)| test(c)).map(|(index, _)| index).collect()
            };
            let wanted = Wanted { sources: is(|c| c.cpu == Some(0)), sinks: is(|c| c.name == "tpiu"), via: vec![] };
            if let Ok(plan) = Plan::start(&topology, &wanted, &Options::default()) {
                prop_assert!(plan.steps.len() > 50);
            }
        }
    }

    #[test]
    fn any_text_is_refused_without_a_panic(text in ".{0,200}") {
        prop_assert!(Topology::parse(&text).is_err());
    }
}
