// SPDX-License-Identifier: MIT OR Apache-2.0
//! Readers of what says how a chip is built, and what was set up on it.

pub mod seeds;

use coretrace_coresight::map::ComponentKind;
use coretrace_target::{Journal, Options, Plan, Preset, Topology, Wanted, undo_steps};

/// The chip of [`journal`].
const CHIP: &str = "zynqmp";

fn chip() -> Topology {
    let preset = Preset::find(CHIP).expect("a preset");
    preset.topology().expect("a topology")
}

/// The plan that traces the first core into the first sink that needs no memory, if there is one.
fn plan(topology: &Topology) -> Option<Plan> {
    let first = |is: fn(ComponentKind) -> bool| {
        let place = topology.components.iter().position(|of| is(of.kind));
        place.into_iter().collect()
    };
    let wanted = Wanted {
        sources: first(|kind| kind == ComponentKind::Etm4),
        sinks: first(|kind| kind.is_sink() && kind != ComponentKind::Etr),
        via: vec![],
    };
    Plan::start(topology, &wanted, &Options::default()).ok()
}

/// What was read is read again as it is written, and can be planned or is refused.
fn check(topology: &Topology) {
    let again = Topology::parse(&topology.toml());
    assert_eq!(again.as_ref(), Ok(topology));
    if let Some(plan) = plan(topology) {
        assert!(!plan.steps.is_empty());
    }
}

/// The description of a chip.
pub fn topology(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    if let Ok(topology) = Topology::parse(text) {
        check(&topology);
    }
}

/// The device tree of a chip.
pub fn device_tree(data: &[u8]) {
    if let Ok(topology) = Topology::of_device_tree("chip", data) {
        check(&topology);
    }
}

/// The journal of a session: what it says can be undone.
pub fn journal(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let topology = chip();
    if let Ok(journal) = Journal::read(&topology, text) {
        let steps = undo_steps(&topology, &journal);
        assert!(journal.has_written() || steps.is_empty());
    }
}
