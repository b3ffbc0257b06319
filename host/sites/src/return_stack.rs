// SPDX-License-Identifier: MIT OR Apache-2.0
//! The return stack: the sites that calls return to.

use coretrace_abi::flow_table::RETURN_STACK;

/// The sites behind calls, newest last. A push beyond the depth overwrites the oldest one.
#[derive(Clone, Debug, Default)]
pub struct ReturnStack {
    entries: [u32; RETURN_STACK],
    /// The place of the newest one.
    newest: usize,
    count: usize,
}

impl ReturnStack {
    pub fn clear(&mut self) {
        self.count = 0;
    }

    pub fn push(&mut self, site: u32) {
        self.newest = (self.newest + 1) % RETURN_STACK;
        self.entries[self.newest] = site;
        self.count = (self.count + 1).min(RETURN_STACK);
    }

    pub fn pop(&mut self) -> Option<u32> {
        self.count = self.count.checked_sub(1)?;
        let site = self.entries[self.newest];
        self.newest = (self.newest + RETURN_STACK - 1) % RETURN_STACK;
        Some(site)
    }
}
