// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decoders of ETMv4 and ETE packets as rust-hdl blocks: the bytes of one source in, results out.
//!
//! | module | what it holds |
//! |---|---|
//! | [`unrolled`] | stream state and action code unrolled over 4 bytes per cycle, pipelined for a high clock |
//! | [`chained`] | the same stages in five cycles, at a low clock: 1 byte per cycle |
//! | [`jump`] | the jump-ahead decoder: 4, 8 or 16 bytes per cycle |
//! | [`baseline`] | decoders that exist to be compared with |
//! | [`layouts`] | fields that the stages pass on, and the results of all decoders |

pub mod baseline;
mod before_lanes;
pub mod chained;
mod config_decode;
mod cycle_counts;
mod encodings;
mod header_class;
pub mod jump;
pub mod layouts;
mod reset;
mod settings;
pub mod unrolled;

pub use before_lanes::before_lanes;
pub use config_decode::ConfigDecode;
pub use cycle_counts::{CycleCount, cycle_counts};
pub use layouts::{LaneResult, PairResult};
pub use settings::{PackSettings, SOURCE_SETTINGS_W, SourceSettings};
