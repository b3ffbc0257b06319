// SPDX-License-Identifier: MIT OR Apache-2.0
//! Items on their way through `CommitRing`, of a trace unit without speculation.

use super::QueueItem;

/// What leaves the sequencer in a cycle: an item, or an address and its atoms.
pub type Issue = [Option<QueueItem>; 2];

/// The registers between the sequencer and `Rank`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ring {
    coming: Option<Issue>,
    current: Option<Issue>,
    later: Option<Issue>,
}

impl Ring {
    /// Whether nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.coming.or(self.current).or(self.later).is_none()
    }

    /// Whether the sequencer may send in this cycle; `goes` says that something may leave.
    pub fn is_free(&self, goes: bool) -> bool {
        goes || self.current.is_none()
    }

    /// A cycle; returns what leaves.
    pub fn cycle(&mut self, goes: bool, sent: Option<Issue>) -> Option<Issue> {
        let is_free = self.is_free(goes);
        let coming = std::mem::replace(&mut self.coming, sent);
        if !is_free {
            self.later = self.later.or(coming);
            return None;
        }
        let left = self.current;
        self.current = self.later.take().or(coming);
        left
    }
}
