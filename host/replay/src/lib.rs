// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod blocks;
mod branches;
mod calls;
mod code;
mod counters;
mod data_addresses;
mod decisions;
mod element_packets;
mod elements;
mod estimates;
mod history;
mod image_code;
mod index_trace;
mod items;
mod kept_streams;
mod memory;
mod nexus;
mod numbers;
mod raptor;
mod reader;
mod sequences;
mod stream_cache;
mod streams;
mod votes;

pub use blocks::{Block, Blocks};
pub use branches::BranchReplay;
pub use code::{Code, Site, Sites};
pub use data_addresses::DataAddressReplay;
pub use element_packets::ElementPackets;
pub use elements::ElementsReplay;
pub use history::HistoryReplay;
pub use image_code::ImageCode;
pub use index_trace::IndexedStreams;
pub use items::Fallible;
pub use nexus::NexusStreams;
pub use raptor::RaptorReplay;
pub use reader::{Damaged, Reader};
pub use sequences::Sequences;
pub use stream_cache::CachedStreams;
pub use streams::{Stream, StreamReplay, StreamSource};
pub use votes::VotesReplay;
