// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the parser found.

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A packet of the grammar, by its index.
    Packet(usize),
    /// The header of this packet and all bytes up to the next A-Sync: nobody says what its payload is.
    Raw(usize),
    /// A header that no packet has, and all bytes up to the next A-Sync.
    Reserved,
    /// The begin of a packet that an A-Sync or the end of the trace cuts.
    Incomplete,
    /// Bytes in front of the first A-Sync.
    NotSync,
}

/// A field of a packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: u64,
    /// Bits of it that were sent.
    pub bits: u32,
}

/// A stretch of the stream. Every byte belongs to exactly one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What it is.
    pub kind: Kind,
    /// Place of its first byte in the stream.
    pub offset: u64,
    /// Its bytes.
    pub len: u64,
    /// The fields of a packet, in order, those of the header first.
    pub fields: Vec<Value>,
}

impl Record {
    /// The last field with this name.
    pub fn field(&self, name: &str) -> Option<&Value> {
        last(&self.fields, name)
    }
}

/// The last field with this name.
pub(crate) fn last<'a>(fields: &'a [Value], name: &str) -> Option<&'a Value> {
    fields.iter().rev().find(|field| field.name == name)
}
