// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must hold in a topology.

use std::collections::{BTreeMap, BTreeSet};

use coretrace_coresight::map::COMPONENT_BYTES;

use super::{Index, Topology};

/// The most components that a topology may have.
const MOST_COMPONENTS: usize = 256;

/// Checks that names and bases are unique, ports exist, an input has one driver, no trace goes in a circle,
/// every source reaches a sink, and cores are behind trace ports.
///
/// # Errors
/// The first thing that is wrong, in a sentence.
pub fn check(topology: &Topology) -> Result<(), String> {
    let components = &topology.components;
    if components.len() > MOST_COMPONENTS {
        return Err(format!("there are more than {MOST_COMPONENTS} components"));
    }
    unique("name", components.iter().map(|c| c.name.clone()))?;
    unique("base", components.iter().map(|c| format!("{:#X}", c.base)))?;
    unique("clock", topology.clocks.iter().map(|c| c.name.clone()))?;
    let cpus = components.iter().filter_map(|c| c.cpu);
    unique("cpu", cpus.map(|cpu| cpu.to_string()))?;
    for link in &topology.links {
        let (from, to) = (&components[link.from.0], &components[link.to.0]);
        if link.from.1 >= from.kind.ports().1 {
            return Err(format!("{} has no output {}", from.name, link.from.1));
        }
        if link.to.1 >= to.kind.ports().0 {
            return Err(format!("{} has no input {}", to.name, link.to.1));
        }
    }
    let end = |(index, port): (Index, usize)| format!("{}:{port}", components[index].name);
    unique(
        "driver of input",
        topology.links.iter().map(|link| end(link.to)),
    )?;
    unique(
        "link from output",
        topology.links.iter().map(|link| end(link.from)),
    )?;
    if topology
        .rom
        .is_some_and(|base| !base.is_multiple_of(COMPONENT_BYTES))
    {
        return Err("rom is not the address of a page of 4 KiB".to_owned());
    }
    let receivers = &topology.receivers;
    unique("name", receivers.iter().map(|r| r.name.clone()))?;
    unique(
        "base",
        receivers
            .iter()
            .flat_map(|r| [r.registers, r.dma])
            .map(|base| format!("{base:#X}")),
    )?;
    receivers
        .iter()
        .try_for_each(|receiver| receiver.check(components))?;
    circle(topology)?;
    for (index, source) in components.iter().enumerate() {
        if source.kind.is_source() && !reaches_sink(topology, index) {
            return Err(format!("{} reaches no sink", source.name));
        }
    }
    Ok(())
}

fn unique(what: &str, names: impl Iterator<Item = String>) -> Result<(), String> {
    let mut seen = BTreeSet::new();
    for name in names {
        if !seen.insert(name.clone()) {
            return Err(format!("there is more than one {what} {name}"));
        }
    }
    Ok(())
}

/// Takes away components that nothing feeds until none is left; what cannot be taken away is a circle.
fn circle(topology: &Topology) -> Result<(), String> {
    let mut inputs: BTreeMap<Index, usize> = BTreeMap::new();
    for link in &topology.links {
        *inputs.entry(link.to.0).or_default() += 1;
    }
    let mut free: Vec<Index> = (0..topology.components.len())
        .filter(|index| !inputs.contains_key(index))
        .collect();
    while let Some(index) = free.pop() {
        for link in topology.outputs(index) {
            if let Some(count) = inputs.get_mut(&link.to.0) {
                *count -= 1;
                if *count == 0 {
                    inputs.remove(&link.to.0);
                    free.push(link.to.0);
                }
            }
        }
    }
    match inputs.keys().next() {
        Some(&index) => Err(format!(
            "trace goes in a circle through {}",
            topology.components[index].name
        )),
        None => Ok(()),
    }
}

/// Whether a sink is below a component; links are known to have no circle.
fn reaches_sink(topology: &Topology, from: Index) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(index) = open.pop() {
        if topology.components[index].kind.is_sink() {
            return true;
        }
        let next = topology.outputs(index).map(|link| link.to.0);
        open.extend(next.filter(|next| seen.insert(*next)));
    }
    false
}
