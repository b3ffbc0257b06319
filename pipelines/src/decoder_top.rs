// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tops that end in result words, by name: the decoders among the presets, and the baselines.

use coretrace_hdl_verilog::{Findings, Port, ports, verilog};
use rust_hdl::prelude::Block;
use std::fmt;
use std::str::FromStr;

/// A top that ends in result words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoderTop {
    /// One source, one byte per cycle.
    Etm4Byte,
    /// One source, four bytes per cycle, unrolled and pipelined.
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
    /// Trace port to packets, four sources, unrolled decoders.
    TpiuEtm4X4,
    /// Trace port to packets, four sources.
    TpiuEtm4JumpX4,
}

/// Runs an expression with `$top` as the type of the block.
macro_rules! with_top {
    ($decoder:expr, $top:ident => $result:expr) => {
        match $decoder {
            DecoderTop::Etm4Byte => {
                type $top = crate::Etm4Byte;
                $result
            }
            DecoderTop::Etm4X4 => {
                type $top = crate::Etm4X4;
                $result
            }
            DecoderTop::Etm4OnehotX4 => {
                type $top = crate::Etm4OnehotX4;
                $result
            }
            DecoderTop::Etm4OnehotX8 => {
                type $top = crate::Etm4OnehotX8;
                $result
            }
            DecoderTop::Etm4JumpX4 => {
                type $top = crate::Etm4JumpX4;
                $result
            }
            DecoderTop::Etm4JumpX8 => {
                type $top = crate::Etm4JumpX8;
                $result
            }
            DecoderTop::Etm4JumpX16 => {
                type $top = crate::Etm4JumpX16;
                $result
            }
            DecoderTop::TpiuEtm4X4 => {
                type $top = crate::TpiuEtm4X4;
                $result
            }
            DecoderTop::TpiuEtm4JumpX4 => {
                type $top = crate::TpiuEtm4JumpX4;
                $result
            }
        }
    };
}

impl DecoderTop {
    /// Those that are presets.
    pub const ALL: [DecoderTop; 7] = [
        DecoderTop::Etm4JumpX4,
        DecoderTop::Etm4JumpX8,
        DecoderTop::Etm4JumpX16,
        DecoderTop::TpiuEtm4JumpX4,
        DecoderTop::Etm4X4,
        DecoderTop::TpiuEtm4X4,
        DecoderTop::Etm4Byte,
    ];

    /// Those that exist to be compared with: measured and proven against, not shipped.
    pub const BASELINES: [DecoderTop; 2] = [DecoderTop::Etm4OnehotX4, DecoderTop::Etm4OnehotX8];

    /// The name, also that of the exported top module.
    pub const fn name(self) -> &'static str {
        match self {
            DecoderTop::Etm4Byte => "etm4_byte",
            DecoderTop::Etm4X4 => "etm4_x4",
            DecoderTop::Etm4OnehotX4 => "etm4_onehot_x4",
            DecoderTop::Etm4OnehotX8 => "etm4_onehot_x8",
            DecoderTop::Etm4JumpX4 => "etm4_jump_x4",
            DecoderTop::Etm4JumpX8 => "etm4_jump_x8",
            DecoderTop::Etm4JumpX16 => "etm4_jump_x16",
            DecoderTop::TpiuEtm4X4 => "tpiu_etm4_x4",
            DecoderTop::TpiuEtm4JumpX4 => "tpiu_etm4_jump_x4",
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            DecoderTop::Etm4Byte => "one source, one byte per cycle",
            DecoderTop::Etm4X4 => "one source, four bytes per cycle, unrolled and pipelined",
            DecoderTop::Etm4OnehotX4 => "one source, four bytes per cycle, chained one-hot state",
            DecoderTop::Etm4OnehotX8 => "one source, eight bytes per cycle, chained one-hot state",
            DecoderTop::Etm4JumpX4 => "one source, four bytes per cycle, jump table",
            DecoderTop::Etm4JumpX8 => "one source, eight bytes per cycle, jump table",
            DecoderTop::Etm4JumpX16 => "one source, sixteen bytes per cycle, jump table",
            DecoderTop::TpiuEtm4X4 => {
                "32-bit trace port, frames, four sources with an etm4_x4 each"
            }
            DecoderTop::TpiuEtm4JumpX4 => {
                "32-bit trace port, frames, four sources with an etm4_jump_x4 each"
            }
        }
    }

    /// Bytes at the input per cycle.
    pub const fn bytes_per_cycle(self) -> usize {
        match self {
            DecoderTop::Etm4Byte => 1,
            DecoderTop::Etm4X4
            | DecoderTop::Etm4OnehotX4
            | DecoderTop::Etm4JumpX4
            | DecoderTop::TpiuEtm4X4
            | DecoderTop::TpiuEtm4JumpX4 => 4,
            DecoderTop::Etm4OnehotX8 | DecoderTop::Etm4JumpX8 => 8,
            DecoderTop::Etm4JumpX16 => 16,
        }
    }

    /// Pairs of lanes in a result word.
    pub const fn pairs(self) -> usize {
        self.bytes_per_cycle().div_ceil(2)
    }

    /// Whether the input is a trace port with frames, not the bytes of one source.
    pub const fn takes_frames(self) -> bool {
        matches!(self, DecoderTop::TpiuEtm4X4 | DecoderTop::TpiuEtm4JumpX4)
    }

    /// Whether the stream state of one source passes through all lanes of a word in one cycle.
    pub const fn chains_lanes(self) -> bool {
        match self {
            DecoderTop::Etm4Byte
            | DecoderTop::Etm4X4
            | DecoderTop::Etm4OnehotX4
            | DecoderTop::Etm4OnehotX8 => true,
            DecoderTop::Etm4JumpX4
            | DecoderTop::Etm4JumpX8
            | DecoderTop::Etm4JumpX16
            | DecoderTop::TpiuEtm4X4
            | DecoderTop::TpiuEtm4JumpX4 => false,
        }
    }

    /// Verilog-2001 text.
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

/// A name that no decoder has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDecoderTop(String);

impl fmt::Display for UnknownDecoderTop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = DecoderTop::ALL.map(DecoderTop::name).join(", ");
        write!(
            f,
            "no decoder is called `{}`; the decoders are {names}",
            self.0
        )
    }
}

impl std::error::Error for UnknownDecoderTop {}

impl FromStr for DecoderTop {
    type Err = UnknownDecoderTop;

    fn from_str(name: &str) -> Result<DecoderTop, UnknownDecoderTop> {
        let all = DecoderTop::ALL.into_iter().chain(DecoderTop::BASELINES);
        let found = all.into_iter().find(|top| top.name() == name);
        found.ok_or_else(|| UnknownDecoderTop(name.to_owned()))
    }
}
