// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole packets from memory, many nibbles at a time: what the parser gives, faster.

use crate::{Kind, OPCODES, Packet, RawNibbles, Stamp};

/// Bytes that must be there from the one with the first nibble of a packet on, as whole words are read.
const AHEAD: usize = 25;

/// A packet in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scanned<'b> {
    /// The packet.
    pub packet: Packet,
    /// How many nibbles it has, 1 to 35.
    pub len: usize,
    ahead: &'b [u8; AHEAD],
    start: usize,
}

impl Scanned<'_> {
    /// Its nibbles.
    #[inline(always)]
    pub fn raw(&self) -> RawNibbles {
        let words = [0, 16, 32].map(|place| word(self.ahead, self.start + place));
        RawNibbles::of(words, self.len)
    }
}

/// The packet that begins at a nibble of a stream. None of an ASYNC, of what is no packet, and of what begins
/// in the last 24 bytes.
#[inline(always)]
pub fn scan(bytes: &[u8], nibble: usize) -> Option<Scanned<'_>> {
    let ahead: &[u8; AHEAD] = bytes.get(nibble / 2..)?.first_chunk()?;
    let start = nibble % 2;
    let begin = word(ahead, start);
    let row = &ROWS[(begin >> 52) as usize];
    let opcode = OPCODES.get(usize::from(row.number))?;
    let mut packet = Packet::new(*opcode);
    let data = start + usize::from(opcode.nibbles);
    packet.data = first(word(ahead, data), opcode.data);
    let mut len = usize::from(row.body);
    if row.is_stamped {
        // The next packet waits for this length, so the size is taken from the first word if it is there.
        let size = if len < 16 {
            begin << (4 * len)
        } else {
            word(ahead, start + len)
        };
        let nibbles = Stamp::nibbles_of(first(size, 1) as u8)?;
        let value = first(word(ahead, start + len + 1), nibbles);
        packet.stamp = Stamp { nibbles, value };
        len += 1 + usize::from(nibbles);
    }
    Some(Scanned {
        packet,
        len,
        ahead,
        start,
    })
}

/// 16 nibbles from one on, at most the 33rd; the first one is in the highest place.
#[inline(always)]
fn word(ahead: &[u8; AHEAD], nibble: usize) -> u64 {
    const LOW: u64 = u64::from_ne_bytes([0x0F; 8]);
    let mut nine = [0; 9];
    nine.copy_from_slice(&ahead[nibble / 2..][..9]);
    let [eight @ .., last] = nine;
    let bytes = u64::from_be_bytes(eight);
    let even = (bytes & LOW) << 4 | bytes >> 4 & LOW;
    let odd = even << 4 | u64::from(last & 0xF);
    if nibble.is_multiple_of(2) { even } else { odd }
}

/// The first nibbles of a word, 0 to 16.
#[inline(always)]
fn first(word: u64, nibbles: u8) -> u64 {
    word.checked_shr(64 - 4 * u32::from(nibbles)).unwrap_or(0)
}

/// What three nibbles say that a packet begins with.
#[derive(Clone, Copy)]
struct Row {
    /// The number of its opcode; one behind the table for an ASYNC and for what is no packet.
    number: u8,
    /// Nibbles of its opcode and its data.
    body: u8,
    is_stamped: bool,
}

const ROWS: [Row; 1 << 12] = {
    let none = Row {
        number: u8::MAX,
        body: 0,
        is_stamped: false,
    };
    let (mut rows, mut number) = ([none; 1 << 12], 0);
    while number < OPCODES.len() {
        let opcode = OPCODES[number];
        let free = 12 - 4 * opcode.nibbles as u32;
        let mut code = (opcode.code as usize) << free;
        let end = (opcode.code as usize + 1) << free;
        while code < end && !matches!(opcode.kind, Kind::Async) {
            rows[code] = Row {
                number: number as u8,
                body: opcode.nibbles + opcode.data,
                is_stamped: opcode.is_stamped,
            };
            code += 1;
        }
        number += 1;
    }
    rows
};
