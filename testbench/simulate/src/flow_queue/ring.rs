// SPDX-License-Identifier: MIT OR Apache-2.0
//! Items on their way through `CommitRing`, of a trace unit without speculation.

use std::collections::VecDeque;

use super::QueueItem;

/// What leaves the sequencer in a cycle: an item, or an address and its atoms.
pub type Issue = [Option<QueueItem>; 2];

/// The registers between the sequencer and `Rank`.
#[derive(Clone, Debug, Default)]
pub struct Ring {
    coming: Option<Issue>,
    current: Option<Issue>,
    /// Two at most.
    later: VecDeque<Issue>,
}

impl Ring {
    /// Whether nothing is on its way.
    pub fn is_empty(&self) -> bool {
        self.coming.or(self.current).is_none() && self.later.is_empty()
    }

    /// Whether the sequencer may send in this cycle.
    pub fn is_ready(&self) -> bool {
        self.later.is_empty()
    }

    /// A cycle, in which something may leave if it `goes`; returns what leaves.
    pub fn cycle(&mut self, goes: bool, sent: Option<Issue>) -> Option<Issue> {
        let is_free = goes || self.current.is_none();
        self.later.extend(std::mem::replace(&mut self.coming, sent));
        let left = self.current.filter(|_| goes);
        if is_free {
            self.current = self.later.pop_front();
        }
        left
    }
}
