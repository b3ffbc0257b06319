// SPDX-License-Identifier: MIT OR Apache-2.0
//! The presets: every complete decoder by the name that a user gives.

use crate::{Etm4Byte, Etm4X4, TpiuEtm4X4};
use etm4_hdl::export::{Findings, Port, ports, verilog};
use rust_hdl::prelude::Block;
use std::fmt;
use std::str::FromStr;

/// A complete decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One source, one byte per cycle.
    Etm4Byte,
    /// One source, four bytes per cycle.
    Etm4X4,
    /// Trace port to packets, four sources.
    TpiuEtm4X4,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Preset; 3] = [Preset::Etm4Byte, Preset::Etm4X4, Preset::TpiuEtm4X4];

    /// The name, also that of the exported top module.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Etm4Byte => "etm4_byte",
            Preset::Etm4X4 => "etm4_x4",
            Preset::TpiuEtm4X4 => "tpiu_etm4_x4",
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Preset::Etm4Byte => "one source, one byte per cycle",
            Preset::Etm4X4 => "one source, four bytes per cycle, chained stream state",
            Preset::TpiuEtm4X4 => "32-bit trace port, frames, four sources with an etm4_x4 each",
        }
    }

    /// Bytes at the input per cycle.
    pub const fn bytes_per_cycle(self) -> usize {
        match self {
            Preset::Etm4Byte => 1,
            Preset::Etm4X4 | Preset::TpiuEtm4X4 => 4,
        }
    }

    /// Whether the input is a trace port with frames, not the bytes of one source.
    pub const fn takes_frames(self) -> bool {
        matches!(self, Preset::TpiuEtm4X4)
    }

    /// Verilog-2001 text of the preset.
    ///
    /// # Errors
    /// Findings of the export lint; none in a released version.
    pub fn verilog(self) -> Result<String, Findings> {
        match self {
            Preset::Etm4Byte => verilog(Etm4Byte::default(), self.name()),
            Preset::Etm4X4 => verilog(Etm4X4::default(), self.name()),
            Preset::TpiuEtm4X4 => verilog(TpiuEtm4X4::default(), self.name()),
        }
    }

    /// The ports of the exported top module.
    pub fn ports(self) -> Vec<Port> {
        fn connected<B: Block + Default>() -> Vec<Port> {
            let mut uut = B::default();
            uut.connect_all();
            ports(&uut)
        }
        match self {
            Preset::Etm4Byte => connected::<Etm4Byte>(),
            Preset::Etm4X4 => connected::<Etm4X4>(),
            Preset::TpiuEtm4X4 => connected::<TpiuEtm4X4>(),
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
