// SPDX-License-Identifier: MIT OR Apache-2.0
//! Return addresses in a ring: a call too many overwrites the oldest.

/// The ring.
pub struct Calls {
    ring: Vec<u64>,
    top: usize,
    depth: usize,
}

impl Calls {
    /// A ring of so many places.
    pub fn new(size: usize) -> Calls {
        Calls {
            ring: vec![0; size],
            top: 0,
            depth: 0,
        }
    }

    /// Where the newest call returns to.
    pub fn top(&self) -> Option<u64> {
        let size = self.ring.len();
        (self.depth > 0).then(|| self.ring[(self.top + size - 1) % size])
    }

    /// A call that returns there.
    pub fn call(&mut self, address: u64) {
        let size = self.ring.len();
        if size > 0 {
            self.ring[self.top] = address;
            self.top = (self.top + 1) % size;
            self.depth = size.min(self.depth + 1);
        }
    }

    /// The newest call has returned.
    pub fn leave(&mut self) {
        if self.depth > 0 {
            self.top = (self.top + self.ring.len() - 1) % self.ring.len();
            self.depth -= 1;
        }
    }
}
