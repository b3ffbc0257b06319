// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of opcodes. Source: MIPI STPv2, as far as Arm IHI 0054 uses it.

use crate::Kind;

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opcode {
    /// The nibbles of the opcode, the first one in the highest place.
    pub code: u16,
    /// How many there are, 1 to 3.
    pub nibbles: u8,
    /// The name that OpenCSD's packet lister prints.
    pub name: &'static str,
    /// What the packet is.
    pub kind: Kind,
    /// Nibbles of data behind the opcode: 0, 1, 2, 4, 8 or 16.
    pub data: u8,
    /// Whether it is marked.
    pub is_marked: bool,
    /// Whether a timestamp follows the data.
    pub is_stamped: bool,
}

const fn plain(code: u16, nibbles: u8, kind: Kind, data: u8) -> Opcode {
    Opcode {
        code,
        nibbles,
        name: kind.name(),
        kind,
        data,
        is_marked: false,
        is_stamped: false,
    }
}

const fn variant(row: Opcode, name: &'static str, is_marked: bool, is_stamped: bool) -> Opcode {
    Opcode {
        name,
        is_marked,
        is_stamped,
        ..row
    }
}

const fn marked(row: Opcode, name: &'static str) -> Opcode {
    variant(row, name, true, false)
}

const fn stamped(row: Opcode, name: &'static str) -> Opcode {
    variant(row, name, false, true)
}

const fn both(row: Opcode, name: &'static str) -> Opcode {
    variant(row, name, true, true)
}

/// Every opcode of the STM. The one of ASYNC is its first two nibbles.
pub const OPCODES: [Opcode; 34] = [
    plain(0x0, 1, Kind::Null, 0),
    plain(0x1, 1, Kind::Master, 2),
    plain(0x2, 1, Kind::MasterError, 2),
    plain(0x3, 1, Kind::Channel8, 2),
    plain(0x4, 1, Kind::Data8, 2),
    plain(0x5, 1, Kind::Data16, 4),
    plain(0x6, 1, Kind::Data32, 8),
    plain(0x7, 1, Kind::Data64, 16),
    both(plain(0x8, 1, Kind::Data8, 2), "D8MTS"),
    both(plain(0x9, 1, Kind::Data16, 4), "D16MTS"),
    both(plain(0xA, 1, Kind::Data32, 8), "D32MTS"),
    both(plain(0xB, 1, Kind::Data64, 16), "D64MTS"),
    plain(0xC, 1, Kind::Data4, 1),
    both(plain(0xD, 1, Kind::Data4, 1), "D4MTS"),
    stamped(plain(0xE, 1, Kind::Flag, 0), "FLAGTS"),
    plain(0xF2, 2, Kind::GlobalError, 2),
    plain(0xF3, 2, Kind::Channel16, 4),
    stamped(plain(0xF4, 2, Kind::Data8, 2), "D8TS"),
    stamped(plain(0xF5, 2, Kind::Data16, 4), "D16TS"),
    stamped(plain(0xF6, 2, Kind::Data32, 8), "D32TS"),
    stamped(plain(0xF7, 2, Kind::Data64, 16), "D64TS"),
    marked(plain(0xF8, 2, Kind::Data8, 2), "D8M"),
    marked(plain(0xF9, 2, Kind::Data16, 4), "D16M"),
    marked(plain(0xFA, 2, Kind::Data32, 8), "D32M"),
    marked(plain(0xFB, 2, Kind::Data64, 16), "D64M"),
    stamped(plain(0xFC, 2, Kind::Data4, 1), "D4TS"),
    marked(plain(0xFD, 2, Kind::Data4, 1), "D4M"),
    plain(0xFE, 2, Kind::Flag, 0),
    plain(0xFF, 2, Kind::Async, 0),
    plain(0xF00, 3, Kind::Version, 1),
    stamped(plain(0xF01, 3, Kind::Null, 0), "NULL"),
    plain(0xF06, 3, Kind::Trigger, 2),
    stamped(plain(0xF07, 3, Kind::Trigger, 2), "TRIGTS"),
    plain(0xF08, 3, Kind::Frequency, 8),
];

/// The opcodes of one, two and three nibbles, by their last nibble. Those of several begin with F, and
/// those of three with F0.
const BY_LAST: [[Option<Opcode>; 16]; 3] = {
    let (mut rows, mut next) = ([[None; 16]; 3], 0);
    while next < OPCODES.len() {
        let row = OPCODES[next];
        rows[row.nibbles as usize - 1][(row.code & 0xF) as usize] = Some(row);
        next += 1;
    }
    rows
};

/// What the first nibbles of a packet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// An opcode.
    Opcode(Opcode),
    /// The beginning of one.
    Begun,
    /// An opcode that the STM does not make.
    Reserved,
}

/// Looks up the first `nibbles` nibbles of a packet, 1 to 3: `code` has the first one in the highest
/// place.
pub const fn find(code: u16, nibbles: u8) -> Found {
    if matches!((code, nibbles), (0xF, 1) | (0xF0, 2)) {
        return Found::Begun;
    }
    let rows = match nibbles {
        1 => &BY_LAST[0],
        2 => &BY_LAST[1],
        _ => &BY_LAST[2],
    };
    match rows[(code & 0xF) as usize] {
        Some(row) => Found::Opcode(row),
        None => Found::Reserved,
    }
}
