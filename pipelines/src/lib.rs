// SPDX-License-Identifier: MIT OR Apache-2.0
//! Complete decoders by name: what a user instantiates, simulates and exports.
#![forbid(unsafe_code)]

pub mod alchitry_cu;
pub mod collector;
pub mod engine;
pub mod etm4_byte;
pub mod etm4_x4;
pub mod package;
pub mod port_sim;
pub mod preset;
pub mod source_sim;
pub mod tpiu_etm4_x4;

pub use alchitry_cu::AlchitryCu;
pub use collector::{Collector, LaneWord};
pub use etm4_byte::Etm4Byte;
pub use etm4_x4::Etm4X4;
pub use port_sim::{PortSim, PortSource, PortStatus};
pub use preset::{Preset, UnknownPreset};
pub use source_sim::{InputWord, SourceConfig, SourceSim};
pub use tpiu_etm4_x4::TpiuEtm4X4;
