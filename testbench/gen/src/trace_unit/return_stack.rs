// SPDX-License-Identifier: MIT OR Apache-2.0
//! The return stack of the trace unit.

use std::collections::VecDeque;

/// Return addresses, the newest last. A push beyond the depth drops the oldest.
#[derive(Clone, Debug)]
pub struct ReturnStack {
    entries: VecDeque<u64>,
    depth: usize,
    /// There was no address packet since the last Trace Info, so a decoder that begins there
    /// does not know where calls come from: nothing is pushed.
    waits: bool,
}

impl ReturnStack {
    /// A stack of this depth; with a depth of 0 it does nothing.
    pub fn new(depth: usize) -> ReturnStack {
        ReturnStack {
            entries: VecDeque::new(),
            depth,
            waits: true,
        }
    }

    /// Whether there is one.
    pub fn is_used(&self) -> bool {
        self.depth > 0
    }

    /// A Trace Info.
    pub fn forget(&mut self) {
        self.entries.clear();
        self.waits = true;
    }

    /// Tracing began.
    pub fn clear(&mut self) {
        self.entries.clear();
    }

    /// An address packet that is part of the flow.
    pub fn address_was_sent(&mut self) {
        self.waits = false;
    }

    /// A call.
    pub fn push(&mut self, address: u64) {
        if self.waits || !self.is_used() {
            return;
        }
        if self.entries.len() == self.depth {
            self.entries.pop_front();
        }
        self.entries.push_back(address);
    }

    /// Whether a target is the newest entry, which it then is no more.
    pub fn pop_if(&mut self, target: u64) -> bool {
        let is_top = self.entries.back() == Some(&target);
        if is_top {
            self.entries.pop_back();
        }
        is_top
    }
}
