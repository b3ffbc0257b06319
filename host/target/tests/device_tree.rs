// SPDX-License-Identifier: MIT OR Apache-2.0
//! Device trees: that of a chip gives the components and links of its preset, and damaged ones do not panic.

use std::collections::BTreeSet;

use coretrace_coresight::map::ComponentKind;
use coretrace_target::topology::Component;
use coretrace_target::{Options, Plan, Preset, Topology, Wanted};
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use proptest::prelude::*;

/// What the processor adds to an address of the bus of the components.
const OFFSET: u64 = 0x1000_0000;

/// Handles of the cores, and of the ends of links.
const CORES: u32 = 0x100;
const INPUTS: u32 = 0x1000;
const OUTPUTS: u32 = 0x2000;

fn preset(name: &str) -> Topology {
    let preset = Preset::find(name).expect("a preset");
    preset.topology().expect("a topology")
}

fn node(name: &str, properties: Vec<DeviceTreeProperty>) -> DeviceTreeNode {
    let mut node = DeviceTreeNode::new(name).expect("a name");
    for property in properties {
        node.add_property(property);
    }
    node
}

fn cells(name: &str, cells: &[u32]) -> DeviceTreeProperty {
    DeviceTreeProperty::new(name, cells).expect("a property")
}

/// What a node of Linux is compatible with.
fn compatible(kind: ComponentKind) -> Option<&'static str> {
    Some(match kind {
        ComponentKind::Etm4 => "arm,coresight-etm4x",
        ComponentKind::Etm3 => "arm,coresight-etm3x",
        ComponentKind::Stm => "arm,coresight-stm",
        ComponentKind::Funnel => "arm,coresight-dynamic-funnel",
        ComponentKind::Replicator => "arm,coresight-dynamic-replicator",
        ComponentKind::Etb | ComponentKind::Etf | ComponentKind::Etr => "arm,coresight-tmc",
        ComponentKind::Tpiu => "arm,coresight-tpiu",
        ComponentKind::Cti => "arm,coresight-cti",
        ComponentKind::Timestamp => return None,
    })
}

/// The node of a component, which is that with an index.
fn component(topology: &Topology, index: usize, of: &Component) -> Option<DeviceTreeNode> {
    let names = [compatible(of.kind)?, "arm,primecell"];
    let at = (of.base - OFFSET) as u32;
    let mut properties = vec![
        DeviceTreeProperty::new("compatible", &names[..]).expect("a property"),
        cells("reg", &[at, 0x1000]),
    ];
    properties.extend(of.cpu.map(|cpu| cells("cpu", &[CORES + cpu])));
    // Linux has one name for several kinds of trace units.
    let name = of.kind.name().trim_end_matches(['3', '4']);
    let mut node = node(&format!("{name}@{at:x}"), properties);
    let mut add = |side: &str, ends: Vec<(usize, u32, u32)>| {
        if ends.is_empty() {
            return;
        }
        let mut ports = self::node(
            side,
            vec![cells("#address-cells", &[1]), cells("#size-cells", &[0])],
        );
        for (port, handle, remote) in ends {
            let mut of = self::node(
                &format!("port@{port:x}"),
                vec![cells("reg", &[port as u32])],
            );
            let end = vec![
                cells("phandle", &[handle]),
                cells("remote-endpoint", &[remote]),
            ];
            of.add_child(self::node("endpoint", end));
            ports.add_child(of);
        }
        node.add_child(ports);
    };
    let links = (0..).zip(&topology.links);
    let to = links.clone().filter(|(_, link)| link.to.0 == index);
    let inputs = to.map(|(n, link)| (link.to.1, INPUTS + n, OUTPUTS + n));
    add("in-ports", inputs.collect());
    let from = links.filter(|(_, link)| link.from.0 == index);
    let outputs = from.map(|(n, link)| (link.from.1, OUTPUTS + n, INPUTS + n));
    add("out-ports", outputs.collect());
    Some(node)
}

