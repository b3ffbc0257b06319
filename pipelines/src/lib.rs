// SPDX-License-Identifier: MIT OR Apache-2.0
//! Complete decoders by name: what a user instantiates, simulates and exports.
#![forbid(unsafe_code)]

pub mod alchitry_cu;
pub mod chained_top;
pub mod collector;
pub mod engine;
pub mod jump_top;
pub mod onehot_top;
pub mod package;
pub mod port_sim;
pub mod preset;
pub mod source_sim;
pub mod tpiu_etm4_jump_x4;
pub mod tpiu_etm4_x4;
pub mod tpiu_front;

pub use alchitry_cu::AlchitryCu;
pub use collector::{Collector, LaneWord};
pub use port_sim::{PortSim, PortSource, PortStatus};
pub use preset::{Preset, UnknownPreset};
pub use source_sim::{InputWord, SourceConfig, SourceSim};
pub use tpiu_etm4_jump_x4::TpiuEtm4JumpX4;
pub use tpiu_etm4_x4::TpiuEtm4X4;
pub use tpiu_front::{SOURCES, TpiuFront};

/// `etm4_byte`: one byte per cycle.
pub type Etm4Byte = chained_top::ChainedTop<1, 1, 8>;
/// `etm4_x4`: four bytes per cycle, chained stream state.
pub type Etm4X4 = chained_top::ChainedTop<4, 2, 32>;
/// `etm4_jump_x4`: four bytes per cycle.
pub type Etm4JumpX4 = jump_top::JumpTop<4, 2, 32>;
/// `etm4_jump_x8`: eight bytes per cycle.
pub type Etm4JumpX8 = jump_top::JumpTop<8, 4, 64>;
/// `etm4_jump_x16`: sixteen bytes per cycle.
pub type Etm4JumpX16 = jump_top::JumpTop<16, 8, 128>;
/// `etm4_onehot_x4`: four bytes per cycle, chained stream state in one-hot code.
pub type Etm4OnehotX4 = onehot_top::OneHotTop<4, 2, 32>;
/// `etm4_onehot_x8`: eight bytes per cycle, chained stream state in one-hot code.
pub type Etm4OnehotX8 = onehot_top::OneHotTop<8, 4, 64>;
