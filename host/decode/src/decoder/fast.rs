// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets whose bytes are all there, in one step each.

mod slow;

use coretrace_etm::packet::ete_exception_kind;
use coretrace_etm::{ASYNC_END, Address, AddressRegisters, Atoms, Config, Context, Record};

use super::{ASYNC_ZEROS, Decoder};
use crate::headers::{Header, Headers, Shape};
use crate::payload::{Split, field, timestamp};
use crate::sink::PacketSink;

/// Bytes that are read for a packet, be they its own or not; more than a packet has that is read here.
const WINDOW: usize = 32;

/// Bytes put behind the last ones, so that there is a window for each.
const PADDING: usize = WINDOW - 1;

impl Decoder {
    /// Decodes the packets at the start of some bytes, up to the first one that needs the parser: it
    /// is not complete, or an A-Sync is in it.
    pub(super) fn whole_packets<'b>(
        &mut self,
        bytes: &'b [u8],
        sink: &mut impl PacketSink,
    ) -> &'b [u8] {
        let mut rest = bytes;
        if rest.len() >= WINDOW {
            rest = &rest[self.packets::<0>(bytes, sink)..];
        }
        if self.synced && rest.len() < WINDOW {
            let mut padded = [0; 2 * WINDOW];
            let len = rest.len() + PADDING;
            padded[..rest.len()].copy_from_slice(rest);
            rest = &rest[self.packets::<PADDING>(&padded[..len], sink)..];
        }
        let read = &bytes[..bytes.len() - rest.len()];
        if !read.is_empty() {
            self.zeros = trailing_zeros(read);
            self.record.address = self.registers.newest();
        }
        rest
    }

    /// Decodes packets while there is a window of bytes, up to the first packet that needs the parser.
    /// The last `PAD` bytes are none of the stream. Returns how many have been read.
    #[inline(never)]
    fn packets<const PAD: usize>(&mut self, bytes: &[u8], sink: &mut impl PacketSink) -> usize {
        // Its own, so that the compiler knows that nothing changes it.
        let headers = self.headers.clone();
        let end = self.offset + bytes.len() as u64;
        let mut packets = Packets::<_, PAD> {
            registers: self.registers,
            cleared: self.cleared(),
            decoder: self,
            sink,
            bytes,
            rest: bytes,
            end,
        };
        packets.decode(&headers);
        let (rest, registers) = (packets.rest.len(), packets.registers);
        self.registers = registers;
        self.offset = end - rest as u64;
        bytes.len() - rest
    }
}

/// The part of a packet behind its payload.
#[derive(Clone, Copy, Debug, Default)]
struct Tail {
    len: usize,
    field: u32,
    context: Option<Context>,
}

/// The packets of some bytes, of which the last `PAD` are none of the stream. What most packets change
/// is here, and not in the decoder: the compiler keeps it in registers.
struct Packets<'d, 'b, S, const PAD: usize> {
    decoder: &'d mut Decoder,
    sink: &'d mut S,
    bytes: &'b [u8],
    /// Those that have not been read.
    rest: &'b [u8],
    /// The offset behind the last byte.
    end: u64,
    registers: AddressRegisters,
    /// As [`Decoder::cleared`].
    cleared: u64,
}

impl<S: PacketSink, const PAD: usize> Packets<'_, '_, S, PAD> {
    #[inline(always)]
    fn decode(&mut self, headers: &Headers) {
        loop {
            let Some(window) = self.rest.first_chunk() else {
                return;
            };
            let header = headers.get(window[0]);
            let is = |shape| header.shape.is(shape);
            let len = if is(Shape::ATOMS) {
                self.atom_packet(window[0], header)
            } else if is(Shape::ADDRESS) {
                self.address_packet(window, header, no_tail)
            } else if is(Shape::FIELD) || is(Shape::EXCEPTION) && !is_special(window) {
                self.field_packet(window, header, no_tail)
            } else if is(Shape::ALONE) {
                self.lone_packet(window[0], header)
            } else if is(Shape::TIMESTAMP) {
                self.timestamp_packet(window, header, false)
            } else if is(Shape::ADDRESS_AND_CONTEXT) {
                if window[0] == ASYNC_END && self.is_behind_zero() {
                    return;
                }
                self.context_packet(window, header)
            } else if is(Shape::ADDRESS_AND_FIELD) {
                self.address_packet(window, header, field_tail)
            } else if is(Shape::TWO_FIELDS) {
                self.field_packet(window, header, field_tail)
            } else if is(Shape::TIMESTAMP_AND_FIELD) {
                self.timestamp_packet(window, header, true)
            } else {
                None
            };
            match len {
                Some(len) => self.rest = &self.rest[len..],
                None if self.slow_packet(header.shape) => {}
                None => return,
            }
        }
    }

