// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bits of a signal, as a kernel names them.

use super::scope::Role;

/// Bits of a named signal.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// rust-hdl's name of the signal.
    pub name: String,
    pub text: String,
    /// Width of the whole signal.
    pub of: usize,
    pub offset: usize,
    pub width: usize,
    pub role: Role,
}

impl Place {
    pub fn part(mut self, offset: usize, width: usize) -> Option<Place> {
        if offset.checked_add(width)? > self.width {
            return None;
        }
        self.offset += offset;
        self.width = width;
        Some(self)
    }

    pub fn verilog(&self) -> String {
        let (text, low, high) = (&self.text, self.offset, self.offset + self.width);
        if self.width == self.of {
            text.clone()
        } else if self.width == 1 {
            format!("{text}[{low}]")
        } else {
            format!("{text}[{}:{low}]", high - 1)
        }
    }
}
