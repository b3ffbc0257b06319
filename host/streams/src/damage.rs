// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is missing in a stream, as sums.

use std::fmt;

use crate::item::{Gap, Item};

/// What a reader could not give out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Damage {
    /// Bytes that are no part of a whole packet.
    pub skipped_bytes: u64,
    /// Packets that are missing, as far as later ones show it.
    pub missing_packets: u64,
    /// Packets that came late, or a second time.
    pub late_packets: u64,
}

impl Damage {
    /// Counts an item, if it is one of those.
    pub fn count(&mut self, item: &Item<'_>) {
        match item {
            Item::Skipped(bytes) => self.skip(*bytes),
            Item::Gap(gap) => self.gap(gap),
            _ => {}
        }
    }

    /// Counts bytes that are no part of a packet.
    pub fn skip(&mut self, bytes: u64) {
        self.skipped_bytes += bytes;
    }

    /// Counts a step in the numbers of packets.
    pub fn gap(&mut self, gap: &Gap) {
        match gap.missing() {
            Some(packets) => self.missing_packets += u64::from(packets),
            None => self.late_packets += 1,
        }
    }

    /// Whether there is any.
    pub fn is_any(&self) -> bool {
        *self != Damage::default()
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} packets are missing, {} are out of order, and {} bytes are no part of a packet",
            self.missing_packets, self.late_packets, self.skipped_bytes
        )
    }
}
