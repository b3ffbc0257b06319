// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a nibble of an opcode or of a size means: `coretrace_stm::OPCODES` by parts.

use super::layouts::{COUNT_W, ROW_W, outcome, part};
use coretrace_hdl_dataflow::{Table, Word, layout};
use coretrace_stm::opcode::{Found, OPCODES, find};
use coretrace_stm::{Kind, Opcode, Packet, Stamp, State};
use std::sync::LazyLock;

layout! {
    /// What follows.
    pub struct Entry {
        /// The part that the next nibble is of, if no record ends.
        next: 3,
        /// Nibbles of the data, or of the value of the timestamp.
        left: COUNT_W,
        /// The opcode.
        row: ROW_W,
        /// A timestamp follows the data.
        is_stamped: 1,
        /// How a record ends.
        outcome: 3,
    }
}

const NONE: Entry<u64> = Entry {
    next: part::OPCODE,
    left: 0,
    row: 0,
    is_stamped: 0,
    outcome: outcome::NONE,
};

/// The number of an opcode in the table.
pub fn row_of(opcode: &Opcode) -> u64 {
    let same = |row: &Opcode| (row.code, row.nibbles) == (opcode.code, opcode.nibbles);
    OPCODES
        .iter()
        .position(same)
        .expect("an opcode of the table") as u64
}

/// The number of the only opcode of a kind.
pub fn only_row(kind: Kind) -> u64 {
    let of_kind = OPCODES.iter().find(|row| row.kind == kind);
    row_of(of_kind.expect("an opcode of each kind"))
}

/// Whether a VERSION with this data says how timestamps are coded.
pub fn is_legal_version(data: u64) -> bool {
    let version = Packet {
        opcode: OPCODES[only_row(Kind::Version) as usize],
        data,
        stamp: Stamp::default(),
    };
    State::default().apply(&version).is_ok()
}

/// The entry for nibble number `nibbles` of an opcode.
pub fn opcode_entry(before: u16, nibble: u16, nibbles: u8) -> Entry<u64> {
    match find(before << 4 | nibble, nibbles) {
        Found::Begun if nibbles == 1 => Entry {
            next: part::OPCODE_F,
            ..NONE
        },
        Found::Begun => Entry {
            next: part::OPCODE_F0,
            ..NONE
        },
        Found::Reserved => Entry {
            outcome: outcome::RESERVED,
            ..NONE
        },
        Found::Opcode(opcode) => {
            let next = match (opcode.kind, opcode.data, opcode.is_stamped) {
                (Kind::Async, ..) => part::ASYNC,
                (_, 1.., _) => part::DATA,
                (_, 0, true) => part::SIZE,
                (_, 0, false) => part::OPCODE,
            };
            let ends = next == part::OPCODE;
            Entry {
                next,
                left: opcode.data.into(),
                row: row_of(&opcode),
                is_stamped: opcode.is_stamped.into(),
                outcome: if ends { outcome::PACKET } else { outcome::NONE },
            }
        }
    }
}

/// The entry for the size of a timestamp.
pub fn size_entry(nibble: u8) -> Entry<u64> {
    let left = Stamp::nibbles_of(nibble).map(u64::from);
    let outcome = match left {
        None => outcome::BAD_SEQUENCE,
        Some(0) => outcome::PACKET,
        Some(_) => outcome::NONE,
    };
    Entry {
        next: part::STAMP,
        left: left.unwrap_or(0),
        outcome,
        ..NONE
    }
}

/// By the low two bits of the part, then the nibble.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    Entry::table(|index| {
        let nibble = index as u8 % 16;
        match index as u64 / 16 {
            part::OPCODE => opcode_entry(0, nibble.into(), 1),
            part::OPCODE_F => opcode_entry(0xF, nibble.into(), 2),
            part::OPCODE_F0 => opcode_entry(0xF0, nibble.into(), 3),
            part::SIZE => size_entry(nibble),
            _ => NONE,
        }
    })
});

/// The entry for a nibble of one of the parts of the table.
pub fn entry<T: Word>(part: T, nibble: T) -> Entry<T> {
    let index = part.slice(0, 2).extend(4).concat(nibble);
    Entry::split(index.rom(&TABLE))
}
