// SPDX-License-Identifier: MIT OR Apache-2.0
//! The topologies that come with the crate.

use super::{Topology, TopologyError};

/// A topology by name.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Its name.
    pub name: &'static str,
    /// The board that it is for.
    pub text: &'static str,
    /// The description, as a file has it.
    pub source: &'static str,
}

const ZYNQMP: &str = include_str!("../../presets/zynqmp.toml");
const JUNO: &str = include_str!("../../presets/juno.toml");
const THUNDERX: &str = include_str!("../../presets/thunderx.toml");

/// All of them. A board has the topology of its chip.
pub const PRESETS: &[Preset] = &[
    preset("zynqmp", "Zynq UltraScale+, any board", ZYNQMP),
    preset("zcu104", "AMD ZCU104: zynqmp", ZYNQMP),
    preset("kria-kv260", "AMD Kria KV260: zynqmp", ZYNQMP),
    preset("xu5", "Enclustra Mercury XU5: zynqmp", ZYNQMP),
    preset("juno", "Arm Juno r0", JUNO),
    preset("thunderx", "Cavium ThunderX: its ROM table alone", THUNDERX),
];

const fn preset(name: &'static str, text: &'static str, source: &'static str) -> Preset {
    Preset { name, text, source }
}

impl Preset {
    /// The preset with a name.
    pub fn find(name: &str) -> Option<&'static Preset> {
        PRESETS.iter().find(|preset| preset.name == name)
    }

    /// Its topology.
    ///
    /// # Errors
    /// None: a test loads every preset.
    pub fn topology(&self) -> Result<Topology, TopologyError> {
        Topology::parse(self.source)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_a_topology_and_says_what_was_run() {
        for preset in PRESETS {
            let topology = preset.topology().expect(preset.name);
            assert!(topology.status.contains("not run"), "{}", preset.name);
        }
    }
}
