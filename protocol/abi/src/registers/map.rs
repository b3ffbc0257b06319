// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a register is: 32 bits, fields, and what the bus may do with them.

/// What the bus may do with a field, and where its value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read-only, always its reset value.
    Constant,
    /// Read-only, the state of the core now.
    Live,
    /// Read-only, the state of the core as of the last snapshot.
    Snapshot,
    /// Read and write.
    ReadWrite,
    /// Write 1 for a pulse of one cycle; reads 0.
    Pulse,
    /// Reads 1 once something has happened; write 1 to clear.
    Event,
}

impl Access {
    /// The short name of documents: `ro`, `rw`, `w1` or `w1c`.
    pub fn code(self) -> &'static str {
        match self {
            Access::Constant | Access::Live | Access::Snapshot => "ro",
            Access::ReadWrite => "rw",
            Access::Pulse => "w1",
            Access::Event => "w1c",
        }
    }
}

/// Some bits of a register.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Name in upper case.
    pub name: &'static str,
    /// Lowest bit.
    pub low: u32,
    /// Bits.
    pub width: u32,
    /// What the bus may do.
    pub access: Access,
    /// Value after reset, from bit 0 on.
    pub reset: u32,
    /// One line for documents.
    pub text: &'static str,
}

impl Field {
    /// The bits of the field in its register.
    pub const fn mask(&self) -> u32 {
        (u32::MAX >> (32 - self.width)) << self.low
    }

    /// Highest bit.
    pub const fn high(&self) -> u32 {
        self.low + self.width - 1
    }
}

/// A register of 32 bits. Bits of no field read 0.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name in upper case.
    pub name: &'static str,
    /// Bytes from the start of the map, or of the block of its source.
    pub offset: u32,
    /// Fields, lowest bits first.
    pub fields: &'static [Field],
    /// One line for documents.
    pub text: &'static str,
}

impl Register {
    /// The bits of all fields with one kind of access.
    pub const fn bits(&self, access: Access) -> u32 {
        let (mut bits, mut index) = (0, 0);
        while index < self.fields.len() {
            if self.fields[index].access as u8 == access as u8 {
                bits |= self.fields[index].mask();
            }
            index += 1;
        }
        bits
    }

    /// The value after reset.
    pub const fn reset(&self) -> u32 {
        let (mut value, mut index) = (0, 0);
        while index < self.fields.len() {
            value |= self.fields[index].reset << self.fields[index].low;
            index += 1;
        }
        value
    }
}
