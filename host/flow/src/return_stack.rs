// SPDX-License-Identifier: MIT OR Apache-2.0
//! The return stack of a trace unit, as a decoder keeps it.

use coretrace_isa::Isa;

/// Entries. That of a trace unit is smaller; a push beyond its depth overwrites the oldest entry.
const DEPTH: usize = 16;

/// An address to which a program returns.
pub type ReturnAddress = (u64, Isa);

/// The return addresses of calls, newest last.
#[derive(Clone, Debug)]
pub struct ReturnStack {
    entries: [ReturnAddress; DEPTH],
    /// The number of the newest one; wraps.
    newest: usize,
    count: usize,
}

impl Default for ReturnStack {
    fn default() -> ReturnStack {
        ReturnStack {
            entries: [(0, Isa::A64); DEPTH],
            newest: 0,
            count: 0,
        }
    }
}

impl ReturnStack {
    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = ReturnAddress> {
        let place = |age: usize| (self.newest + DEPTH - age) % DEPTH;
        (0..self.count)
            .rev()
            .map(move |age| self.entries[place(age)])
    }

    /// Puts an address on top.
    pub fn push(&mut self, address: ReturnAddress) {
        self.newest = (self.newest + 1) % DEPTH;
        self.entries[self.newest] = address;
        self.count = (self.count + 1).min(DEPTH);
    }

    /// Takes the address on top, if there is any.
    pub fn pop(&mut self) -> Option<ReturnAddress> {
        self.count = self.count.checked_sub(1)?;
        let address = self.entries[self.newest];
        self.newest = (self.newest + DEPTH - 1) % DEPTH;
        Some(address)
    }
}
