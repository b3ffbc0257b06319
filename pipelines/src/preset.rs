// SPDX-License-Identifier: MIT OR Apache-2.0
//! The presets: every complete decoder by the name that a user gives.

use coretrace_hdl_verilog::{Findings, Port, ports, verilog};
use rust_hdl::prelude::Block;
use std::fmt;
use std::str::FromStr;

/// A complete decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// One source, one byte per cycle.
    Etm4Byte,
    /// One source, four bytes per cycle, chained stream state.
    Etm4X4,
    /// One source, four bytes per cycle, chained stream state in one-hot code.
    Etm4OnehotX4,
    /// One source, eight bytes per cycle, chained stream state in one-hot code.
    Etm4OnehotX8,
    /// One source, four bytes per cycle.
    Etm4JumpX4,
    /// One source, eight bytes per cycle.
    Etm4JumpX8,
    /// One source, sixteen bytes per cycle.
    Etm4JumpX16,
    /// Trace port to packets, four sources, chained stream state.
    TpiuEtm4X4,
    /// Trace port to packets, four sources.
    TpiuEtm4JumpX4,
}

/// Runs an expression with `$top` as the type of a preset's top block.
macro_rules! with_top {
    ($preset:expr, $top:ident => $result:expr) => {
        match $preset {
            Preset::Etm4Byte => {
                type $top = crate::Etm4Byte;
                $result
            }
            Preset::Etm4X4 => {
                type $top = crate::Etm4X4;
                $result
            }
            Preset::Etm4OnehotX4 => {
                type $top = crate::Etm4OnehotX4;
                $result
            }
            Preset::Etm4OnehotX8 => {
                type $top = crate::Etm4OnehotX8;
                $result
            }
            Preset::Etm4JumpX4 => {
                type $top = crate::Etm4JumpX4;
                $result
            }
            Preset::Etm4JumpX8 => {
                type $top = crate::Etm4JumpX8;
                $result
            }
            Preset::Etm4JumpX16 => {
                type $top = crate::Etm4JumpX16;
                $result
            }
            Preset::TpiuEtm4X4 => {
                type $top = crate::TpiuEtm4X4;
                $result
            }
            Preset::TpiuEtm4JumpX4 => {
                type $top = crate::TpiuEtm4JumpX4;
                $result
            }
        }
    };
}

impl Preset {
    /// Every preset.
    pub const ALL: [Preset; 9] = [
        Preset::Etm4Byte,
        Preset::Etm4X4,
        Preset::Etm4OnehotX4,
        Preset::Etm4OnehotX8,
        Preset::Etm4JumpX4,
        Preset::Etm4JumpX8,
        Preset::Etm4JumpX16,
        Preset::TpiuEtm4X4,
        Preset::TpiuEtm4JumpX4,
    ];

    /// The name, also that of the exported top module.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Etm4Byte => "etm4_byte",
            Preset::Etm4X4 => "etm4_x4",
            Preset::Etm4OnehotX4 => "etm4_onehot_x4",
            Preset::Etm4OnehotX8 => "etm4_onehot_x8",
            Preset::Etm4JumpX4 => "etm4_jump_x4",
            Preset::Etm4JumpX8 => "etm4_jump_x8",
            Preset::Etm4JumpX16 => "etm4_jump_x16",
            Preset::TpiuEtm4X4 => "tpiu_etm4_x4",
            Preset::TpiuEtm4JumpX4 => "tpiu_etm4_jump_x4",
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Preset::Etm4Byte => "one source, one byte per cycle",
            Preset::Etm4X4 => "one source, four bytes per cycle, chained stream state",
            Preset::Etm4OnehotX4 => "one source, four bytes per cycle, chained one-hot state",
            Preset::Etm4OnehotX8 => "one source, eight bytes per cycle, chained one-hot state",
            Preset::Etm4JumpX4 => "one source, four bytes per cycle, jump table",
            Preset::Etm4JumpX8 => "one source, eight bytes per cycle, jump table",
            Preset::Etm4JumpX16 => "one source, sixteen bytes per cycle, jump table",
            Preset::TpiuEtm4X4 => "32-bit trace port, frames, four sources with an etm4_x4 each",
            Preset::TpiuEtm4JumpX4 => {
                "32-bit trace port, frames, four sources with an etm4_jump_x4 each"
            }
        }
    }

    /// Bytes at the input per cycle.
    pub const fn bytes_per_cycle(self) -> usize {
        match self {
            Preset::Etm4Byte => 1,
            Preset::Etm4X4
            | Preset::Etm4OnehotX4
            | Preset::Etm4JumpX4
            | Preset::TpiuEtm4X4
            | Preset::TpiuEtm4JumpX4 => 4,
            Preset::Etm4OnehotX8 | Preset::Etm4JumpX8 => 8,
            Preset::Etm4JumpX16 => 16,
        }
    }

    /// Pairs of lanes in a result word.
    pub const fn pairs(self) -> usize {
        self.bytes_per_cycle().div_ceil(2)
    }

    /// Whether the input is a trace port with frames, not the bytes of one source.
    pub const fn takes_frames(self) -> bool {
        matches!(self, Preset::TpiuEtm4X4 | Preset::TpiuEtm4JumpX4)
    }

    /// Verilog-2001 text of the preset.
    ///
    /// # Errors
    /// Findings of the export lint; none in a released version.
    pub fn verilog(self) -> Result<String, Findings> {
        with_top!(self, Top => verilog(Top::default(), self.name()))
    }

    /// The ports of the exported top module.
    pub fn ports(self) -> Vec<Port> {
        with_top!(self, Top => {
            let mut uut = Top::default();
            uut.connect_all();
            ports(&uut)
        })
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
