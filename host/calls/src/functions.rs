// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which function an address belongs to.

use coretrace_program::{LoadedFunction, Symbols};

/// Finds functions.
pub trait Functions {
    /// The function of an address, if one is known.
    fn at(&self, address: u64) -> Option<LoadedFunction>;
}

impl Functions for Symbols<'_> {
    fn at(&self, address: u64) -> Option<LoadedFunction> {
        self.function(address)
    }
}

impl<F: Fn(u64) -> Option<LoadedFunction>> Functions for F {
    fn at(&self, address: u64) -> Option<LoadedFunction> {
        self(address)
    }
}
