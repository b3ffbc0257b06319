// SPDX-License-Identifier: MIT OR Apache-2.0
//! A place for one line at the end of a buffer.
//!
//! What is put there is a copy of a fixed size, and the next copy begins where its text ends: no branch
//! depends on the length of a text.

use super::write::{PAIRS, hex_digits};

/// Bytes of a text that is put at once, at most.
pub const CHUNK: usize = 64;

/// A line that is being made in the first `len` bytes.
pub struct Place<'a> {
    bytes: &'a mut [u8],
    len: usize,
}

/// Appends a line, which `write` makes. `longest` is its length at most.
#[inline(always)]
pub fn append(out: &mut Vec<u8>, longest: usize, write: impl FnOnce(&mut Place<'_>)) {
    let start = out.len();
    out.resize(start + longest + CHUNK, 0);
    let mut place = Place {
        bytes: &mut out[start..],
        len: 0,
    };
    write(&mut place);
    let end = start + place.len;
    out.truncate(end);
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
