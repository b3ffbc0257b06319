// SPDX-License-Identifier: MIT OR Apache-2.0
//! What became of the bytes of a port or a buffer.

/// Counts of frames and syncs, and of bytes that became neither.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyncStatistics {
    /// Whole frames.
    pub frames: u64,
    /// Full syncs.
    pub full_syncs: u64,
    /// Half syncs between and inside frames.
    pub half_syncs: u64,
    /// Full syncs that ended a search for one.
    pub acquisitions: u64,
    /// Times that data was lost while in sync: a partial frame or a damaged pair.
    pub losses: u64,
    /// Bytes skipped in search of a full sync.
    pub unsynchronised_bytes: u64,
    /// Bytes of frames cut short by a loss or the end of the stream.
    pub partial_bytes: u64,
    /// Bytes of pairs that are neither data nor a sync.
    pub corrupt_bytes: u64,
    /// Bytes that a trace probe added between blocks of the port.
    pub footer_bytes: u64,
}

impl SyncStatistics {
    /// All bytes accounted for, which is all bytes fed once the stream is finished.
    pub fn total_bytes(&self) -> u64 {
        16 * self.frames
            + 4 * self.full_syncs
            + 2 * self.half_syncs
            + self.unsynchronised_bytes
            + self.partial_bytes
            + self.corrupt_bytes
            + self.footer_bytes
    }
}
