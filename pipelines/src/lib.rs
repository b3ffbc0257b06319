// SPDX-License-Identifier: MIT OR Apache-2.0
//! Complete decoders by name: what a user instantiates, simulates and exports.
#![forbid(unsafe_code)]

pub mod alchitry_cu;
pub mod branch_table_port;
pub mod compressor_switch;
pub mod decoder_top;
pub mod etm4_core;
pub mod flow_core;
pub mod package;
pub mod port_top;
pub mod preset;
pub mod quiet;
pub mod recompressor;
pub mod recompressor_switch;
pub mod recompressor_xe;
pub mod registers;
pub mod sim;
pub mod software_core;
pub mod software_source;
pub mod software_switch;
pub mod source_front;
pub mod source_switch;
pub mod source_top;
pub mod table_port;
pub mod trace_compressor;
pub mod trace_probe;

pub use alchitry_cu::AlchitryCu;
pub use branch_table_port::BranchTablePort;
pub use compressor_switch::CompressorSwitch;
pub use decoder_top::{DecoderTop, UnknownDecoderTop};
pub use etm4_core::Etm4CoreTop;
pub use flow_core::FlowCoreTop;
pub use port_top::{TpiuEtm4JumpX4, TpiuEtm4X4};
pub use preset::{Preset, UnknownPreset};
pub use quiet::Quiet;
pub use recompressor::Recompressor;
pub use recompressor_switch::RecompressorSwitch;
pub use recompressor_xe::RecompressorXe;
pub use registers::{
    CompressorRegisters, CoreRegisters, FlowRegisters, RecompressorRegisters,
    RecompressorXeRegisters,
};
pub use software_core::SoftwareCoreTop;
pub use software_source::SoftwareSource;
pub use software_switch::SoftwareSwitch;
pub use source_front::SourceFront;
pub use source_switch::SourceSwitch;
pub use source_top::{ChainedTop, JumpTop, OneHotTop, UnrolledTop};
pub use table_port::TablePort;
pub use trace_compressor::{
    TraceCompressor, TraceCompressorM4, TraceCompressorRBase, TraceCompressorX1,
};
pub use trace_probe::{ProbeSource, TraceProbe};

/// `etm4_core`: one source.
pub type Etm4Core = Etm4CoreTop<1, 0>;
/// `etm4_core_stm`: an STM beside the source.
pub type Etm4CoreStm = SoftwareCoreTop<1, 0>;
/// `etm4_core_itm`: an ITM beside the source.
pub type Etm4CoreItm = SoftwareCoreTop<0, 1>;
/// `flow_core`: one walker.
pub type FlowCore = FlowCoreTop<1, 0>;
/// `flow_core_x2`: two walkers.
pub type FlowCoreX2 = FlowCoreTop<0, 1>;
/// `etm4_byte`: one byte per cycle.
pub type Etm4Byte = ChainedTop<1, 1, 8>;
/// `etm4_x4`: four bytes per cycle, unrolled and pipelined.
pub type Etm4X4 = UnrolledTop<4, 2, 32>;
/// `etm4_jump_x4`: four bytes per cycle.
pub type Etm4JumpX4 = JumpTop<4, 2, 32>;
/// `etm4_jump_x8`: eight bytes per cycle.
pub type Etm4JumpX8 = JumpTop<8, 4, 64>;
/// `etm4_jump_x16`: sixteen bytes per cycle.
pub type Etm4JumpX16 = JumpTop<16, 8, 128>;
/// `etm4_onehot_x4`: four bytes per cycle, chained stream state in one-hot code.
pub type Etm4OnehotX4 = OneHotTop<4, 2, 32>;
/// `etm4_onehot_x8`: eight bytes per cycle, chained stream state in one-hot code.
pub type Etm4OnehotX8 = OneHotTop<8, 4, 64>;
