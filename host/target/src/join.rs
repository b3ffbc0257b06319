// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which component of a topology is which of those that were found on a chip, and the topology of that chip.
//!
//! What is at its address as what it is to be is itself. The others are joined by their kind, which the part
//! number of PIDR gives: if as many of a kind are left in the topology as on the chip, they are the same ones,
//! in the order of their addresses. Otherwise nobody knows which is which, and none is joined.

use std::collections::BTreeSet;

use coretrace_coresight::map::{ComponentKind, Mark};

use crate::discover::{Found, What};
use crate::topology::{Component, Index, Link, Receiver, Topology};

/// Where a component of a topology is on a chip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// At its address.
    Same,
    /// At this address.
    Moved(u64),
    /// Something else is at its address.
    Other(What),
    /// It was not read, because this clock is off.
    Off(Index),
}

/// The place of each component of a topology.
pub fn join(topology: &Topology, found: &[Found]) -> Vec<Place> {
    let mut places: Vec<Place> = topology
        .components
        .iter()
        .map(|component| {
            let at = found.iter().find(|found| found.base == component.base);
            match at.map_or(What::Unread, |found| found.what) {
                What::Kind(kind) if kind == component.kind => Place::Same,
                What::Off(clock) => Place::Off(clock),
                what => Place::Other(what),
            }
        })
        .collect();
    for kind in ComponentKind::ALL {
        let (wanted, free) = left(topology, found, &places, kind);
        if wanted.len() == free.len() {
            for ((_, component), base) in wanted.into_iter().zip(free) {
                places[component] = Place::Moved(base);
            }
        }
    }
    places
}

/// The components of a kind that are not at their addresses, by address, and the addresses of those on the chip
/// that the topology has nothing for.
fn left(
    topology: &Topology,
    found: &[Found],
    places: &[Place],
    kind: ComponentKind,
) -> (BTreeSet<(u64, Index)>, BTreeSet<u64>) {
    let components = topology.components.iter().enumerate();
    let wanted = components
        .filter(|(index, of)| of.kind == kind && matches!(places[*index], Place::Other(_)))
        .map(|(index, of)| (of.base, index));
    let is_joined = |base: u64| joined(topology, places, base).is_some();
    let free = found
        .iter()
        .filter(|of| of.what == What::Kind(kind) && !is_joined(of.base))
        .map(|of| of.base);
    (wanted.collect(), free.collect())
}

/// The component of a topology that is at an address of the chip.
pub fn joined(topology: &Topology, places: &[Place], base: u64) -> Option<Index> {
    (0..places.len()).find(|&index| at(topology, places, index) == Some(base))
}

/// The address of a component on the chip.
fn at(topology: &Topology, places: &[Place], component: Index) -> Option<u64> {
    match places[component] {
        Place::Same | Place::Off(_) => Some(topology.components[component].base),
        Place::Moved(base) => Some(base),
        Place::Other(_) => None,
    }
}

/// The topology of a chip: what is joined, with the links, clocks and cores of the topology that it is joined to,
/// and then what that does not have, without.
pub fn as_found(topology: &Topology, table: u64, found: &[Found], places: &[Place]) -> Topology {
    let mut components = Vec::new();
    let mut new = vec![None; places.len()];
    for (index, component) in topology.components.iter().enumerate() {
        if let Some(base) = at(topology, places, index) {
            new[index] = Some(components.len());
            let is_read = !matches!(places[index], Place::Off(_));
            let mark = if is_read { Mark::M } else { component.mark };
            components.push(Component {
                base,
                mark,
                ..component.clone()
            });
        }
    }
    for (number, of) in found.iter().enumerate() {
        if let What::Kind(kind) = of.what
            && joined(topology, places, of.base).is_none()
        {
            components.push(Component {
                name: format!("{}_{number}", kind.name()),
                kind,
                base: of.base,
                clocks: Vec::new(),
                cpu: None,
                mark: Mark::M,
            });
        }
    }
    let link = |link: &Link| {
        let end = |(component, port): (Index, usize)| Some((new[component]?, port));
        Some(Link {
            from: end(link.from)?,
            to: end(link.to)?,
        })
    };
    let receiver = |of: &Receiver| {
        let port = new[of.port]?;
        Some(Receiver { port, ..of.clone() })
    };
    Topology {
        name: topology.name.clone(),
        status: format!(
            "not run; components by ROM tables, links and clocks of {}",
            topology.name
        ),
        rom: Some(table),
        components,
        links: topology.links.iter().filter_map(link).collect(),
        clocks: topology.clocks.clone(),
        receivers: topology.receivers.iter().filter_map(receiver).collect(),
    }
}
