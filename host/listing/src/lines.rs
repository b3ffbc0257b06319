// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of text, one behind the other.
//!
//! What is put into a line is a copy of a fixed size, and the next copy begins where its text ends: no branch
//! depends on the length of a text. So there is room behind the last line, which is cleared once alone.

use super::write::{PAIRS, hex_digits};

/// Bytes of a text that is put at once, at most.
pub const CHUNK: usize = 64;

/// Lines that are not written yet.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The text, and room behind it.
    bytes: Vec<u8>,
    len: usize,
}

impl Lines {
    /// Their text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Throws all of them away.
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Appends text.
    pub fn push(&mut self, text: &[u8]) {
        let start = self.len;
        self.make_room(text.len());
        self.len += text.len();
        self.bytes[start..self.len].copy_from_slice(text);
    }

    /// Appends a line, which `write` makes. `longest` is its length at most.
    #[inline(always)]
    pub(super) fn append(&mut self, longest: usize, write: impl FnOnce(&mut Place<'_>)) {
        self.make_room(longest + CHUNK);
        let mut place = Place {
            bytes: &mut self.bytes[self.len..],
            len: 0,
        };
        write(&mut place);
        self.len += place.len;
    }

    #[inline(always)]
    fn make_room(&mut self, bytes: usize) {
        let end = self.len + bytes;
        if self.bytes.len() < end {
            self.bytes.resize(end.next_power_of_two(), 0);
        }
    }
}

/// A line that is being made in the first `len` bytes.
pub struct Place<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

impl Place<'_> {
    /// Puts the first `len` bytes of a text.
    #[inline(always)]
    pub fn put<const BYTES: usize>(&mut self, text: &[u8; BYTES], len: usize) {
        self.bytes[self.len..self.len + BYTES].copy_from_slice(text);
        self.len += len;
    }

    /// Puts bytes, two hexadecimal digits each.
    #[inline(always)]
    pub fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.put(&PAIRS[usize::from(*byte)], 2);
        }
    }

    /// Puts a hexadecimal number of at least `width` digits.
    #[inline(always)]
    pub fn hex(&mut self, value: u64, width: usize) {
        let (digits, count) = hex_digits(value, width);
        self.put(&digits, count);
    }
}
