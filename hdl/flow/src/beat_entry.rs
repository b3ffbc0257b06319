// SPDX-License-Identifier: MIT OR Apache-2.0
//! What waits to become a beat of its own: a sum of an indirect branch, or a hop of a frozen ring.

use super::item::MOST_SITE_W;
use coretrace_hdl_dataflow::layout;

/// Bits of the flags of a beat.
const FLAGS_W: usize = 4;

layout! {
    /// An INDIRECT or a HOP beat.
    pub struct BeatEntry {
        /// There is none: those of the read-out are all in front of it.
        is_end: 1,
        /// It is a hop.
        is_hop: 1,
        /// Branches in front of this entry were not counted.
        missed: 1,
        /// Bits 31:28 of the first word.
        flags: FLAGS_W,
        site: MOST_SITE_W,
        /// Where the branch led; of a hop, the branch.
        target: MOST_SITE_W,
        /// How often; of a hop, the atoms up to the trigger.
        count: 32,
    }
}

/// Bits of an entry.
pub const BEAT_ENTRY_W: usize = BeatEntry::WIDTH;
