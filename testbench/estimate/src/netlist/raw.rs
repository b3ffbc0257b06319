// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of Yosys' JSON netlist that are read.

use serde::Deserialize;
use std::collections::BTreeMap;

/// A netlist.
#[derive(Deserialize)]
pub struct Document {
    /// The modules by name.
    pub modules: BTreeMap<String, Module>,
}

/// A module.
#[derive(Deserialize)]
pub struct Module {
    /// The cells by name.
    #[serde(default)]
    pub cells: BTreeMap<String, RawCell>,
    /// The named nets.
    #[serde(default)]
    pub netnames: BTreeMap<String, NetName>,
}

/// The nets of a name, lowest bit first.
#[derive(Deserialize)]
pub struct NetName {
    /// The nets.
    pub bits: Vec<Bit>,
}

/// A cell.
#[derive(Clone, Deserialize)]
pub struct RawCell {
    /// Type, such as `LUT6`.
    #[serde(rename = "type")]
    pub model: String,
    /// Parameters, bits as text.
    #[serde(default)]
    pub parameters: BTreeMap<String, serde_json::Value>,
    /// `input` or `output` for each port.
    pub port_directions: BTreeMap<String, String>,
    /// The bits of each port, lowest first.
    pub connections: BTreeMap<String, Vec<Bit>>,
}

/// What a bit is connected to.
#[derive(Clone, Deserialize, PartialEq)]
#[serde(untagged)]
pub enum Bit {
    /// A net.
    Net(usize),
    /// `0`, `1` or `x`.
    Constant(String),
}

impl Bit {
    /// The net, unless the bit is a constant.
    pub fn net(&self) -> Option<usize> {
        match self {
            Bit::Net(net) => Some(*net),
            Bit::Constant(_) => None,
        }
    }
}

impl RawCell {
    /// The bits of a port; none if it is open.
    pub fn bits(&self, port: &str) -> &[Bit] {
        self.connections.get(port).map_or(&[], Vec::as_slice)
    }

    /// A parameter that Yosys writes as a string of bits.
    pub fn flag(&self, parameter: &str) -> bool {
        let value = self
            .parameters
            .get(parameter)
            .and_then(|value| value.as_str());
        value.is_some_and(|bits| bits.contains('1'))
    }
}
