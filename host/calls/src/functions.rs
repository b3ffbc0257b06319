// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which function an address belongs to.

use coretrace_program::LoadedFunction;

use crate::event::Thread;
use crate::symbols::ThreadSymbols;

/// Finds functions.
pub trait Functions {
    /// The function of an address of a thread, if one is known.
    fn at(&self, thread: &Thread, address: u64) -> Option<LoadedFunction>;
}

impl Functions for ThreadSymbols<'_> {
    fn at(&self, thread: &Thread, address: u64) -> Option<LoadedFunction> {
        self.of(self.process(thread)).function(address)
    }
}

/// Functions that are in the memory of every process.
impl<F: Fn(u64) -> Option<LoadedFunction>> Functions for F {
    fn at(&self, _: &Thread, address: u64) -> Option<LoadedFunction> {
        self(address)
    }
}
