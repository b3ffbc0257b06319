// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which nodes are components, and the ends of their links.

use coretrace_coresight::map::ComponentKind::{
    Cti, Etb, Etf, Etm3, Etm4, Etr, Funnel, Replicator, Stm, Tpiu,
};
use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind, Mark};
use dtoolkit::fdt::FdtNode;
use dtoolkit::{Node, Property};

use super::buses::Buses;
use crate::topology::{Component, Index};

/// The kinds by what a node is compatible with. A TMC is an ETF if it passes trace on.
const KINDS: [(&str, ComponentKind); 8] = [
    ("arm,coresight-etm4x", Etm4),
    ("arm,coresight-etm3x", Etm3),
    ("arm,coresight-stm", Stm),
    ("arm,coresight-dynamic-funnel", Funnel),
    ("arm,coresight-dynamic-replicator", Replicator),
    ("arm,coresight-tmc", Etf),
    ("arm,coresight-tpiu", Tpiu),
    ("arm,coresight-cti", Cti),
];

/// Links without registers, which a topology does not have.
const STATIC: [&str; 2] = [
    "arm,coresight-static-funnel",
    "arm,coresight-static-replicator",
];

/// An end of a link.
#[derive(Clone, Copy, Debug)]
pub struct End {
    /// The component and the port.
    pub place: (Index, usize),
    /// Trace leaves the component here.
    pub is_output: bool,
    /// How the other end names this one.
    pub phandle: Option<u32>,
    /// How this one names the other end.
    pub remote: Option<u32>,
}

/// A property that is a number.
pub fn number(node: &FdtNode<'_>, name: &str) -> Option<u32> {
    node.property(name)?.value_as::<u32>().ok()
}

/// The component that a node is; `None` if it is something else.
///
/// # Errors
/// If it is one that a topology cannot have, in a sentence.
pub fn component(
    node: &FdtNode<'_>,
    buses: &Buses,
    cpus: &[u32],
) -> Result<Option<Component>, String> {
    let is = |name: &str| {
        node.compatible()
            .is_some_and(|mut names| names.any(|of| of == name))
    };
    if let Some(name) = STATIC.iter().find(|name| is(name)) {
        return Err(format!(
            "{}: {name} has no registers: it is not supported",
            node.name()
        ));
    }
    let Some((_, kind)) = KINDS.iter().find(|(name, _)| is(name)) else {
        return Ok(None);
    };
    let kind = if *kind == Etf { memory(node) } else { *kind };
    let base = buses.base(node);
    let base = base.ok_or_else(|| format!("{}: it has no address", node.name()))?;
    if !base.is_multiple_of(COMPONENT_BYTES) || base >> 48 != 0 {
        return Err(format!(
            "{}: its base is not that of a page of 4 KiB below 2^48",
            node.name()
        ));
    }
    let cpu = number(node, "cpu").filter(|_| kind.is_source());
    let cpu = cpu.and_then(|cpu| cpus.iter().position(|of| *of == cpu));
    let name = node.name_without_address();
    Ok(Some(Component {
        name: match cpu {
            Some(cpu) => format!("{name}{cpu}"),
            None => name.replace(',', "_"),
        },
        kind,
        base,
        clocks: Vec::new(),
        cpu: cpu.map(|cpu| cpu as u32),
        mark: Mark::S,
    }))
}

/// Which TMC it is: an ETF passes trace on, and an ETB is known by its name alone.
fn memory(node: &FdtNode<'_>) -> ComponentKind {
    let name = node.name_without_address();
    match node.child("out-ports") {
        Some(_) => Etf,
        None if name.starts_with("etf") => Etf,
        None if name.starts_with("etb") => Etb,
        None => Etr,
    }
}

/// The ends of links at a node, which is the component with an index.
pub fn ends(node: &FdtNode<'_>, index: Index) -> Vec<End> {
    let mut ends = Vec::new();
    for (side, is_output) in [("in-ports", false), ("out-ports", true)] {
        let ports = node
            .child(side)
            .into_iter()
            .flat_map(|side| side.children());
        for port in ports.filter(|port| port.name_without_address() == "port") {
            let port_number = number(&port, "reg").unwrap_or(0) as usize;
            ends.extend(port.child("endpoint").map(|end| End {
                place: (index, port_number),
                is_output,
                phandle: number(&end, "phandle"),
                remote: number(&end, "remote-endpoint"),
            }));
        }
    }
    ends
}
