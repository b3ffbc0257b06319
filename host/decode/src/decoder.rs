// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packet decoder: bytes of one trace source in, records out.
//!
//! This is the specification of the hardware decoders: on every byte sequence, under the same
//! [`Policy`], they report the same records.

use coretrace_etm::address::address_form;
use coretrace_etm::atom::ATOMS;
use coretrace_etm::header::reports_lead_bytes;
use coretrace_etm::packet::{
    cycle_count, elements, exception_info, timestamp_bits, timestamp_count,
};
use coretrace_etm::{
    ASYNC_END, Address, AddressForm, AddressRegisters, AsyncRule, Completed, Config, Context,
    HEADERS, Kind, Lead, Parser, Part, Parts, Record, layout,
};

/// Bytes of an A-Sync.
const ASYNC_BYTES: u64 = coretrace_etm::ASYNC_BYTES as u64;
/// Zero bytes of an A-Sync.
const ASYNC_ZEROS: u8 = coretrace_etm::ASYNC_ZEROS as u8;

/// What a decoder does after bytes that are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// After an error nothing is read until the next A-Sync. An A-Sync is found in any state, also
    /// inside a packet.
    #[default]
    Resync,
    /// After an error the next byte is a header, and records are marked suspect until the next
    /// A-Sync. An A-Sync is found in any state.
    Lenient,
    /// As OpenCSD's packet processor: after an error the next byte is a header, and an A-Sync is
    /// found only where a header is expected.
    OpenCsd,
}

/// The decoder of one source. Feed it chunks of any size; memory use does not depend on the
/// stream.
///
/// A part of a packet takes effect when its last byte arrives: an A-Sync that cuts a packet short
/// leaves no half-written address, context or timestamp.
#[derive(Clone, Debug)]
pub struct Decoder {
    config: Config,
    policy: Policy,
    parser: Parser,
    single_byte_packets: [Option<Kind>; 256],
    synced: bool,
    suspect: bool,
    zeros: u8,
    /// Bytes since the last record.
    pending: u64,
    offset: u64,
    threshold: u32,
    registers: AddressRegisters,
    timestamp: u64,
    context: Context,
    /// The context as OpenCSD keeps it: not reset by Trace Info.
    opencsd_sf: bool,
}

impl Decoder {
    /// A decoder waiting for the first A-Sync.
    pub fn new(config: Config, policy: Policy) -> Decoder {
        let rule = match policy {
            Policy::OpenCsd => AsyncRule::Exact,
            Policy::Resync | Policy::Lenient => AsyncRule::AtLeast,
        };
        Decoder {
            config,
            policy,
            parser: Parser::new(config, rule),
            single_byte_packets: single_byte_packets(&config),
            synced: false,
            suspect: false,
            zeros: 0,
            pending: 0,
            offset: 0,
            threshold: 0,
            registers: AddressRegisters::default(),
            timestamp: 0,
            context: Context::default(),
            opencsd_sf: false,
        }
    }

