// SPDX-License-Identifier: MIT OR Apache-2.0
//! The presets: what users instantiate, by name.

use crate::{DecoderTop, Etm4Core, Etm4CoreItm, Etm4CoreStm, FlowCore, FlowCoreX2, Recompressor};
use crate::{
    RecompressorXe, TraceCompressor, TraceCompressorM4, TraceCompressorRBase, TraceCompressorX1,
};
use coretrace_abi::compressed::branch_beat;
use coretrace_hdl_verilog::{Findings, Port, ports, verilog};
use rust_hdl::prelude::Block;
use std::fmt;
use std::str::FromStr;

/// A top that is exported for users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// A trace port in, records and a profile out, registers on AXI4-Lite.
    Etm4Core,
    /// The same with an STM beside its source.
    Etm4CoreStm,
    /// The same with an ITM beside its source.
    Etm4CoreItm,
    /// A trace port in, exact branch counts out, registers and a flow table on AXI4-Lite.
    FlowCore,
    /// The same with two walkers.
    FlowCoreX2,
    /// Branches of a core in, blocks of a compressed trace out, registers on AXI4-Lite; the encoder is X2.
    TraceCompressor,
    /// The same with the encoder X1.
    TraceCompressorX1,
    /// The same with the encoder M4.
    TraceCompressorM4,
    /// The same with the encoder rBASE.
    TraceCompressorRBase,
    /// A trace port in, the branches of a program out as blocks of a compressed trace (X2), registers and tables on
    /// AXI4-Lite.
    Recompressor,
    /// A trace port in, the packets of a source out as blocks of a compressed trace (XE), registers on AXI4-Lite.
    RecompressorXe,
    /// A decoder without registers and back-pressure.
    Decoder(DecoderTop),
}

impl Preset {
    /// The presets with registers.
    pub const CORES: [Preset; 11] = [
        Preset::Etm4Core,
        Preset::Etm4CoreStm,
        Preset::Etm4CoreItm,
        Preset::FlowCore,
        Preset::FlowCoreX2,
        Preset::TraceCompressor,
        Preset::TraceCompressorX1,
        Preset::TraceCompressorM4,
        Preset::TraceCompressorRBase,
        Preset::Recompressor,
        Preset::RecompressorXe,
    ];

    /// Every preset, the cores first.
    pub const ALL: [Preset; Self::CORES.len() + DecoderTop::ALL.len()] = {
        let mut all = [Preset::Etm4Core; Self::CORES.len() + DecoderTop::ALL.len()];
        let mut index = 0;
        while index < Self::CORES.len() {
            all[index] = Self::CORES[index];
            index += 1;
        }
        let mut index = 0;
        while index < DecoderTop::ALL.len() {
            all[Self::CORES.len() + index] = Preset::Decoder(DecoderTop::ALL[index]);
            index += 1;
        }
        all
    };

