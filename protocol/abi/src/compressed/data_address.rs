// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the data address encoder (DASC): for each load or store, the address of the access before and
//! the distance that it moved.
//!
//! An access is a *hit* if its address is that of the access before at the same place of the cache, moved by
//! the same distance. There are two strings of bits, and a reader needs the number of accesses:
//!
//! | string | fields |
//! |---|---|
//! | hits | a 0 and a byte, or a 1, a byte, and how often it comes again in 8 bits; the bytes have a bit for each access, 1 for a hit, and zeros behind the last one |
//! | misses | the address of each access that is no hit |
//!
//! Source: A. Milenkovic, data structures for unobtrusive real-time compression of address traces: data
//! address stride cache, data repetitions.

/// Places of the cache: the low bits of the address of the instruction in words.
pub const PLACES: usize = 1024;

/// Bits of a distance, which has a sign.
pub const STRIDE_BITS: u32 = 8;

/// Bits of an address: 32-bit and 64-bit programs.
pub const ADDRESS_BITS: [u32; 2] = [32, 64];

/// Accesses of a byte of hits.
pub const BYTE_BITS: u32 = 8;

/// Bits of the number of times that a byte comes again.
pub const REPEAT_BITS: u32 = 8;
