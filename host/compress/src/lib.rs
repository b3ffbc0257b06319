// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bits;
mod block_writer;
mod coder;
mod elements;
mod followed;
mod hash;
mod history;
mod match_history;
mod probability;
mod raptor;
mod records;
mod returns;
mod stream;
mod stream_cache;
mod target_predictor;
mod targets;

pub use bits::Bits;
pub use block_writer::{BlockSettings, BlockWriter};
pub use elements::Elements;
pub use followed::{Followed, Step};
pub use history::History;
pub use raptor::Raptor;
pub use stream::Rest;
pub use stream_cache::StreamCache;