    /// Decodes the next bytes of the stream; `sink` gets every record that they complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(&Record)) {
        for &byte in bytes {
            match self.single_byte_packets[usize::from(byte)] {
                Some(kind) if self.synced && self.parser.at_boundary() => {
                    self.single_byte_packet(kind, byte, &mut sink);
                }
                _ => self.byte(byte, &mut sink),
            }
        }
    }

    /// Bytes were lost before the next one. The bytes of an unfinished packet are reported as
    /// unread.
    pub fn discontinuity(&mut self, mut sink: impl FnMut(&Record)) {
        if self.pending > 0 {
            self.unread(self.pending, &mut sink);
        }
        self.zeros = 0;
        self.parser.reset();
        match self.policy {
            Policy::Lenient => self.suspect = self.synced,
            Policy::Resync | Policy::OpenCsd => self.synced = false,
        }
    }

    /// The stream ends: bytes without a record are reported as unread or as an incomplete packet.
    pub fn finish(&mut self, mut sink: impl FnMut(&Record)) {
        if self.pending == 0 {
            return;
        }
        if self.synced {
            let header = self.parser.packet().header;
            self.emit(self.pending, Kind::Incomplete, header, &mut sink);
            self.parser.reset();
        } else {
            self.unread(self.pending, &mut sink);
        }
    }

    /// As [`Decoder::byte`], for a header in [`single_byte_packets`] where a header is expected.
    fn single_byte_packet(&mut self, kind: Kind, header: u8, sink: &mut impl FnMut(&Record)) {
        let mut record = Record::blank(kind);
        record.offset = self.offset;
        record.len = 1;
        record.header = header;
        self.put_state(&mut record);
        record.atoms = ATOMS[usize::from(header)];
        record.count = cycle_count(kind, header, 0, 0, self.threshold).unwrap_or(0);
        record.elements = elements(kind, header, 0, 0, &self.config);
        self.zeros = 0;
        self.offset += 1;
        sink(&record);
    }

    fn byte(&mut self, byte: u8, sink: &mut impl FnMut(&Record)) {
        self.pending += 1;
        let hit = byte == ASYNC_END && self.zeros == ASYNC_ZEROS;
        self.zeros = if byte == 0 {
            (self.zeros + 1).min(ASYNC_ZEROS)
        } else {
            0
        };
        if hit && (!self.synced || self.policy != Policy::OpenCsd) {
            self.sync(sink);
        } else if self.synced {
            self.packet_byte(byte, sink);
        }
    }

    /// An A-Sync ends here, whatever was being read.
    fn sync(&mut self, sink: &mut impl FnMut(&Record)) {
        if self.pending > ASYNC_BYTES {
            self.unread(self.pending - ASYNC_BYTES, sink);
        }
        self.parser.reset();
        self.synced = true;
        self.suspect = false;
        self.emit(self.pending, Kind::Async, 0, sink);
    }

    fn packet_byte(&mut self, byte: u8, sink: &mut impl FnMut(&Record)) {
        let (completed, ends) = self.parser.step(byte);
        match completed {
            Completed::Nothing => {}
            Completed::Lead => self.lead(),
            Completed::Tail(part) => self.tail(part),
        }
        if ends {
            self.packet(sink);
        }
    }

    /// A lead is complete, or a header without a lead was read.
    fn lead(&mut self) {
        let packet = self.parser.packet();
        if packet.kind == Kind::Timestamp {
            let (value, bits) = timestamp_bits(&packet.lead, packet.lead_len);
            let keep = u64::MAX.checked_shl(bits).unwrap_or(0);
            self.timestamp = (self.timestamp & keep) | value;
        } else if let Some((form, is1)) = packet.address_form() {
            self.registers.apply(form, is1, &packet.lead);
            if self.policy == Policy::OpenCsd && form == AddressForm::Long32 && !self.opencsd_sf {
                self.registers.0[0].value &= 0xFFFF_FFFF;
            }
        }
    }

    fn tail(&mut self, part: Part) {
        let packet = self.parser.packet();
        match part {
            Part::Info => {
                self.context.info = packet.info;
                self.opencsd_sf = self.context.sf();
            }
            Part::Vmid => self.context.vmid = packet.vmid,
            Part::Cid => self.context.cid = packet.cid,
            _ => {}
        }
    }

    fn packet(&mut self, sink: &mut impl FnMut(&Record)) {
        let packet = self.parser.packet();
        let (kind, header) = (packet.kind, packet.header);
        if kind == Kind::TraceInfo {
            self.threshold = packet.fields[3];
            self.registers = AddressRegisters::default();
            self.timestamp = 0;
            self.context = Context::default();
        }
        self.emit(self.pending, kind, header, sink);
        if kind.is_error() {
            match self.policy {
                Policy::Resync => self.synced = false,
                Policy::Lenient => self.suspect = true,
                Policy::OpenCsd => {}
            }
        }
    }

    fn unread(&mut self, len: u64, sink: &mut impl FnMut(&Record)) {
        self.emit(len, Kind::NotSync, 0, sink);
    }

    fn emit(&mut self, len: u64, kind: Kind, header: u8, sink: &mut impl FnMut(&Record)) {
        let mut record = Record::blank(kind);
        record.offset = self.offset;
        record.len = len;
        record.header = header;
        if !matches!(kind, Kind::NotSync | Kind::Incomplete) {
            self.put_state(&mut record);
        }
        if !matches!(kind, Kind::Async | Kind::NotSync | Kind::Incomplete) {
            let packet = self.parser.packet();
            if reports_lead_bytes(HEADERS[usize::from(header)].lead) {
                record.lead = packet.lead;
            }
            record.elements =
                elements(kind, header, packet.lead[0], packet.fields[0], &self.config);
            if !kind.is_error() {
                record.atoms = ATOMS[usize::from(header)];
            }
            if kind == Kind::Exception {
                record.exception = exception_info(&packet.lead).number;
            }
            record.fields.copy_from_slice(&packet.fields[..4]);
            record.count = cycle_count(
                kind,
                header,
                packet.lead[0],
                packet.fields[1],
                self.threshold,
            )
            .or(timestamp_count(header, packet.fields[1], &self.config))
            .unwrap_or(0);
        }
        self.offset += len;
        self.pending -= len;
        sink(&record);
    }

    fn put_state(&self, record: &mut Record) {
        record.suspect = self.suspect;
        record.address = self.newest();
        record.timestamp = self.timestamp;
        record.context = self.context;
    }

    fn newest(&self) -> Address {
        self.registers.0[0]
    }
}

