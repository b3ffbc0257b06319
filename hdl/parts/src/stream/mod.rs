// SPDX-License-Identifier: MIT OR Apache-2.0
//! General-purpose stream blocks: clock crossings, FIFOs, memories, counters and a serial line.

mod async_fifo;
mod delay;
mod fifo_places;
mod gray_counter;
mod lut_fifo;
mod lut_memory;
mod lut_ram;
mod maximum;
mod saturating_counter;
mod shared_memory;
mod sync_fifo;
mod synchroniser;
mod table_memory;
mod uart_rx;
mod uart_tx;

#[cfg(test)]
mod two_clocks;

pub use async_fifo::AsyncFifo;
pub use delay::Delay;
pub use gray_counter::GrayCounter;
pub use lut_fifo::LutFifo;
pub use lut_memory::LutMemory;
pub use maximum::Maximum;
pub use saturating_counter::SaturatingCounter;
pub use shared_memory::SharedMemory;
pub use sync_fifo::SyncFifo;
pub use synchroniser::Synchroniser;
pub use table_memory::TableMemory;
pub use uart_rx::UartRx;
pub use uart_tx::UartTx;
