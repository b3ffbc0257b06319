// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of streams that know nothing of trace.

mod async_fifo;
mod gray_counter;
mod sync_fifo;
mod synchroniser;

#[cfg(test)]
mod two_clocks;

pub use async_fifo::AsyncFifo;
pub use gray_counter::GrayCounter;
pub use sync_fifo::SyncFifo;
pub use synchroniser::Synchroniser;
