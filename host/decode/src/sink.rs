// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who gets packets.

use coretrace_etm::{Address, Atoms, Kind, Record};

/// A packet of a header alone, with an address, or with one or two continuation fields: most are.
/// It is all that is new in its record.
#[derive(Clone, Copy, Debug)]
pub struct PlainPacket {
    /// Offset of the first byte in the stream of this trace ID.
    pub offset: u64,
    /// Bytes.
    pub len: u8,
    /// What it is.
    pub kind: Kind,
    /// The header byte.
    pub header: u8,
    /// The atoms in the header.
    pub atoms: Atoms,
    /// The atoms as bits, the oldest in bit 0; 1 is E.
    pub pattern: u32,
    /// Cycle count with the threshold added; 0 if the packet has none.
    pub count: u32,
    /// The number of P0 elements that the packet commits or cancels; else 0.
    pub elements: u32,
    /// The first two continuation fields; 0 where there is none.
    pub fields: [u32; 2],
    /// The address, if it is an address packet.
    pub address: Option<Address>,
}

impl PlainPacket {
    /// Makes the record of a packet before it, without exception and lead bytes, into its own.
    #[inline]
    pub fn put(&self, record: &mut Record) {
        record.offset = self.offset;
        record.len = self.len.into();
        record.kind = self.kind;
        record.header = self.header;
        record.atoms = self.atoms;
        record.count = self.count;
        record.elements = self.elements;
        record.fields = [self.fields[0], self.fields[1], 0, 0];
        record.address = self.address.unwrap_or(record.address);
    }
}

/// Takes what a decoder finds, in order.
pub trait PacketSink {
    /// A packet, error or stretch of unread bytes.
    fn record(&mut self, record: &Record);

    /// A plain packet: who needs no record of it does without. `last` is that of a packet before
    /// it, for [`PlainPacket::put`].
    #[inline]
    fn plain(&mut self, packet: &PlainPacket, last: &mut Record) {
        packet.put(last);
        self.record(last);
    }

    /// A plain packet that is an Atom packet.
    #[inline]
    fn atoms(&mut self, packet: &PlainPacket, last: &mut Record) {
        self.plain(packet, last);
    }

    /// A plain packet with an address.
    #[inline]
    fn address(&mut self, packet: &PlainPacket, last: &mut Record) {
        self.plain(packet, last);
    }
}

/// Hands on records.
pub struct Records<F>(pub F);

impl<F: FnMut(&Record)> PacketSink for Records<F> {
    #[inline]
    fn record(&mut self, record: &Record) {
        (self.0)(record);
    }
}