/// The headers that are a complete packet and change no state for later packets, with their kinds.
/// Most packets are of this kind, and bypass the parser. 0x80 is not included, because it may end
/// an A-Sync.
fn single_byte_packets(config: &Config) -> [Option<Kind>; 256] {
    let mut kinds = [None; 256];
    for (header, kind) in (0..=u8::MAX).zip(&mut kinds) {
        let row = layout(header, config);
        let alone = row.lead == Lead::None && row.tail == Parts::NONE;
        if alone && config.allows(row.gate) && address_form(header).is_none() && header != 0x80 {
            *kind = Some(row.kind);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::{ArchProfile, Protocol, Registers};

    const SYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];

    fn decode(policy: Policy, bytes: &[u8]) -> Vec<(Kind, u64)> {
        let registers = Registers {
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::default()
        };
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
        let mut decoder = Decoder::new(config, policy);
        let mut list = Vec::new();
        decoder.feed(bytes, |r| list.push((r.kind, r.len)));
        decoder.finish(|r| list.push((r.kind, r.len)));
        assert_eq!(
            list.iter().map(|r| r.1).sum::<u64>(),
            bytes.len() as u64,
            "every byte has a record"
        );
        list
    }

    fn stream(parts: &[&[u8]]) -> Vec<u8> {
        parts.concat()
    }

    #[test]
    fn after_an_error_the_policies_go_their_own_ways() {
        let bytes = stream(&[&SYNC, &[0x47, 0xF7, 0xF6], &SYNC, &[0x04]]);
        let resync = [
            (Kind::Async, 12),
            (Kind::Reserved, 1),
            (Kind::NotSync, 2),
            (Kind::Async, 12),
            (Kind::TraceOn, 1),
        ];
        assert_eq!(decode(Policy::Resync, &bytes), resync);
        let going_on = [
            (Kind::Async, 12),
            (Kind::Reserved, 1),
            (Kind::AtomF1, 1),
            (Kind::AtomF1, 1),
            (Kind::Async, 12),
            (Kind::TraceOn, 1),
        ];
        assert_eq!(decode(Policy::Lenient, &bytes), going_on);
        assert_eq!(decode(Policy::OpenCsd, &bytes), going_on);
    }

    #[test]
    fn an_async_inside_a_packet_is_found_unless_opencsd_is_asked_for() {
        let bytes = stream(&[&SYNC, &[0x9D, 0x11], &SYNC, &[0xF7]]);
        // Seven zeros were read as address bytes, which leaves only five bytes for the A-Sync.
        let found = [
            (Kind::Async, 12),
            (Kind::AddrLong64Is0, 9),
            (Kind::Async, 5),
            (Kind::AtomF1, 1),
        ];
        assert_eq!(decode(Policy::Resync, &bytes), found);
        assert_eq!(decode(Policy::Lenient, &bytes), found);
        let missed = [
            (Kind::Async, 12),
            (Kind::AddrLong64Is0, 9),
            (Kind::BadSequence, 5),
            (Kind::AtomF1, 1),
        ];
        assert_eq!(decode(Policy::OpenCsd, &bytes), missed);
    }

    #[test]
    fn surplus_zeros_before_an_async_are_unread() {
        let bytes = stream(&[&SYNC, &[0, 0, 0], &SYNC]);
        let want = [(Kind::Async, 12), (Kind::NotSync, 3), (Kind::Async, 12)];
        assert_eq!(decode(Policy::Resync, &bytes), want);
        assert_eq!(decode(Policy::Lenient, &bytes), want);
        let opencsd = [
            (Kind::Async, 12),
            (Kind::BadSequence, 12),
            (Kind::BadSequence, 3),
        ];
        assert_eq!(&decode(Policy::OpenCsd, &bytes)[..2], &opencsd[..2]);
    }

    #[test]
    fn a_lone_header_is_what_the_parser_makes_of_it() {
        let before = stream(&[&SYNC, &[1, 9, 1, 7], &[0x9D, 1, 2, 3, 4, 5, 6, 7, 8]]);
        let registers =
            Registers::from_values(&[0x0001_0703, 0x0801_8EF9, 0x4100_F463, 0x488, 0, 0x4773_5A13]);
        for (protocol, profile) in [
            (Protocol::Etm4, ArchProfile::A),
            (Protocol::Etm4, ArchProfile::M8),
            (Protocol::Ete, ArchProfile::A),
        ] {
            let config = Config::new(protocol, profile, &registers);
            for header in 0..=255 {
                let after = [header, 0, 0x90, 0x47, 0xF7];
                let mut records = [Vec::new(), Vec::new()];
                let [fast, slow] = &mut records;
                let mut decoder = Decoder::new(config, Policy::Lenient);
                decoder.feed(&before, |_| {});
                let mut other = decoder.clone();
                decoder.feed(&after, |record| fast.push(*record));
                for byte in after {
                    other.byte(byte, &mut |record: &Record| slow.push(*record));
                }
                assert_eq!(fast, slow, "{header:#04x}");
            }
        }
    }

    #[test]
    fn the_end_of_the_stream_is_reported() {
        assert_eq!(decode(Policy::Resync, &[1, 2, 3]), [(Kind::NotSync, 3)]);
        let cut = stream(&[&SYNC, &[0x9D, 1, 2]]);
        assert_eq!(
            decode(Policy::Resync, &cut),
            [(Kind::Async, 12), (Kind::Incomplete, 3)]
        );
    }
}
