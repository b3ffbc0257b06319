// SPDX-License-Identifier: MIT OR Apache-2.0
//! Seeds of the targets of a chip.

use std::fmt::Write;

use coretrace_target::Preset;
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use serde_json::json;

use super::super::seeds::Seed;
use super::{CHIP, chip, plan};

/// A preset with a path from each core.
pub fn topology() -> Vec<Seed> {
    let preset = Preset::find(CHIP).expect("a preset");
    vec![(CHIP.to_owned(), preset.source.into())]
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

/// A component with one link on a side.
fn component(name: &str, at: u32, kind: &str, link: (&str, [u32; 2])) -> DeviceTreeNode {
    let kind = DeviceTreeProperty::new("compatible", kind).expect("a property");
    let cpu = cells("cpu", &[1]);
    let mut component = node(name, vec![kind, cells("reg", &[at, 0x1000]), cpu]);
    let (side, [end, remote]) = link;
    let mut ports = node(side, vec![]);
    let mut port = node("port", vec![]);
    let end = vec![
        cells("phandle", &[end]),
        cells("remote-endpoint", &[remote]),
    ];
    port.add_child(node("endpoint", end));
    ports.add_child(port);
    component.add_child(ports);
    component
}

/// A trace unit with its buffer.
pub fn device_tree() -> Vec<Seed> {
    let mut tree = DeviceTree::new();
    for name in ["#address-cells", "#size-cells"] {
        tree.root.add_property(cells(name, &[1]));
    }
    let mut cpus = node("cpus", vec![cells("#address-cells", &[1])]);
    cpus.add_child(node("cpu@0", vec![cells("phandle", &[1])]));
    tree.root.add_child(cpus);
    let (unit, buffer) = ("arm,coresight-etm4x", "arm,coresight-tmc");
    let out = ("out-ports", [2, 3]);
    tree.root
        .add_child(component("etm@1000", 0x1000, unit, out));
    let into = ("in-ports", [3, 2]);
    tree.root
        .add_child(component("etf@2000", 0x2000, buffer, into));
    vec![("etm".to_owned(), tree.to_dtb())]
}

/// Steps in the journal.
const STEPS: usize = 12;

/// The beginning of a session, and of its undo.
pub fn journal() -> Vec<Seed> {
    let plan = plan(&chip()).expect("a plan");
    let mut text = String::new();
    for step in plan.steps.iter().filter(|step| step.is_write()).take(STEPS) {
        let line = json!({ "begun": { "step": step, "seen": 0 } });
        writeln!(text, "{line}").expect("a string");
    }
    text += "\"kept\"\n\"ending\"\n{\"undone\":0}\n{\"touching\":{\"Component\":1}}\n{\"survived\":{\"Component\":1}}\n";
    vec![(CHIP.to_owned(), text.into_bytes())]
}
