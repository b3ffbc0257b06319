// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every byte that is sent is decoded.

use crate::session::{plan, run, zynqmp};
use coretrace_target::{Preset, Topology};
use coretrace_target_sim::World;

fn every_set_arrives(topology: &Topology, cpus: u32, sinks: &[&[&str]]) {
    for set in 1u32..1 << cpus {
        let cpus: Vec<u32> = (0..cpus).filter(|cpu| set >> cpu & 1 == 1).collect();
        for sinks in sinks {
            let plan = plan(topology, &cpus, sinks);
            let world = World::cold(topology);
            let before = world.at_rest();
            let mut verdict = run(topology, &plan, &plan.steps, world);
            assert_eq!(verdict.at_rest, before, "{cpus:?} {sinks:?}");
            verdict.running.clear();
            assert!(verdict.is_good(), "{cpus:?} {sinks:?}: {verdict:#?}");
        }
    }
}

#[test]
fn every_set_of_cores_reaches_every_set_of_sinks_of_a_zynqmp() {
    every_set_arrives(
        &zynqmp(),
        4,
        &[&["tpiu"], &["etr"], &["tpiu", "etr"], &["etf2"], &["etf1"]],
    );
}

#[test]
fn every_set_of_cores_reaches_every_sink_of_a_juno() {
    let juno = Preset::find("juno")
        .expect("a preset")
        .topology()
        .expect("a topology");
    every_set_arrives(&juno, 6, &[&["tpiu"], &["etr"], &["etf"]]);
}
