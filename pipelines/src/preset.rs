// SPDX-License-Identifier: MIT OR Apache-2.0
//! The presets: what users instantiate, by name.

use crate::{DecoderTop, Etm4Core, FlowCore, FlowCoreX2};
use coretrace_hdl_verilog::{Findings, Port, ports, verilog};
use rust_hdl::prelude::Block;
use std::fmt;
use std::str::FromStr;

/// A top that is exported for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A trace port in, records and a profile out, registers on AXI4-Lite.
    Etm4Core,
    /// A trace port in, exact branch counts out, registers and a flow table on AXI4-Lite.
    FlowCore,
    /// The same with two walkers.
    FlowCoreX2,
    /// A decoder without registers and back-pressure.
    Decoder(DecoderTop),
}

impl Preset {
    /// Every preset, the cores first.
    pub const ALL: [Preset; 3 + DecoderTop::ALL.len()] = {
        let mut all = [Preset::Etm4Core; 3 + DecoderTop::ALL.len()];
        all[1] = Preset::FlowCore;
        all[2] = Preset::FlowCoreX2;
        let mut index = 0;
        while index < DecoderTop::ALL.len() {
            all[3 + index] = Preset::Decoder(DecoderTop::ALL[index]);
            index += 1;
        }
        all
    };

    /// The name, also that of the exported top module.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Etm4Core => "etm4_core",
            Preset::FlowCore => "flow_core",
            Preset::FlowCoreX2 => "flow_core_x2",
            Preset::Decoder(decoder) => decoder.name(),
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Preset::Etm4Core => {
                "32-bit trace port to records and a profile, with registers on AXI4-Lite"
            }
            Preset::FlowCore => {
                "32-bit trace port to exact branch counts of a program, with registers on AXI4-Lite"
            }
            Preset::FlowCoreX2 => {
                "32-bit trace port to exact branch counts of a program, with two walkers"
            }
            Preset::Decoder(decoder) => decoder.summary(),
        }
    }

    /// Bytes at the input per cycle.
    pub const fn bytes_per_cycle(self) -> usize {
        match self {
            Preset::Etm4Core | Preset::FlowCore | Preset::FlowCoreX2 => 4,
            Preset::Decoder(decoder) => decoder.bytes_per_cycle(),
        }
    }

    /// Verilog-2001 text.
    ///
    /// # Errors
    /// Findings of the export; none in a released version.
    pub fn verilog(self) -> Result<String, Findings> {
        match self {
            Preset::Etm4Core => verilog(Etm4Core::default(), self.name()),
            Preset::FlowCore => verilog(FlowCore::default(), self.name()),
            Preset::FlowCoreX2 => verilog(FlowCoreX2::default(), self.name()),
            Preset::Decoder(decoder) => decoder.verilog(),
        }
    }

    /// The ports of the exported top module.
    pub fn ports(self) -> Vec<Port> {
        match self {
            Preset::Etm4Core => {
                let mut core = Etm4Core::default();
                core.connect_all();
                ports(&core)
            }
            Preset::FlowCore => {
                let mut core = FlowCore::default();
                core.connect_all();
                ports(&core)
            }
            Preset::FlowCoreX2 => {
                let mut core = FlowCoreX2::default();
                core.connect_all();
                ports(&core)
            }
            Preset::Decoder(decoder) => decoder.ports(),
        }
    }
}

/// A preset name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownPreset(String);

impl fmt::Display for UnknownPreset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Preset::ALL.map(Preset::name).join(", ");
        write!(
            f,
            "there is no preset `{}`; the presets are {names}",
            self.0
        )
    }
}

impl std::error::Error for UnknownPreset {}

impl FromStr for Preset {
    type Err = UnknownPreset;

    fn from_str(name: &str) -> Result<Preset, UnknownPreset> {
        let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
        found.ok_or_else(|| UnknownPreset(name.to_owned()))
    }
}
