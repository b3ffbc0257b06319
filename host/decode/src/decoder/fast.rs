// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets whose bytes are all there, in one step each.

use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::{ASYNC_END, Address, Atoms, Config, Context, Kind, Part, Record, whole};

use super::{ASYNC, ASYNC_BYTES, ASYNC_ZEROS, Decoder};
use crate::headers::Shape;
use crate::payload::{Split, field, timestamp};
use crate::sink::PacketSink;

/// The part of a packet behind its payload.
#[derive(Clone, Copy, Debug, Default)]
struct Tail {
    len: usize,
    field: u32,
    context: Option<Context>,
}

impl Decoder {
    /// Decodes the packets at the start of some bytes, up to the first one that needs the parser: it
    /// is not complete, or an A-Sync is in it.
    pub(super) fn whole_packets<'b>(
        &mut self,
        mut bytes: &'b [u8],
        sink: &mut impl PacketSink,
    ) -> &'b [u8] {
        let before = bytes;
        loop {
            bytes = self.atom_packets(bytes, sink);
            let Some((&header, behind)) = bytes.split_first() else {
                break;
            };
            let len = match self.headers.get(header).shape {
                Shape::Atoms | Shape::Other => None,
                Shape::Alone => self.lone_packet(header, sink),
                Shape::Address => self.address_packet(header, behind, sink, no_tail),
                Shape::Field => self.field_packet(header, behind, sink, no_tail),
                Shape::AddressAndField => self.q_packet(header, behind, sink),
                Shape::AddressAndContext => self.context_packet(header, behind, sink),
                Shape::TwoFields => self.two_fields_packet(header, behind, sink),
                Shape::Timestamp => self.timestamp_packet(header, false, behind, sink),
                Shape::TimestampAndField => self.timestamp_packet(header, true, behind, sink),
                Shape::Extension => {
                    let read = before.len() - bytes.len();
                    let is_behind_zero = read == 0 || before[read - 1] == 0;
                    match self.extension_packet(bytes, is_behind_zero, sink) {
                        Some(len) => Some(len),
                        None => break,
                    }
                }
            };
            let Some(len) = len.or_else(|| self.other_packet(bytes, sink)) else {
                break;
            };
            bytes = &bytes[len..];
            if !self.synced {
                break;
            }
        }
        let read = &before[..before.len() - bytes.len()];
        if !read.is_empty() {
            self.zeros = trailing_zeros(read);
            self.record.address = self.registers.newest();
        }
        bytes
    }

    /// Decodes the Atom packets at the start of some bytes.
    #[inline(always)]
    fn atom_packets<'b>(&mut self, mut bytes: &'b [u8], sink: &mut impl PacketSink) -> &'b [u8] {
        let mut offset = self.offset;
        while let Some((&header, behind)) = bytes.split_first() {
            let row = self.headers.get(header);
            if row.shape != Shape::Atoms {
                break;
            }
            let record = Record {
                offset,
                len: 1,
                kind: row.kind,
                header,
                atoms: row.atoms,
                address: self.registers.newest(),
                ..self.record
            };
            sink.atoms(&record, row.pattern);
            offset += 1;
            bytes = behind;
        }
        self.offset = offset;
        bytes
    }

    /// Decodes another packet that is its header alone; returns its length.
    #[inline(always)]
    fn lone_packet(&mut self, header: u8, sink: &mut impl PacketSink) -> Option<usize> {
        let row = self.headers.get(header);
        let record = Record {
            offset: self.offset,
            len: 1,
            kind: row.kind,
            header,
            atoms: row.atoms,
            count: row.count(self.threshold),
            elements: row.elements,
            address: self.registers.newest(),
            ..self.record
        };
        self.offset += 1;
        sink.plain(&record);
        Some(1)
    }

    /// Decodes a packet with an address, if all of it is there; returns its length.
    #[inline(always)]
    fn address_packet(
        &mut self,
        header: u8,
        behind: &[u8],
        sink: &mut impl PacketSink,
        tail: impl Fn(Split, &[u8]) -> Option<Tail>,
    ) -> Option<usize> {
        let row = self.headers.get(header);
        let lead = row.extent.split(word(behind));
        let tail = tail(lead, behind.get(lead.len()..)?)?;
        let len = 1 + lead.len() + tail.len;
        if len > 1 + behind.len() {
            return None;
        }
        let base = self.registers.get(row.register).with_is1();
        let address = row.address.resolve(lead, base, self.cleared());
        let record = Record {
            offset: self.offset,
            len: len as u64,
            kind: row.kind,
            header,
            fields: [0, tail.field, 0, 0],
            address: Address::of_value_with_is1(address),
            context: tail.context.unwrap_or(self.record.context),
            ..self.record
        };
        self.registers.push_if(row.has_address, record.address);
        self.offset += record.len;
        match tail.context {
            None => sink.address(&record),
            Some(context) => {
                self.record.context = context;
                self.opencsd_sf = context.sf();
                sink.plain(&record);
            }
        }
        Some(len)
    }

    /// Decodes a packet with one or two continuation fields or bytes, if all of it is there; returns
    /// its length.
    #[inline(always)]
    fn field_packet(
        &mut self,
        header: u8,
        behind: &[u8],
        sink: &mut impl PacketSink,
        tail: impl Fn(Split, &[u8]) -> Option<Tail>,
    ) -> Option<usize> {
        let row = self.headers.get(header);
        let fields = &row.fields;
        let lead = row.extent.split_closed(word(behind))?;
        let tail = tail(lead, behind.get(lead.len()..)?)?;
        let len = 1 + lead.len() + tail.len;
        if len > 1 + behind.len() {
            return None;
        }
        let [field0, field1] = fields.fields(lead);
        let count = row.count(self.threshold);
        let count = count.wrapping_add(fields.cycles(lead));
        let record = Record {
            offset: self.offset,
            len: len as u64,
            kind: row.kind,
            header,
            exception: fields.exception(lead),
            lead: fields.lead(lead),
            fields: [field0, field1 | tail.field, 0, 0],
            count: count.wrapping_add(fields.tail_cycles(tail.field)),
            elements: row.elements.wrapping_add(fields.elements(lead)),
            address: self.registers.newest(),
            ..self.record
        };
        self.offset += record.len;
        sink.plain(&record);
        Some(len)
    }

    #[inline(never)]
    fn q_packet(&mut self, header: u8, behind: &[u8], sink: &mut impl PacketSink) -> Option<usize> {
        self.address_packet(header, behind, sink, field_tail)
    }

    #[inline(never)]
    fn context_packet(
        &mut self,
        header: u8,
        behind: &[u8],
        sink: &mut impl PacketSink,
    ) -> Option<usize> {
        let (before, config) = (self.record.context, self.config);
        self.address_packet(header, behind, sink, |lead, bytes| {
            context_tail(lead, bytes, before, &config)
        })
    }

    #[inline(never)]
    fn two_fields_packet(
        &mut self,
        header: u8,
        behind: &[u8],
        sink: &mut impl PacketSink,
    ) -> Option<usize> {
        self.field_packet(header, behind, sink, field_tail)
    }

    /// Decodes a timestamp, if all of it is there and it has eight bytes at most; returns its length.
    #[inline(never)]
    fn timestamp_packet(
        &mut self,
        header: u8,
        has_field: bool,
        behind: &[u8],
        sink: &mut impl PacketSink,
    ) -> Option<usize> {
        let row = self.headers.get(header);
        let (timestamp, lead) = timestamp(word(behind), self.record.timestamp)?;
        let (field, tail) = if has_field {
            field(word(behind.get(lead..)?))?
        } else {
            (0, 0)
        };
        let len = 1 + lead + tail;
        if len > 1 + behind.len() {
            return None;
        }
        self.record.timestamp = timestamp;
        let record = Record {
            offset: self.offset,
            len: len as u64,
            kind: row.kind,
            header,
            fields: [0, field, 0, 0],
            count: row.fields.tail_cycles(field),
            address: self.registers.newest(),
            ..self.record
        };
        self.offset += record.len;
        sink.plain(&record);
        Some(len)
    }

    /// Decodes an A-Sync, a Discard or an Overflow, if all of it is there, or a byte that may end an
    /// A-Sync but does not; returns its length.
    #[inline(never)]
    fn extension_packet(
        &mut self,
        bytes: &[u8],
        is_behind_zero: bool,
        sink: &mut impl PacketSink,
    ) -> Option<usize> {
        if bytes[0] == ASYNC_END && !is_behind_zero {
            return self.other_packet(bytes, sink);
        }
        if bytes.starts_with(&ASYNC) {
            self.pending = ASYNC_BYTES;
            self.sync(sink);
            return Some(ASYNC.len());
        }
        let [header, extension, ..] = *bytes else {
            return None;
        };
        let kind = match (header, extension) {
            (0, DISCARD) => Kind::Discard,
            (0, OVERFLOW) => Kind::Overflow,
            _ => return None,
        };
        let mut record = Record {
            offset: self.offset,
            len: 2,
            kind,
            header,
            atoms: Atoms::default(),
            address: self.registers.newest(),
            ..self.record
        };
        record.lead[0] = extension;
        self.offset += 2;
        sink.record(&record);
        Some(2)
    }

    /// Decodes a packet of another shape, if all of it is there and no A-Sync is in it; returns its
    /// length.
    #[inline(never)]
    fn other_packet(&mut self, bytes: &[u8], sink: &mut impl PacketSink) -> Option<usize> {
        let (packet, len) = whole(bytes, &self.config)?;
        if len > ASYNC.len() && bytes[..len].windows(ASYNC.len()).any(|part| part == ASYNC) {
            return None;
        }
        if !packet.kind.is_error() {
            self.lead(&packet);
            for part in [Part::Info, Part::Vmid, Part::Cid] {
                if packet.tail.contains(part) {
                    self.tail(part, &packet);
                }
            }
        }
        self.packet(&packet, len as u64, sink);
        Some(len)
    }
}

/// The eight bytes at the start of some bytes; 0 where there is none.
#[inline(always)]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    match bytes.first_chunk() {
        Some(enough) => word = *enough,
        None => word[..bytes.len()].copy_from_slice(bytes),
    }
    u64::from_le_bytes(word)
}

#[inline(always)]
fn no_tail(_: Split, _: &[u8]) -> Option<Tail> {
    Some(Tail::default())
}

#[inline(always)]
fn field_tail(_: Split, bytes: &[u8]) -> Option<Tail> {
    let (field, len) = field(word(bytes))?;
    Some(Tail {
        len,
        field,
        context: None,
    })
}

#[inline(always)]
fn context_tail(lead: Split, bytes: &[u8], before: Context, config: &Config) -> Option<Tail> {
    // An A-Sync may be in it.
    if lead.len() == 8 && lead.bytes >> 40 == 0 {
        return None;
    }
    let (&info, ids) = bytes.split_first()?;
    let ids = word(ids);
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

/// How many zero bytes there are at the end.
fn trailing_zeros(bytes: &[u8]) -> u8 {
    let zeros = bytes.iter().rev().take_while(|byte| **byte == 0);
    zeros.take(ASYNC_ZEROS.into()).count() as u8
}
