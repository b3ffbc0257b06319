// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet: opcode, data and timestamp.

use crate::Opcode;
use crate::opcode::OPCODES;

/// The timestamp of a packet, as it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Stamp {
    /// Nibbles of the value: 0 to 12, 14 or 16.
    pub nibbles: u8,
    /// The low bits of the timestamp, in the coding of the stream.
    pub value: u64,
}

/// The size nibble that stands for no number of nibbles.
pub const BAD_SIZE: u8 = 0xF;

impl Stamp {
    /// Nibbles that follow a size nibble; none of [`BAD_SIZE`].
    pub const fn nibbles_of(size: u8) -> Option<u8> {
        match size {
            0..BAD_SIZE => Some(size + size.saturating_sub(12)),
            _ => None,
        }
    }

    /// The size nibble for a number of nibbles; none for 13 and 15, and above 16.
    pub const fn size_of(nibbles: u8) -> Option<u8> {
        match nibbles {
            0..=12 => Some(nibbles),
            14 => Some(13),
            16 => Some(14),
            _ => None,
        }
    }
}

/// A packet. A part that it does not have is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Its opcode.
    pub opcode: Opcode,
    /// Data, right-aligned.
    pub data: u64,
    /// Timestamp.
    pub stamp: Stamp,
}

impl Packet {
    /// A packet with every value 0.
    pub const fn new(opcode: Opcode) -> Packet {
        Packet {
            opcode,
            data: 0,
            stamp: Stamp {
                nibbles: 0,
                value: 0,
            },
        }
    }

    /// NULL, the shortest packet.
    pub const NULL: Packet = Packet::new(OPCODES[0]);
}
