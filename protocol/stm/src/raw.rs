// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nibbles of a packet, for listings.

/// Nibbles of a word.
const WORD: usize = 16;
/// Nibbles that are kept: the longest packet has 35.
const KEPT: usize = 3 * WORD;

/// The nibbles of a packet. Only a broken or an overlong ASYNC has more than 48: of it, the last nibble is kept,
/// and those before are all F.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawNibbles {
    /// The first nibble in the highest place.
    words: [u64; 3],
    len: u64,
}

impl RawNibbles {
    /// No nibble.
    pub const EMPTY: RawNibbles = RawNibbles {
        words: [0; 3],
        len: 0,
    };

    /// The first nibbles of three words, at most 48.
    #[inline(always)]
    pub(crate) fn of(words: [u64; 3], len: usize) -> RawNibbles {
        let mut raw = RawNibbles {
            words,
            len: len as u64,
        };
        for (number, word) in raw.words.iter_mut().enumerate() {
            let kept = len.saturating_sub(number * WORD).min(WORD);
            *word &= !u64::MAX.checked_shr(4 * kept as u32).unwrap_or(0);
        }
        raw
    }

    /// So many nibbles, all F but the last one: an ASYNC, whole or broken.
    pub fn of_async(len: u64, last: u8) -> RawNibbles {
        let before = len.saturating_sub(1).min(KEPT as u64 - 1);
        let mut raw = RawNibbles::of([u64::MAX; 3], before as usize);
        if len > 0 {
            raw.push(last);
        }
        raw.len = len;
        raw
    }

    /// Appends a nibble.
    pub fn push(&mut self, nibble: u8) {
        let place = (self.len as usize).min(KEPT - 1);
        let low = 60 - 4 * (place % WORD);
        let word = &mut self.words[place / WORD];
        *word = *word & !(0xF << low) | u64::from(nibble & 0xF) << low;
        self.len += 1;
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The nibbles in the order of the stream.
    pub fn iter(&self) -> impl Iterator<Item = u8> {
        let (words, len) = (self.words, self.len);
        (0..len).map(move |place| {
            let last = if place + 1 == len { KEPT - 1 } else { KEPT - 2 };
            let place = (place as usize).min(last);
            (words[place / WORD] >> (60 - 4 * (place % WORD))) as u8 & 0xF
        })
    }
}
