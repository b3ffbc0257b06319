// SPDX-License-Identifier: MIT OR Apache-2.0
//! A word of the memory.

use super::{HALF_BITS, HALVES};

/// Bits of an entry.
pub const ENTRY_BITS: u32 = 38;

/// Bit of an entry: it is of the high half.
const HIGH: u32 = 36;
/// Bit of an entry: it is control.
const CONTROL: u32 = 37;
/// Bit of a control entry: the low half starts; the next one is that of the high half.
const START: u32 = 32;
/// Bit of a control entry: repeats of the low half end; the next one is that of the high half.
const END: u32 = 34;

/// An entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// What a half was.
    Data {
        /// The half: 0 is the low one.
        half: usize,
        /// [`HALF_BITS`] bits.
        data: u64,
    },
    /// When halves were.
    Control {
        /// A cycle, of a counter that wraps.
        cycle: u32,
        /// For each half: the next data are those of the cycle behind this one.
        starts: [bool; HALVES],
        /// For each half: the data before were the same up to this cycle.
        ends: [bool; HALVES],
        /// The state machine of the analyzer marks this entry.
        is_marked: bool,
    },
}

impl Entry {
    /// The entry in the low [`ENTRY_BITS`] bits of a word; those above are ignored.
    pub const fn from_word(word: u64) -> Entry {
        if word >> CONTROL & 1 == 0 {
            return Entry::Data {
                half: (word >> HIGH & 1) as usize,
                data: word & ((1 << HALF_BITS) - 1),
            };
        }
        Entry::Control {
            cycle: word as u32,
            starts: [bit(word, START), bit(word, START + 1)],
            ends: [bit(word, END), bit(word, END + 1)],
            is_marked: bit(word, HIGH),
        }
    }

    /// The word of the entry, the inverse of [`Entry::from_word`].
    pub const fn word(&self) -> u64 {
        match *self {
            Entry::Data { half, data } => (half as u64) << HIGH | data & ((1 << HALF_BITS) - 1),
            Entry::Control {
                cycle,
                starts,
                ends,
                is_marked,
            } => {
                1 << CONTROL
                    | (is_marked as u64) << HIGH
                    | (ends[1] as u64) << (END + 1)
                    | (ends[0] as u64) << END
                    | (starts[1] as u64) << (START + 1)
                    | (starts[0] as u64) << START
                    | cycle as u64
            }
        }
    }
}

const fn bit(word: u64, at: u32) -> bool {
    word >> at & 1 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_its_entry_and_back() {
        for word in (0..ENTRY_BITS)
            .map(|bit| 1 << bit)
            .chain([0, (1 << ENTRY_BITS) - 1])
        {
            assert_eq!(Entry::from_word(word).word(), word, "{word:#x}");
        }
    }

    #[test]
    fn fields_are_where_the_structures_have_them() {
        let data = Entry::Data {
            half: 1,
            data: 0xF_1234_5678,
        };
        assert_eq!(data.word(), 0x1F_1234_5678);
        let control = Entry::Control {
            cycle: 0x8000_0001,
            starts: [true, false],
            ends: [false, true],
            is_marked: false,
        };
        assert_eq!(control.word(), 0x29_8000_0001);
        assert_eq!(
            Entry::from_word(u64::MAX << ENTRY_BITS),
            Entry::Data { half: 0, data: 0 }
        );
    }
}
