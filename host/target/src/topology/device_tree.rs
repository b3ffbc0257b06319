// SPDX-License-Identifier: MIT OR Apache-2.0
//! A flattened device tree of Linux as a topology: its CoreSight nodes, their ports and endpoints.
//!
//! A device tree names clocks by numbers of a driver, not by registers, so the topology has none.
//!
//! | module | what it holds |
//! |---|---|
//! | `buses` | addresses of a node as those of the processor |
//! | `nodes` | which nodes are components, and the ends of their links |
//!
//! Source: Linux, `Documentation/devicetree/bindings/arm/arm,coresight-*.yaml`; Devicetree Specification 0.4.

mod buses;
mod nodes;

use std::collections::BTreeMap;

use dtoolkit::Node;
use dtoolkit::fdt::{Fdt, FdtNode};

use self::buses::Buses;
use self::nodes::{End, component, ends, number};
use super::check::check;
use super::load::TopologyError;
use super::{Component, Link, Topology};

/// Nodes within nodes, at most.
const DEEPEST: usize = 16;

impl Topology {
    /// Reads a flattened device tree. Nodes that are disabled are components as well, because that keeps only
    /// the drivers of Linux away from them.
    ///
    /// # Errors
    /// If it is no device tree, has no CoreSight components, or these do not fit together.
    pub fn of_device_tree(name: &str, blob: &[u8]) -> Result<Topology, TopologyError> {
        let tree = Fdt::new(blob).map_err(|error| TopologyError(error.to_string()))?;
        let mut found = Found {
            cpus: cpus(tree),
            components: Vec::new(),
            ends: Vec::new(),
        };
        let walked = found.walk(tree.root(), &Buses::default(), 0);
        walked.map_err(TopologyError)?;
        if found.components.is_empty() {
            let text = "it has no CoreSight components with registers".to_owned();
            return Err(TopologyError(text));
        }
        let topology = Topology {
            name: name.to_owned(),
            status: "not run; of a device tree, without clocks, cores and ROM table".to_owned(),
            rom: None,
            links: links(&found.ends),
            components: named(found.components),
            clocks: Vec::new(),
            receivers: Vec::new(),
        };
        check(&topology).map_err(TopologyError)?;
        Ok(topology)
    }
}

/// The phandles of the cores, in the order of their numbers.
fn cpus(tree: Fdt<'_>) -> Vec<u32> {
    let cores = tree
        .find_node("/cpus")
        .into_iter()
        .flat_map(|cpus| cpus.children());
    let cores = cores.filter(|node| node.name_without_address() == "cpu");
    cores
        .map(|cpu| number(&cpu, "phandle").unwrap_or(0))
        .collect()
}

/// What was found so far.
struct Found {
    cpus: Vec<u32>,
    components: Vec<Component>,
    ends: Vec<End>,
}

impl Found {
    /// Walks over the nodes below one; `buses` are those above them.
    fn walk(&mut self, node: FdtNode<'_>, buses: &Buses, depth: usize) -> Result<(), String> {
        if depth > DEEPEST {
            return Err(format!("there are more than {DEEPEST} nodes within nodes"));
        }
        for child in node.children() {
            if let Some(component) = component(&child, buses, &self.cpus)? {
                let index = self.components.len();
                self.components.push(component);
                self.ends.extend(ends(&child, index));
            } else if let Some(buses) = buses.below(&child) {
                self.walk(child, &buses, depth + 1)?;
            }
        }
        Ok(())
    }
}

/// The links from outputs to inputs of components that are known.
fn links(ends: &[End]) -> Vec<Link> {
    let inputs = ends.iter().filter(|end| !end.is_output);
    let inputs: BTreeMap<u32, &End> = inputs.filter_map(|end| Some((end.phandle?, end))).collect();
    let outputs = ends.iter().filter(|end| end.is_output);
    let link = |from: &End| {
        let to = inputs.get(&from.remote?)?;
        Some(Link {
            from: from.place,
            to: to.place,
        })
    };
    outputs.filter_map(link).collect()
}

/// Components whose names are unique: where several have one, their addresses are behind it.
fn named(components: Vec<Component>) -> Vec<Component> {
    let mut uses: BTreeMap<String, usize> = BTreeMap::new();
    for component in &components {
        *uses.entry(component.name.clone()).or_default() += 1;
    }
    let name = |component: Component| match uses[&component.name] {
        1 => component,
        _ => Component {
            name: format!("{}-{:x}", component.name, component.base),
            ..component
        },
    };
    components.into_iter().map(name).collect()
}
