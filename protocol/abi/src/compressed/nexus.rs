// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the NEXS encoder: every stream of [`super::stream_cache`] with its length, as a Nexus trace
//! has them. It is the baseline of the others.
//!
//! | record | fields |
//! |---|---|
//! | a stream whose start the image says | the length |
//! | any other | the length, the start |
//! | in front of a discontinuity | the same, and behind it 8 bits with the instructions that were executed |
//!
//! A start is sent as the exclusive or with the start that was sent before, in groups of 6 bits from the
//! lowest one, as few as hold it. Behind each group come 2 bits: [`MORE`] or [`LAST`]. A direct branch
//! without a condition does not end a stream, so calls cost nothing.
//!
//! Source: Nexus 5001, as the paper of the stream cache compares itself with it.

/// Bits of a group.
pub const GROUP_BITS: u32 = 6;

/// Bits behind a group.
pub const MARK_BITS: u32 = 2;

/// Another group follows.
pub const MORE: u64 = 0;
/// It was the last one.
pub const LAST: u64 = 3;
