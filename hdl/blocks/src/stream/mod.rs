// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of streams that know nothing of trace: words from one clock to another.

mod async_fifo;
mod gray_counter;
mod synchroniser;

#[cfg(test)]
mod two_clocks;

pub use async_fifo::AsyncFifo;
pub use gray_counter::GrayCounter;
pub use synchroniser::Synchroniser;
