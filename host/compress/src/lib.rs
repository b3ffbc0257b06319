// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub mod bits;
mod block_writer;
mod branches;
mod coder;
mod data_addresses;
mod dictionary;
mod element_blocks;
mod elements;
mod followed;
mod frame;
mod hash;
mod history;
mod index_trace;
mod match_history;
mod nexus;
mod numbered_targets;
mod packet_elements;
mod passed;
mod probability;
mod raptor;
mod records;
mod repeats;
mod returns;
mod stream;
mod stream_cache;
mod stream_table;
mod target_predictor;
mod targets;
mod voters;
mod votes;

pub use bits::Bits;
pub use block_writer::{BlockSettings, BlockWriter};
pub use branches::Branches;
pub use coder::Coder;
pub use data_addresses::{DataAddresses, DataTrace};
pub use element_blocks::ElementBlockWriter;
pub use elements::Elements;
pub use followed::{Followed, Step};
pub use history::History;
pub use index_trace::IndexTrace;
pub use nexus::Nexus;
pub use packet_elements::PacketElements;
pub use raptor::Raptor;
pub use stream::Rest;
pub use stream_cache::StreamCache;
pub use votes::Votes;
