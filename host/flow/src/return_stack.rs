// SPDX-License-Identifier: MIT OR Apache-2.0
//! The return stack of a trace unit, as a decoder keeps it.

/// Entries of a [`ReturnStack`]. That of a trace unit is smaller.
pub const RETURN_STACK_DEPTH: usize = 16;

/// The places that calls return to, newest last. A push beyond the depth overwrites the oldest one.
#[derive(Clone, Debug)]
pub struct ReturnStack<T> {
    entries: [T; RETURN_STACK_DEPTH],
    /// The number of the newest one; wraps.
    newest: usize,
    count: usize,
}

impl<T: Copy> ReturnStack<T> {
    /// An empty one. `unused` fills the entries that have none.
    pub fn new(unused: T) -> ReturnStack<T> {
        ReturnStack {
            entries: [unused; RETURN_STACK_DEPTH],
            newest: 0,
            count: 0,
        }
    }

    /// Forgets all entries.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> impl Iterator<Item = T> {
        let place = |age: usize| (self.newest + RETURN_STACK_DEPTH - age) % RETURN_STACK_DEPTH;
        (0..self.count)
            .rev()
            .map(move |age| self.entries[place(age)])
    }

    /// Puts an entry on top.
    pub fn push(&mut self, entry: T) {
        self.newest = (self.newest + 1) % RETURN_STACK_DEPTH;
        self.entries[self.newest] = entry;
        self.count = (self.count + 1).min(RETURN_STACK_DEPTH);
    }

    /// Takes the entry on top, if there is any.
    pub fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        let entry = self.entries[self.newest];
        self.newest = (self.newest + RETURN_STACK_DEPTH - 1) % RETURN_STACK_DEPTH;
        Some(entry)
    }
}