/// The device tree of a chip.
fn tree(topology: &Topology) -> Vec<u8> {
    let wide = || vec![cells("#address-cells", &[2]), cells("#size-cells", &[2])];
    let mut cpus = node(
        "cpus",
        vec![cells("#address-cells", &[1]), cells("#size-cells", &[0])],
    );
    let last = topology.components.iter().filter_map(|of| of.cpu).max();
    for cpu in 0..=last.expect("a core") {
        let properties = vec![cells("reg", &[cpu]), cells("phandle", &[CORES + cpu])];
        cpus.add_child(node(&format!("cpu@{cpu:x}"), properties));
    }
    // The processor reaches the components through two buses, the inner one with addresses of its own.
    let mut inner = node(
        "debug@10000000",
        vec![
            cells("#address-cells", &[1]),
            cells("#size-cells", &[1]),
            cells("ranges", &[0, 0, OFFSET as u32, 0xF000_0000]),
        ],
    );
    for (index, of) in topology.components.iter().enumerate() {
        if let Some(node) = component(topology, index, of) {
            inner.add_child(node);
        }
    }
    let mut properties = wide();
    properties.push(cells("ranges", &[]));
    let mut outer = node("soc", properties);
    outer.add_child(inner);
    // A bus that the processor does not reach.
    let mut away = node(
        "i2c",
        vec![cells("#address-cells", &[1]), cells("#size-cells", &[0])],
    );
    away.add_child(node(
        "tpiu@20",
        vec![
            DeviceTreeProperty::new("compatible", "arm,coresight-tpiu").expect("a property"),
            cells("reg", &[0x20]),
        ],
    ));
    let mut tree = DeviceTree::new();
    for property in wide() {
        tree.root.add_property(property);
    }
    for node in [cpus, outer, away] {
        tree.root.add_child(node);
    }
    tree.to_dtb()
}

/// Components and links by addresses, without the timestamp generator, which is on no path.
type Graph = (
    BTreeSet<(u64, &'static str, Option<u32>)>,
    BTreeSet<[(u64, usize); 2]>,
);

fn graph(topology: &Topology) -> Graph {
    let components = topology.components.iter();
    let components = components.filter(|of| of.kind != ComponentKind::Timestamp);
    let end = |(index, port): (usize, usize)| (topology.components[index].base, port);
    let links = topology
        .links
        .iter()
        .map(|link| [link.from, link.to].map(end));
    let components = components.map(|of| (of.base, of.kind.name(), of.cpu));
    (components.collect(), links.collect())
}

#[test]
fn a_device_tree_gives_the_components_and_links_of_the_preset() {
    for name in ["zynqmp", "juno"] {
        let golden = preset(name);
        let found = Topology::of_device_tree(name, &tree(&golden)).expect(name);
        assert_eq!(graph(&found), graph(&golden), "{name}");
        // What is written of it is a topology, too, and a session can be planned on it.
        assert_eq!(Topology::parse(&found.toml()).as_ref(), Ok(&found));
        let source = found.trace_unit(0).expect("core 0");
        let sink = found.find("tpiu").expect("a port");
        let wanted = Wanted {
            sources: vec![source],
            sinks: vec![sink],
            via: vec![],
        };
        let plan = Plan::start(&found, &wanted, &Options::default());
        assert!(plan.expect("a plan").steps.len() > 50, "{name}");
    }
}

#[test]
fn what_is_no_device_tree_or_has_no_components_is_refused() {
    let refused = |blob: &[u8], words: &str| {
        let error = Topology::of_device_tree("x", blob)
            .expect_err(words)
            .to_string();
        assert!(error.contains(words), "{error}");
    };
    refused(b"", "length");
    refused(&[0; 100], "magic");
    refused(&DeviceTree::new().to_dtb(), "no CoreSight components");
    let mut blob = tree(&preset("zynqmp"));
    let name = b"arm,coresight-dynamic-funnel\0";
    let fixed = b"arm,coresight-static-funnel\0\0";
    while let Some(at) = blob.windows(name.len()).position(|bytes| bytes == name) {
        blob[at..at + name.len()].copy_from_slice(fixed);
    }
    refused(&blob, "has no registers");
}

proptest! {
    #[test]
    fn a_damaged_device_tree_is_read_or_refused(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        numbers in proptest::collection::vec((any::<prop::sample::Index>(), 0u32..16), 0..3),
    ) {
        let mut blob = tree(&preset("zynqmp"));
        for (place, value) in changes {
            let place = place.index(blob.len());
            blob[place] = value;
        }
        for (place, value) in numbers {
            let place = place.index(blob.len() / 4) * 4;
            blob[place..place + 4].copy_from_slice(&value.to_be_bytes());
        }
        if let Ok(topology) = Topology::of_device_tree("x", &blob) {
            prop_assert_eq!(Topology::parse(&topology.toml()), Ok(topology));
        }
    }
}
