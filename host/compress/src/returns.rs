// SPDX-License-Identifier: MIT OR Apache-2.0
//! Return addresses of the newest calls.

/// A stack that forgets the oldest address if it is full.
#[derive(Clone, Debug)]
pub struct Returns {
    addresses: Vec<u64>,
    most: usize,
}

impl Returns {
    /// An empty stack with room for so many.
    pub fn new(most: usize) -> Returns {
        Returns {
            addresses: Vec::new(),
            most,
        }
    }

    /// The newest one.
    pub fn newest(&self) -> Option<u64> {
        self.addresses.last().copied()
    }

    /// A call.
    pub fn push(&mut self, address: u64) {
        if self.most == 0 {
            return;
        }
        if self.addresses.len() == self.most {
            self.addresses.remove(0);
        }
        self.addresses.push(address);
    }

    /// A return.
    pub fn pop(&mut self) {
        self.addresses.pop();
    }
}