    /// The name, also that of the exported top module.
    pub const fn name(self) -> &'static str {
        match self {
            Preset::Etm4Core => "etm4_core",
            Preset::Etm4CoreStm => "etm4_core_stm",
            Preset::Etm4CoreItm => "etm4_core_itm",
            Preset::FlowCore => "flow_core",
            Preset::FlowCoreX2 => "flow_core_x2",
            Preset::TraceCompressor => "trace_compressor",
            Preset::TraceCompressorX1 => "trace_compressor_x1",
            Preset::TraceCompressorM4 => "trace_compressor_m4",
            Preset::TraceCompressorRBase => "trace_compressor_rbase",
            Preset::Recompressor => "etm4_recompressor",
            Preset::RecompressorXe => "etm4_recompressor_xe",
            Preset::Decoder(decoder) => decoder.name(),
        }
    }

    /// What it is, in a line.
    pub const fn summary(self) -> &'static str {
        match self {
            Preset::Etm4Core => {
                "32-bit trace port to records and a profile, with registers on AXI4-Lite"
            }
            Preset::Etm4CoreStm => {
                "32-bit trace port to records, a profile and the packets of an STM"
            }
            Preset::Etm4CoreItm => {
                "32-bit trace port to records, a profile and the packets of an ITM"
            }
            Preset::FlowCore => {
                "32-bit trace port to exact branch counts of a program, with registers on AXI4-Lite"
            }
            Preset::FlowCoreX2 => {
                "32-bit trace port to exact branch counts of a program, with two walkers"
            }
            Preset::TraceCompressor => {
                "branches of a core to a compressed trace (X2), with registers on AXI4-Lite"
            }
            Preset::TraceCompressorX1 => "branches of a core to a compressed trace (X1), smaller",
            Preset::TraceCompressorM4 => "branches of a core to a compressed trace (M4), published",
            Preset::TraceCompressorRBase => {
                "branches of a core to a compressed trace (rBASE), published"
            }
            Preset::Recompressor => {
                "32-bit trace port to a compressed trace of a program (X2), with registers on AXI4-Lite"
            }
            Preset::RecompressorXe => {
                "32-bit trace port to a compressed trace of packets (XE), without a program"
            }
            Preset::Decoder(decoder) => decoder.summary(),
        }
    }

    /// Bytes at the input per cycle.
    pub const fn bytes_per_cycle(self) -> usize {
        match self {
            Preset::Etm4Core
            | Preset::Etm4CoreStm
            | Preset::Etm4CoreItm
            | Preset::FlowCore
            | Preset::FlowCoreX2
            | Preset::Recompressor
            | Preset::RecompressorXe => 4,
            Preset::TraceCompressor
            | Preset::TraceCompressorX1
            | Preset::TraceCompressorM4
            | Preset::TraceCompressorRBase => branch_beat::BYTES,
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
            Preset::Etm4CoreStm => verilog(Etm4CoreStm::default(), self.name()),
            Preset::Etm4CoreItm => verilog(Etm4CoreItm::default(), self.name()),
            Preset::FlowCore => verilog(FlowCore::default(), self.name()),
            Preset::FlowCoreX2 => verilog(FlowCoreX2::default(), self.name()),
            Preset::TraceCompressor => verilog(TraceCompressor::default(), self.name()),
            Preset::TraceCompressorX1 => verilog(TraceCompressorX1::default(), self.name()),
            Preset::TraceCompressorM4 => verilog(TraceCompressorM4::default(), self.name()),
            Preset::TraceCompressorRBase => verilog(TraceCompressorRBase::default(), self.name()),
            Preset::Recompressor => verilog(Recompressor::default(), self.name()),
            Preset::RecompressorXe => verilog(RecompressorXe::default(), self.name()),
            Preset::Decoder(decoder) => decoder.verilog(),
        }
    }

    /// The ports of the exported top module.
    pub fn ports(self) -> Vec<Port> {
        match self {
            Preset::Etm4Core => ports_of(Etm4Core::default()),
            Preset::Etm4CoreStm => ports_of(Etm4CoreStm::default()),
            Preset::Etm4CoreItm => ports_of(Etm4CoreItm::default()),
            Preset::FlowCore => ports_of(FlowCore::default()),
            Preset::FlowCoreX2 => ports_of(FlowCoreX2::default()),
            Preset::TraceCompressor => ports_of(TraceCompressor::default()),
            Preset::TraceCompressorX1 => ports_of(TraceCompressorX1::default()),
            Preset::TraceCompressorM4 => ports_of(TraceCompressorM4::default()),
            Preset::TraceCompressorRBase => ports_of(TraceCompressorRBase::default()),
            Preset::Recompressor => ports_of(Recompressor::default()),
            Preset::RecompressorXe => ports_of(RecompressorXe::default()),
            Preset::Decoder(decoder) => decoder.ports(),
        }
    }
}

fn ports_of(mut core: impl Block) -> Vec<Port> {
    core.connect_all();
    ports(&core)
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
