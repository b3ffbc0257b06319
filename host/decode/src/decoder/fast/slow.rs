// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets that are rare, or of which little is known from the header.

use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::packet::ete_exception_kind;
use coretrace_etm::whole::continuation;
use coretrace_etm::{Atoms, Kind, Packet, Part, Parts, Record, whole};

use super::super::{ASYNC, Decoder};
use crate::headers::Shape;
use crate::sink::PacketSink;

impl Decoder {
    /// Decodes a packet of one of these shapes, or a very long one of another; returns its length, none
    /// if the parser must read it.
    #[inline(never)]
    pub(super) fn slow_packet(
        &mut self,
        shape: Shape,
        bytes: &[u8],
        sink: &mut impl PacketSink,
    ) -> Option<usize> {
        if shape.is(Shape::EXTENSION) {
            self.extension_packet(bytes, sink)
        } else if shape.is(Shape::TRACE_INFO) {
            self.trace_info_packet(bytes, sink)
        } else if shape.is(Shape::EXCEPTION) {
            self.special_exception(bytes, sink)
        } else {
            self.other_packet(bytes, sink)
        }
    }

    /// Decodes an A-Sync, a Discard or an Overflow, if all of it is there; returns its length.
    fn extension_packet(&mut self, bytes: &[u8], sink: &mut impl PacketSink) -> Option<usize> {
        let [header, extension, ..] = *bytes else {
            return None;
        };
        let (kind, len, lead) = match (header, extension) {
            (0, 0) if bytes.starts_with(&ASYNC) => (Kind::Async, ASYNC.len(), 0),
            (0, DISCARD) => (Kind::Discard, 2, extension),
            (0, OVERFLOW) => (Kind::Overflow, 2, extension),
            _ => return None,
        };
        self.record.suspect &= kind != Kind::Async;
        let record = Record {
            offset: self.offset,
            len: len as u64,
            kind,
            header,
            atoms: Atoms::default(),
            lead: [lead, 0, 0, 0, 0, 0, 0, 0, 0],
            address: self.registers.newest(),
            ..self.record
        };
        self.offset += record.len;
        sink.plain(&record);
        Some(len)
    }

    /// Decodes a Trace Info; returns its length.
    fn trace_info_packet(&mut self, bytes: &[u8], sink: &mut impl PacketSink) -> Option<usize> {
        match trace_info(bytes) {
            Some((packet, len)) => {
                self.packet(&packet, len as u64, sink);
                Some(len)
            }
            None => self.other_packet(bytes, sink),
        }
    }

    /// Decodes an exception of an ETE that is another kind of packet, if all of it is there; returns its
    /// length.
    fn special_exception(&mut self, bytes: &[u8], sink: &mut impl PacketSink) -> Option<usize> {
        let [header, first, second, ..] = *bytes else {
            return None;
        };
        let mut packet = Packet::new(ete_exception_kind(first)?, header);
        packet.lead[..2].copy_from_slice(&[first, second]);
        packet.lead_len = 2;
        self.lead(&packet);
        self.packet(&packet, 3, sink);
        Some(3)
    }

    /// Decodes a packet of another shape, if all of it is there and no A-Sync is in it; returns its
    /// length.
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

/// A Trace Info and its length. `None` if it is not complete, a field is too long, or an A-Sync may be in
/// it.
fn trace_info(bytes: &[u8]) -> Option<(Packet, usize)> {
    let [header, plctl, ref fields @ ..] = *bytes else {
        return None;
    };
    let mut packet = Packet::new(Kind::TraceInfo, header);
    packet.tail = Parts::of_plctl(plctl);
    let mut rest = fields;
    for part in Part::ALL {
        if let Some(index) = part.field_index()
            && packet.tail.contains(part)
        {
            packet.fields[index] = continuation(&mut rest)?;
        }
    }
    let len = bytes.len() - rest.len();
    (plctl & 0x80 == 0 && len <= ASYNC.len()).then_some((packet, len))
}