    /// The offset of the next packet.
    #[inline(always)]
    fn offset(&self) -> u64 {
        self.end - self.rest.len() as u64
    }

    /// Whether so many bytes are there: of a window that is all of the stream, always.
    #[inline(always)]
    fn has(&self, len: usize) -> bool {
        PAD == 0 || len + PAD <= self.rest.len()
    }

    /// Whether an A-Sync may end with the next byte.
    #[inline(always)]
    fn is_behind_zero(&self) -> bool {
        let read = &self.bytes[..self.bytes.len() - self.rest.len()];
        read.last().is_none_or(|byte| *byte == 0)
    }

    /// The record of a packet that is its header alone.
    #[inline(always)]
    fn lone_record(&self, header: u8, row: &Header) -> Record {
        Record {
            offset: self.offset(),
            len: 1,
            kind: row.kind,
            header,
            atoms: row.atoms,
            count: row.count(self.decoder.threshold),
            elements: row.elements,
            address: self.registers.newest(),
            ..self.decoder.record
        }
    }

    /// Decodes an Atom packet; returns its length.
    #[inline(always)]
    fn atom_packet(&mut self, header: u8, row: &Header) -> Option<usize> {
        let record = self.lone_record(header, row);
        self.sink.atoms(&record, row.pattern);
        Some(1)
    }

    /// Decodes another packet that is its header alone; returns its length.
    #[inline(always)]
    fn lone_packet(&mut self, header: u8, row: &Header) -> Option<usize> {
        let record = self.lone_record(header, row);
        self.sink.alone(&record, row.pattern);
        Some(1)
    }

    /// Decodes a packet with an address, if all of it is there; returns its length.
    #[inline(always)]
    fn address_packet(
        &mut self,
        window: &[u8; WINDOW],
        row: &Header,
        tail: impl Fn(Split, &[u8; WINDOW]) -> Option<Tail>,
    ) -> Option<usize> {
        let lead = row.extent.split(word(window, 1));
        let tail = tail(lead, window)?;
        let len = 1 + lead.len() + tail.len;
        if !self.has(len) {
            return None;
        }
        let base = self.registers.get(row.register).with_is1();
        let address = row.address.resolve(lead, base, self.cleared);
        let record = Record {
            offset: self.offset(),
            len: len as u64,
            kind: row.kind,
            header: window[0],
            atoms: Atoms::default(),
            fields: [0, tail.field, 0, 0],
            address: Address::of_value_with_is1(address),
            context: tail.context.unwrap_or(self.decoder.record.context),
            ..self.decoder.record
        };
        match tail.context {
            None => {
                self.registers.push(record.address);
                self.sink.address(&record);
            }
            Some(context) => {
                self.registers.push_if(row.has_address, record.address);
                self.decoder.record.context = context;
                self.decoder.opencsd_sf = context.sf();
                self.cleared = self.decoder.cleared();
                self.sink.plain(&record);
            }
        }
        Some(len)
    }

    /// Decodes a packet with one or two continuation fields or bytes, if all of it is there; returns
    /// its length.
    #[inline(always)]
    fn field_packet(
        &mut self,
        window: &[u8; WINDOW],
        row: &Header,
        tail: impl Fn(Split, &[u8; WINDOW]) -> Option<Tail>,
    ) -> Option<usize> {
        let fields = &row.fields;
        let lead = row.extent.split_closed(word(window, 1))?;
        let tail = tail(lead, window)?;
        let len = 1 + lead.len() + tail.len;
        if !self.has(len) {
            return None;
        }
        let [field0, field1] = fields.fields(lead);
        let count = row.count(self.decoder.threshold);
        let count = count.wrapping_add(fields.cycles(lead));
        let record = Record {
            offset: self.offset(),
            len: len as u64,
            kind: row.kind,
            header: window[0],
            atoms: Atoms::default(),
            exception: fields.exception(lead),
            lead: fields.lead(lead),
            fields: [field0, field1 | tail.field, 0, 0],
            count: count.wrapping_add(fields.tail_cycles(tail.field)),
            elements: row.elements.wrapping_add(fields.elements(lead)),
            address: self.registers.newest(),
            ..self.decoder.record
        };
        self.sink.fields(&record);
        Some(len)
    }

