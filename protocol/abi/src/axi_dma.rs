// SPDX-License-Identifier: MIT OR Apache-2.0
//! The DMA that stores a stream of a core in memory: channel S2MM of AXI DMA, with a ring of descriptors.
//!
//! Source: AMD PG021, register space and scatter gather descriptor.

/// Control: [`RUN`], [`RESET`].
pub const DMACR: u32 = 0x30;
/// Status: [`HALTED`], [`IDLE`], [`ERRORS`].
pub const DMASR: u32 = 0x34;
/// Address of the first descriptor, low and high word; written while halted.
pub const CURDESC: [u32; 2] = [0x38, 0x3C];
/// Address of the last descriptor that may be used, low and high word. The low word starts the channel.
pub const TAILDESC: [u32; 2] = [0x40, 0x44];

/// DMACR: run.
pub const RUN: u32 = 1 << 0;
/// DMACR: reset; clears itself.
pub const RESET: u32 = 1 << 2;

/// DMASR: the channel does not run.
pub const HALTED: u32 = 1 << 0;
/// DMASR: the last descriptor was used.
pub const IDLE: u32 = 1 << 1;
/// DMASR: errors of the channel and of its descriptors.
pub const ERRORS: u32 = 0x770;
/// DMASR: a descriptor was complete before it was used.
pub const DESCRIPTOR_ERROR: u32 = 1 << 8;

/// Bytes of a descriptor, and what its address is a multiple of.
pub const DESCRIPTOR_BYTES: u64 = 64;
/// Address of the next descriptor, low and high word.
pub const NEXT: [u64; 2] = [0x00, 0x04];
/// Address of the buffer, low and high word.
pub const BUFFER: [u64; 2] = [0x08, 0x0C];
/// Bytes of the buffer.
pub const CONTROL: u64 = 0x18;
/// [`COMPLETE`], [`FAILED`], [`FIRST`], [`LAST`], and [`LENGTH`] of what was written.
pub const STATUS: u64 = 0x1C;

/// STATUS: the descriptor was used.
pub const COMPLETE: u32 = 1 << 31;
/// STATUS: errors.
pub const FAILED: u32 = 0x7000_0000;
/// STATUS: the packet begins in this buffer.
pub const FIRST: u32 = 1 << 27;
/// STATUS: the packet ends in this buffer.
pub const LAST: u32 = 1 << 26;
/// STATUS: bytes written.
pub const LENGTH: u32 = LAST - 1;
