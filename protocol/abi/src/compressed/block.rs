// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks: pieces of a compressed trace that are decoded alone.
//!
//! All blocks of a trace have the same number of 32-bit words, little-endian, and a memory has them one behind
//! the other. An encoder knows nothing at the start of a block.
//!
//! | word | bits | meaning |
//! |---|---|---|
//! | 0 | 31:16 | [`MARK`] |
//! | 0 | 15:12 | [`VERSION`] |
//! | 0 | 11:8, 7:0 | the numbers of the encoder and of its preset |
//! | 1 | 31:16 | the number of the block, modulo 2^16 |
//! | 1 | 14:8 | the trace ID |
//! | 1 | 0 | it is the first one since the encoder was enabled |
//! | 1 | 1 | events were lost in front of it |
//! | 1 | 4 | the instructions are A32 |
//! | 2, 3 | | address of the first instruction |
//! | 4 | | context at the first instruction, as in [`super::item::Note::Context`] |
//! | 5 | | events that were lost since the encoder was enabled, saturating |
//! | 6 and on | | bits, the first one in bit 0 of word 6; zeros behind them |
//! | last but one | 19:0 | how many bits |
//! | last but one | 30 | a flush, a loss or the end of the trace closed it |
//! | last but one | 31 | the trace ends with it |
//! | last | | CRC-32 of all words before, as of Ethernet |
//!
//! A block of XE has elements: 0 in words 2 and 3, and the number [`super::encoder::ELEMENTS`].
//!
//! A block of an encoder without control records has fields behind its last record: [`REST_BITS`] with the
//! instructions since then, and those of streams 64 bits with the address of the first one. A block of a T-raptor
//! encoder ends in front of an event with which these instructions would be 2^32 or more.

/// What a block begins with.
pub const MARK: u32 = 0x5243;

/// Version of the format.
pub const VERSION: u32 = 2;

/// Words in front of the bits, and behind them.
pub const HEADER_WORDS: usize = 6;
/// See [`HEADER_WORDS`].
pub const TRAILER_WORDS: usize = 2;

/// Sizes of a block in bytes: the least, the usual and the greatest; each is a power of two.
pub const SIZES: [usize; 3] = [4 << 10, 16 << 10, 64 << 10];

/// Bits of the number of a size in a register of a core.
pub const SIZE_BITS: u32 = 3;

/// The bytes of a block by the number of its size, 0 to 7: the least size times two to the power of it, up to
/// the greatest one.
pub const fn size(number: u32) -> usize {
    let [least, _, most] = SIZES;
    let bytes = least << number;
    if bytes > most { most } else { bytes }
}

/// The number of a size, one of 4, 8, 16, 32 and 64 KiB.
pub const fn size_number(bytes: usize) -> u32 {
    (bytes / SIZES[0]).ilog2()
}

/// Bits of a number of bits in a block.
pub const COUNT_BITS: u32 = 20;
/// The flags of [`Trailer`] in the last word but one.
pub const SHORT_BIT: u32 = 30;
/// See [`SHORT_BIT`].
pub const END_BIT: u32 = 31;

/// An encoder takes no event if it has fewer bits left.
pub const MARGIN_BITS: u64 = 256;

/// Bits of a number of instructions behind the last record.
pub const REST_BITS: u32 = 32;

/// What the first words of a block say of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The numbers of the encoder and of its preset.
    pub encoder: (u8, u8),
    /// The number of the block.
    pub sequence: u16,
    /// The trace ID.
    pub trace_id: u8,
    /// It is the first one since the encoder was enabled.
    pub is_first: bool,
    /// Events were lost in front of it.
    pub lost_before: bool,
    /// The instructions are A32.
    pub is_a32: bool,
    /// Address of the first instruction.
    pub address: u64,
    /// Context at the first instruction.
    pub context: u32,
    /// Events that were lost since the encoder was enabled, saturating.
    pub lost: u32,
}

impl Header {
    /// The first words of the block.
    pub fn words(&self) -> [u32; HEADER_WORDS] {
        let flags = [(self.is_first, 0), (self.lost_before, 1), (self.is_a32, 4)];
        let flags = set(&flags);
        let (encoder, preset) = self.encoder;
        [
            MARK << 16 | VERSION << 12 | u32::from(encoder & 0xF) << 8 | u32::from(preset),
            u32::from(self.sequence) << 16 | u32::from(self.trace_id & 0x7F) << 8 | flags,
            self.address as u32,
            (self.address >> 32) as u32,
            self.context,
            self.lost,
        ]
    }

    /// What the first words of a block say; `None` if they are not those of one.
    pub fn of_words(words: [u32; HEADER_WORDS]) -> Option<Header> {
        let [first, second, low, high, context, lost] = words;
        if first >> 12 != MARK << 4 | VERSION {
            return None;
        }
        let flag = |bit: u32| second >> bit & 1 == 1;
        Some(Header {
            encoder: ((first >> 8 & 0xF) as u8, first as u8),
            sequence: (second >> 16) as u16,
            trace_id: (second >> 8 & 0x7F) as u8,
            is_first: flag(0),
            lost_before: flag(1),
            is_a32: flag(4),
            address: u64::from(high) << 32 | u64::from(low),
            context,
            lost,
        })
    }
}

/// What a block says of itself when it is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Trailer {
    /// Bits of its records.
    pub bits: u32,
    /// A flush, a loss or the end of the trace closed it.
    pub is_short: bool,
    /// The trace ends with it.
    pub is_end: bool,
}

impl Trailer {
    /// The last word but one of the block.
    pub fn word(&self) -> u32 {
        let flags = [(self.is_short, SHORT_BIT), (self.is_end, END_BIT)];
        self.bits | set(&flags)
    }

    /// What the last word but one of a block says.
    pub fn of_word(word: u32) -> Trailer {
        Trailer {
            bits: word & ((1 << COUNT_BITS) - 1),
            is_short: word >> SHORT_BIT & 1 == 1,
            is_end: word >> END_BIT & 1 == 1,
        }
    }
}

/// Flags at their bits.
fn set(flags: &[(bool, u32)]) -> u32 {
    let bits = flags.iter().map(|&(flag, bit)| u32::from(flag) << bit);
    bits.fold(0, |all, bit| all | bit)
}
