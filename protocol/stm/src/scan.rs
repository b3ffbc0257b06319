// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole packets from memory, many nibbles at a time: what the parser gives, faster.

use crate::{ASYNC_FS, Kind, OPCODES, Packet, RawNibbles, Stamp};

/// Bytes that must be there from the one with the first nibble of a packet on, as whole words are read.
const AHEAD: usize = PLACES + 9;
/// Bytes with which a word may begin: more than there are, so that it never begins elsewhere.
const PLACES: usize = 32;

/// A packet in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanned<'b> {
    /// The packet.
    pub packet: Packet,
    /// How many nibbles it has, 1 to 35.
    pub len: usize,
    ahead: &'b [u8; AHEAD],
    /// The bit with which it begins: 0 or 4.
    start: usize,
}

impl Scanned<'_> {
    /// Its nibbles.
    #[inline(always)]
    pub fn raw(&self) -> RawNibbles {
        let words = [0, 64, 128].map(|bit| word(self.ahead, self.start + bit));
        RawNibbles::of(words, self.len)
    }
}

/// The packet that begins at a nibble of a stream. None of an ASYNC, of what is no packet, and of what begins
/// in the last 40 bytes.
///
/// No branch depends on which packets there are, but for data of 64 bits and for the longest timestamps.
#[inline(always)]
pub fn scan(bytes: &[u8], nibble: usize) -> Option<Scanned<'_>> {
    let ahead: &[u8; AHEAD] = bytes.get(nibble / 2..nibble / 2 + AHEAD)?.first_chunk()?;
    let start = 4 * (nibble % 2);
    let begin = nibbles(ahead, start);
    let row = &ROWS[begin as usize % ROWS.len()];
    let opcode = OPCODES.get(usize::from(row.number))?;
    // The next packet waits for this size, so it is taken from the first word if it is there.
    let behind = usize::from(row.body_bits);
    let size = if behind < 64 {
        begin >> behind
    } else {
        nibbles(ahead, start + behind)
    };
    let stamp_nibbles = SIZES[(size as u8 & row.size_mask) as usize % SIZES.len()];
    if stamp_nibbles == NO_SIZE {
        return None;
    }
    let data_at = 4 * usize::from(opcode.nibbles);
    let data = match opcode.data {
        16 => word(ahead, start + data_at),
        data => first(reversed(begin >> data_at), data),
    };
    let stamp_at = start + behind + 4;
    let value = match stamp_nibbles {
        16 => word(ahead, stamp_at),
        _ => first(reversed(nibbles(ahead, stamp_at)), stamp_nibbles),
    };
    Some(Scanned {
        packet: Packet {
            opcode: *opcode,
            data,
            stamp: Stamp {
                nibbles: stamp_nibbles,
                value,
            },
        },
        len: usize::from(row.before_stamp) + usize::from(stamp_nibbles),
        ahead,
        start,
    })
}

/// Whether the shortest ASYNC is at a nibble of a stream; not in the last 40 bytes.
pub fn is_async(bytes: &[u8], nibble: usize) -> bool {
    let ahead = bytes.get(nibble / 2..).and_then(<[u8]>::first_chunk);
    ahead.is_some_and(|ahead| {
        let start = 4 * (nibble % 2);
        let last = start + 4 * (usize::from(ASYNC_FS) - 15);
        word(ahead, start) == u64::MAX && word(ahead, last) == u64::MAX << 4
    })
}

/// 16 nibbles from a bit on, at most the 252nd; the first one is in the highest place.
#[inline(always)]
fn word(ahead: &[u8; AHEAD], bit: usize) -> u64 {
    let last = u64::from(ahead[bit / 8 % PLACES + 8] & 0xF);
    reversed(nibbles(ahead, bit)) | last >> (4 - bit % 8)
}

/// As [`word`], but the first nibble is in the lowest place. The last one is missing if a byte has the first one
/// in its high bits.
#[inline(always)]
fn nibbles(ahead: &[u8; AHEAD], bit: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&ahead[bit / 8 % PLACES..][..8]);
    u64::from_le_bytes(eight) >> (bit % 8)
}

/// The nibbles of a word in reverse order.
#[inline(always)]
fn reversed(word: u64) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x0F; 8]);
    let bytes = word.swap_bytes();
    (bytes & LOW) << 4 | bytes >> 4 & LOW
}

/// The first nibbles of a word, 0 to 15.
#[inline(always)]
fn first(word: u64, nibbles: u8) -> u64 {
    (word >> 1).wrapping_shr(!(4 * u32::from(nibbles)))
}

/// What is in [`SIZES`] for a size that none has.
const NO_SIZE: u8 = u8::MAX;

/// Nibbles of a timestamp, by its size nibble.
const SIZES: [u8; 16] = {
    let (mut sizes, mut size) = ([NO_SIZE; 16], 0);
    while size < sizes.len() {
        if let Some(nibbles) = Stamp::nibbles_of(size as u8) {
            sizes[size] = nibbles;
        }
        size += 1;
    }
    sizes
};

/// What three nibbles say that a packet begins with.
#[derive(Clone, Copy)]
struct Row {
    /// The number of its opcode; one behind the table for an ASYNC and for what is no packet.
    number: u8,
    /// Bits of its opcode and its data.
    body_bits: u8,
    /// Nibbles before the value of its timestamp.
    before_stamp: u8,
    /// The bits that a size has: 0 without a timestamp.
    size_mask: u8,
}

/// By three nibbles, the first one in the lowest place.
const ROWS: [Row; 1 << 12] = {
    let none = Row {
        number: u8::MAX,
        body_bits: 0,
        before_stamp: 0,
        size_mask: 0,
    };
    let (mut rows, mut number) = ([none; 1 << 12], 0);
    while number < OPCODES.len() {
        let opcode = OPCODES[number];
        let body = opcode.nibbles + opcode.data;
        let free = 12 - 4 * opcode.nibbles as u32;
        let mut code = (opcode.code as usize) << free;
        let end = (opcode.code as usize + 1) << free;
        while code < end && !matches!(opcode.kind, Kind::Async) {
            rows[code >> 8 | code & 0xF0 | (code & 0xF) << 8] = Row {
                number: number as u8,
                body_bits: 4 * body,
                before_stamp: body + opcode.is_stamped as u8,
                size_mask: if opcode.is_stamped { 0xF } else { 0 },
            };
            code += 1;
        }
        number += 1;
    }
    rows
};
