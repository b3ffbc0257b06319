// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the stages of the header classifier hand on, field by field.

use coretrace_hdl_dataflow::layout;

/// What the next byte is, where reading is synchronised.
pub mod part {
    /// A header.
    pub const HEADER: u64 = 0;
    /// The second byte behind the header 00.
    pub const EXTENSION: u64 = 1;
    /// A zero of an A-Sync.
    pub const ZEROS: u64 = 2;
}

/// What happens with a byte.
pub mod outcome {
    /// No record ends or begins to be unreadable.
    pub const NONE: u64 = 0;
    /// A packet ends.
    pub const PACKET: u64 = 1;
    /// An A-Sync ends, whatever the bytes before it were read as.
    pub const ASYNC: u64 = 2;
    /// A packet of unknown payload begins: nothing is read up to the next A-Sync.
    pub const RAW: u64 = 3;
    /// The same behind a header that no packet has.
    pub const RESERVED: u64 = 4;
}

/// Bits of the index of a packet in its grammar.
pub const INDEX_W: usize = 6;

layout! {
    /// The stream state: what must be known of all earlier bytes to read the next one.
    pub struct StreamState {
        /// An A-Sync came, and no packet behind it that cannot be read.
        is_synced: 1,
        /// See [`part`].
        part: 2,
    }
}

layout! {
    /// What a byte is as a header, or behind the header 00.
    pub struct Entry {
        /// There is such a packet.
        known: 1,
        /// It ends here.
        whole: 1,
        /// Its index.
        index: INDEX_W,
    }
}

layout! {
    /// What a byte is, whatever the state.
    pub struct Predecode {
        /// It counts.
        keep: 1,
        /// It is 00.
        zero: 1,
        /// An A-Sync ends with it.
        hit: 1,
        /// See [`Entry`]: as a header.
        header_known: 1,
        header_whole: 1,
        header_index: INDEX_W,
        /// Behind the header 00.
        extension_known: 1,
        extension_whole: 1,
        extension_index: INDEX_W,
    }
}

layout! {
    /// The result of a byte.
    pub struct LaneResult {
        /// See [`outcome`].
        outcome: 3,
        /// Index of the packet that ends, or that begins and cannot be read.
        index: INDEX_W,
    }
}

/// Bits of [`LaneResult`].
pub const LANE_RESULT_W: usize = LaneResult::WIDTH;
