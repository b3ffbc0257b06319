// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decimal offsets of packets, of which most differ from the one before in their last two digits only.

use super::lines::Place;
use super::write::{self, DECIMALS};

/// Digits of an offset but the last two.
const FIRST: usize = 18;

/// Writes offsets of at least two digits, all of them right-aligned in the same number of places.
#[derive(Clone, Debug)]
pub struct Offsets {
    width: usize,
    /// The first digits of the last offset.
    first: u64,
    text: [u8; FIRST],
    len: usize,
}

impl Offsets {
    /// The least offset.
    pub const LEAST: u64 = 10;
    /// Length of the longest offset.
    pub const LONGEST: usize = FIRST + 2;

    /// Offsets in a column of at least `width` places, at most 20; 0 aligns nothing.
    pub fn new(width: usize) -> Offsets {
        let mut offsets = Offsets {
            width: width.saturating_sub(2).min(FIRST),
            first: 0,
            text: [b' '; FIRST],
            len: 0,
        };
        offsets.len = offsets.width;
        offsets
    }

    /// Puts an offset.
    #[inline(always)]
    pub fn put(&mut self, place: &mut Place<'_>, offset: u64) {
        let (first, last) = (offset / 100, (offset % 100) as usize);
        if first != self.first {
            self.set(first);
        }
        place.put(&self.text, self.len);
        place.put(&DECIMALS[last], 2);
    }

    /// Keeps other first digits.
    #[cold]
    fn set(&mut self, first: u64) {
        let mut text = String::new();
        if first > 0 {
            write::column(&mut text, first, self.width);
        } else {
            write::spaces(&mut text, self.width);
        }
        self.first = first;
        self.len = text.len();
        self.text[..text.len()].copy_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::Lines;
    use super::*;

    #[test]
    fn offsets_are_those_of_the_standard_formatter() {
        let values = [
            10,
            99,
            100,
            101,
            199,
            200,
            12_345,
            u64::MAX,
            u64::MAX - 1,
            10,
        ];
        for width in [0, 10, 20] {
            let mut offsets = Offsets::new(width);
            for value in values {
                let mut out = Lines::default();
                out.append(Offsets::LONGEST, |place| offsets.put(place, value));
                assert_eq!(out.as_bytes(), format!("{value:width$}").as_bytes());
            }
        }
    }
}
