// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the blocks of the record stream hand on: a group, which has the records of a word.

use coretrace_hdl_dataflow::layout;

layout! {
    /// How a row is sent: in units of up to four words.
    pub struct GroupPlan {
        /// The source was enabled: what follows has its settings, which are in the row. It ends a
        /// packet.
        starts: 1,
        /// It ends a packet, and has no group.
        ends: 1,
        /// A packet begins with it; another one may end before it.
        begins: 1,
        /// Bytes were lost before it: a unit says so.
        lost: 1,
        /// It has a group.
        has_group: 1,
        /// Units of the group after the first one.
        more: 2,
        /// Words of the last unit, less one.
        tail: 2,
    }
}

layout! {
    /// What a lane reports.
    pub struct GroupLane {
        /// Tag of the record stream, 0 for none.
        tag: 8,
        /// Which word of the body is a continuation field or an error; 3 for none.
        own_at: 2,
        /// That word is `small`, as opposed to the last word of the pair.
        is_small: 1,
        /// A continuation field of one byte, or an error.
        small: 9,
        /// Number of words of the address, and of the whole record.
        address_words: 2,
        words: 3,
        /// Number of words before them in the row: the tag word, and those of the lanes before.
        offset: 4,
        /// Newest address register after the lane; the IS bit in bit 0.
        address: 64,
    }
}

layout! {
    /// The words of the body of the one record in the pair that has more than a continuation field,
    /// and the one such field of two or more bytes, in `word2` unless a context or an
    /// instrumentation value ends there.
    pub struct GroupPair {
        word0: 32,
        word1: 32,
        word2: 32,
    }
}

/// Lanes of a row.
pub(super) const LANES: usize = 4;
/// Bits of a row.
pub const GROUP_W: usize =
    GroupPlan::WIDTH + LANES * GroupLane::WIDTH + LANES / 2 * GroupPair::WIDTH;
