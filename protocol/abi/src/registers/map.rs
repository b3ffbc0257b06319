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

/// The registers of a core.
#[derive(Clone, Copy, Debug)]
pub struct Map {
    /// Name, the prefix of all names in software.
    pub name: &'static str,
    /// The core that has it.
    pub core: &'static str,
    /// The document in `docs`.
    pub document: &'static str,
    /// The registers of the whole core.
    pub global: &'static [Register],
    /// The registers of each source.
    pub source: &'static [Register],
    /// Byte offset of the registers of source 0.
    pub source_base: u32,
    /// Bytes from the registers of one source to those of the next.
    pub source_stride: u32,
    /// Sources that have registers of their own.
    pub sources: usize,
}

impl Map {
    /// Registers of the whole map.
    pub const fn registers(&self) -> usize {
        self.global.len() + self.sources * self.source.len()
    }

    /// Bits of a byte offset.
    pub const fn address_bits(&self) -> usize {
        let (mut end, mut index) = (0, 0);
        while index < self.registers() {
            let (offset, _) = self.place(index);
            if offset + 4 > end {
                end = offset + 4;
            }
            index += 1;
        }
        let sources = self.source_base + self.source_stride * self.sources as u32;
        if self.sources > 0 && sources > end {
            end = sources;
        }
        end.next_power_of_two().ilog2() as usize
    }

    /// A register and its byte offset: the global ones first, then those of each source.
    ///
    /// # Panics
    /// If there are not so many registers.
    pub const fn place(&self, index: usize) -> (u32, &'static Register) {
        assert!(index < self.registers());
        if index < self.global.len() {
            return (self.global[index].offset, &self.global[index]);
        }
        let index = index - self.global.len();
        let (source, register) = (index / self.source.len(), index % self.source.len());
        let base = self.source_base + self.source_stride * source as u32;
        (base + self.source[register].offset, &self.source[register])
    }

    /// Every register with its byte offset, in the order of [`Map::place`].
    pub fn placed(&self) -> impl Iterator<Item = (u32, &'static Register)> + use<> {
        let map = *self;
        (0..map.registers()).map(move |index| map.place(index))
    }
}
