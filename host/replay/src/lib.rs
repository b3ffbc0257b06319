// SPDX-License-Identifier: MIT OR Apache-2.0
#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod blocks;
mod calls;
mod code;
mod decisions;
mod elements;
mod estimates;
mod history;
mod image_code;
mod memory;
mod raptor;
mod reader;
mod stream_cache;

pub use blocks::{Block, Blocks};
pub use code::{Code, Site, Sites};
pub use elements::ElementsReplay;
pub use history::HistoryReplay;
pub use image_code::ImageCode;
pub use raptor::RaptorReplay;
pub use reader::{Damaged, Reader};
pub use stream_cache::StreamCacheReplay;