    #[inline(always)]
    fn context_packet(&mut self, window: &[u8; WINDOW], row: &Header) -> Option<usize> {
        let (before, config) = (self.decoder.record.context, self.decoder.config);
        self.address_packet(window, row, |lead, window| {
            context_tail(lead, window, before, &config)
        })
    }

    /// Decodes a timestamp, if all of it is there and it has eight bytes at most; returns its length.
    #[inline(always)]
    fn timestamp_packet(
        &mut self,
        window: &[u8; WINDOW],
        row: &Header,
        has_field: bool,
    ) -> Option<usize> {
        let (timestamp, lead) = timestamp(word(window, 1), self.decoder.record.timestamp)?;
        let (field, tail) = if has_field {
            field(word(window, 1 + lead))?
        } else {
            (0, 0)
        };
        let len = 1 + lead + tail;
        if !self.has(len) {
            return None;
        }
        self.decoder.record.timestamp = timestamp;
        let record = Record {
            offset: self.offset(),
            len: len as u64,
            kind: row.kind,
            header: window[0],
            atoms: Atoms::default(),
            fields: [0, field, 0, 0],
            count: row.fields.tail_cycles(field),
            address: self.registers.newest(),
            ..self.decoder.record
        };
        self.sink.plain(&record);
        Some(len)
    }

    /// Decodes a packet by the decoder itself; false if the parser must read it, or what is behind it.
    #[inline(always)]
    fn slow_packet(&mut self, shape: Shape) -> bool {
        self.decoder.offset = self.offset();
        self.decoder.registers = self.registers;
        let bytes = &self.rest[..self.rest.len() - PAD];
        let len = self.decoder.slow_packet(shape, bytes, self.sink);
        self.registers = self.decoder.registers;
        self.cleared = self.decoder.cleared();
        self.rest = &self.rest[len.unwrap_or(0)..];
        len.is_some() && self.decoder.synced
    }
}

/// Eight bytes of a window.
#[inline(always)]
pub(super) fn word(window: &[u8; WINDOW], place: usize) -> u64 {
    let bytes = window[place..].first_chunk();
    u64::from_le_bytes(bytes.copied().unwrap_or_default())
}

#[inline(always)]
fn no_tail(_: Split, _: &[u8; WINDOW]) -> Option<Tail> {
    Some(Tail::default())
}

#[inline(always)]
fn field_tail(lead: Split, window: &[u8; WINDOW]) -> Option<Tail> {
    let (field, len) = field(word(window, 1 + lead.len()))?;
    Some(Tail {
        len,
        field,
        context: None,
    })
}

#[inline(always)]
fn context_tail(
    lead: Split,
    window: &[u8; WINDOW],
    before: Context,
    config: &Config,
) -> Option<Tail> {
    // No A-Sync is in it: it would reach over this byte, which is not 0 if there are IDs.
    let info = window[1 + lead.len()];
    let ids = word(window, 2 + lead.len());
    let vmid_bytes = config.vmid_bytes * (info >> 6 & 1);
    let cid_bytes = config.cid_bytes * (info >> 7);
    let number = |word: u64, bytes: u8| (word & ((1 << (8 * bytes)) - 1)) as u32;
    let vmid = number(ids, vmid_bytes);
    let cid = number(ids >> (8 * vmid_bytes), cid_bytes);
    Some(Tail {
        len: 1 + usize::from(vmid_bytes + cid_bytes),
        field: 0,
        context: Some(Context {
            info,
            vmid: if vmid_bytes > 0 { vmid } else { before.vmid },
            cid: if cid_bytes > 0 { cid } else { before.cid },
        }),
    })
}

/// Whether an exception of an ETE is another kind of packet.
#[inline(always)]
fn is_special(window: &[u8; WINDOW]) -> bool {
    ete_exception_kind(window[1]).is_some()
}

/// How many zero bytes there are at the end.
fn trailing_zeros(bytes: &[u8]) -> u8 {
    let zeros = bytes.iter().rev().take_while(|byte| **byte == 0);
    zeros.take(ASYNC_ZEROS.into()).count() as u8
}
