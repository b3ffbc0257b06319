// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packet decoder: bytes of one trace source in, records out.
//!
//! This is the specification of the hardware decoders: on every byte sequence, under the same
//! [`Policy`], they report the same records.

mod fast;
mod state;

use coretrace_etm::atom::ATOMS;
use coretrace_etm::header::reports_lead_bytes;
use coretrace_etm::packet::{cycle_count, elements, exception_info, timestamp_count};
use coretrace_etm::record::RECORD_FIELDS;
use coretrace_etm::{
    ASYNC_END, Address, AddressForm, AddressRegisters, AsyncRule, Atoms, Completed, Config,
    Context, HEADERS, Kind, Packet, Parser, Part, Record,
};

use crate::headers::Headers;
use crate::sink::{PacketSink, Records};
pub use state::DecoderState;

/// An A-Sync.
const ASYNC: [u8; coretrace_etm::ASYNC_BYTES] = {
    let mut bytes = [0; coretrace_etm::ASYNC_BYTES];
    bytes[coretrace_etm::ASYNC_ZEROS] = ASYNC_END;
    bytes
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
    headers: Headers,
    synced: bool,
    zeros: u8,
    /// Bytes since the last record.
    pending: u64,
    offset: u64,
    threshold: u32,
    registers: AddressRegisters,
    /// The context as OpenCSD keeps it: not reset by Trace Info.
    opencsd_sf: bool,
    /// The trace state, in the record of a packet that is a header alone.
    record: Record,
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
            headers: Headers::new(&config),
            synced: false,
            zeros: 0,
            pending: 0,
            offset: 0,
            threshold: 0,
            registers: AddressRegisters::default(),
            opencsd_sf: false,
            record: Record::blank(Kind::NotSync),
        }
    }

    /// Decodes the next bytes of the stream; `sink` gets every record that they complete.
    pub fn feed(&mut self, bytes: &[u8], sink: impl FnMut(&Record)) {
        self.feed_to(bytes, &mut Records(sink));
    }

    /// Decodes the next bytes of the stream for a sink that does not need a record of every packet.
    pub fn feed_to(&mut self, bytes: &[u8], sink: &mut impl PacketSink) {
        let mut rest = bytes;
        loop {
            if self.synced && self.parser.at_boundary() {
                rest = self.whole_packets(rest, sink);
            }
            let Some((&byte, behind)) = rest.split_first() else {
                return;
            };
            self.byte(byte, sink);
            rest = behind;
        }
    }

    /// Bytes were lost before the next one. The bytes of an unfinished packet are reported as
    /// unread.
    pub fn discontinuity(&mut self, sink: impl FnMut(&Record)) {
        let mut sink = Records(sink);
        if self.pending > 0 {
            self.no_packet(self.pending, Kind::NotSync, 0, &mut sink);
        }
        self.zeros = 0;
        self.parser.reset();
        match self.policy {
            Policy::Lenient => self.record.suspect = self.synced,
            Policy::Resync | Policy::OpenCsd => self.synced = false,
        }
    }

    /// The stream ends: bytes without a record are reported as unread or as an incomplete packet.
    pub fn finish(&mut self, sink: impl FnMut(&Record)) {
        let mut sink = Records(sink);
        if self.pending == 0 {
            return;
        }
        if self.synced {
            let header = self.parser.packet().header;
            self.no_packet(self.pending, Kind::Incomplete, header, &mut sink);
            self.parser.reset();
        } else {
            self.no_packet(self.pending, Kind::NotSync, 0, &mut sink);
        }
    }

    fn byte(&mut self, byte: u8, sink: &mut impl PacketSink) {
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
    fn sync(&mut self, sink: &mut impl PacketSink) {
        if self.pending > ASYNC_BYTES {
            self.no_packet(self.pending - ASYNC_BYTES, Kind::NotSync, 0, sink);
        }
        self.parser.reset();
        self.synced = true;
        self.record.suspect = false;
        let len = std::mem::take(&mut self.pending);
        self.packet(&Packet::new(Kind::Async, 0), len, sink);
    }

    fn packet_byte(&mut self, byte: u8, sink: &mut impl PacketSink) {
        let (completed, ends) = self.parser.step(byte);
        if completed == Completed::Nothing && !ends {
            return;
        }
        let packet = *self.parser.packet();
        match completed {
            Completed::Nothing => {}
            Completed::Lead => self.lead(&packet),
            Completed::Tail(part) => self.tail(part, &packet),
        }
        if ends {
            let len = std::mem::take(&mut self.pending);
            self.packet(&packet, len, sink);
        }
    }

    /// The lead of a packet is complete, or it has none.
    fn lead(&mut self, packet: &Packet) {
        if packet.kind == Kind::Timestamp {
            let (value, bits) = packet.timestamp();
            let keep = u64::MAX.checked_shl(bits).unwrap_or(0);
            self.record.timestamp = (self.record.timestamp & keep) | value;
        } else if let Some((form, is1)) = packet.address_form() {
            self.address(form, is1, &packet.lead);
        }
    }

    fn address(&mut self, form: AddressForm, is1: bool, lead: &[u8; 9]) {
        let mut address = self.registers.apply(form, is1, lead);
        if form == AddressForm::Long32 {
            address.value &= !self.cleared();
            self.registers.correct(address);
        }
    }

    /// Bits that are 0 in an address of 32 bits.
    #[inline]
    fn cleared(&self) -> u64 {
        // No branch: the state may be another one in every context.
        let clears = self.policy == Policy::OpenCsd;
        u64::from(clears & !self.opencsd_sf).wrapping_neg() << 32
    }

    /// A part of the tail of a packet is complete.
    fn tail(&mut self, part: Part, packet: &Packet) {
        let context = &mut self.record.context;
        match part {
            Part::Info => {
                context.info = packet.info;
                self.opencsd_sf = context.sf();
            }
            Part::Vmid => context.vmid = packet.vmid,
            Part::Cid => context.cid = packet.cid,
            _ => {}
        }
    }

    /// A packet, or bytes that are none, of which lead and tail have taken effect.
    #[inline]
    fn packet(&mut self, packet: &Packet, len: u64, sink: &mut impl PacketSink) {
        let (kind, header) = (packet.kind, packet.header);
        let [lead0, ..] = packet.lead;
        let [field0, field1, _, field3, _] = packet.fields;
        let record = &mut self.record;
        record.address = self.registers.newest();
        record.offset = self.offset;
        record.len = len;
        record.kind = kind;
        record.header = header;
        record.atoms = ATOMS[usize::from(header)];
        record.count = 0;
        record.elements = elements(kind, header, lead0, field0, &self.config);
        record
            .fields
            .copy_from_slice(&packet.fields[..RECORD_FIELDS]);
        let has_lead = reports_lead_bytes(HEADERS[usize::from(header)].lead);
        if has_lead && kind != Kind::Async {
            record.lead = packet.lead;
        }
        match kind {
            Kind::TraceInfo => {
                self.threshold = field3;
                self.registers = AddressRegisters::default();
                record.address = Address::default();
                record.timestamp = 0;
                record.context = Context::default();
            }
            Kind::CycleCountF1 | Kind::CycleCountF2 | Kind::CycleCountF3 => {
                let count = cycle_count(kind, header, lead0, field1, self.threshold);
                record.count = count.unwrap_or(0);
            }
            Kind::Timestamp => {
                record.count = timestamp_count(header, field1, &self.config).unwrap_or(0);
            }
            Kind::Exception => record.exception = exception_info(&packet.lead).number,
            Kind::Reserved | Kind::ReservedCfg | Kind::BadSequence => {
                record.atoms = Atoms::default();
                self.synced = self.policy != Policy::Resync;
            }
            _ => {}
        }
        self.offset += len;
        sink.record(record);
        record.lead = [0; 9];
        record.exception = 0;
        record.fields = [0; RECORD_FIELDS];
        record.count = 0;
        record.elements = 0;
        record.suspect |= kind.is_error() && self.policy == Policy::Lenient;
    }

    /// Bytes that are not a packet.
    fn no_packet(&mut self, len: u64, kind: Kind, header: u8, sink: &mut impl PacketSink) {
        let record = Record {
            offset: self.offset,
            len,
            header,
            ..Record::blank(kind)
        };
        self.offset += len;
        self.pending -= len;
        sink.record(&record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::{ArchProfile, Protocol, Registers};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

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
        for (protocol, profile, trcidr0) in [
            (Protocol::Etm4, ArchProfile::A, 0x0801_8EF9),
            (Protocol::Etm4, ArchProfile::A, 0x2801_8EF9),
            (Protocol::Etm4, ArchProfile::M8, 0x0801_8EF9),
            (Protocol::Ete, ArchProfile::A, 0x0801_8EF9),
        ] {
            let values = [0x0001_0703, trcidr0, 0x4100_F463, 0x488, 0, 0x4773_5A13];
            let registers = Registers::from_values(&values);
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
                    other.byte(byte, &mut Records(|record: &Record| slow.push(*record)));
                }
                assert_eq!(fast, slow, "{header:#04x}");
            }
        }
    }

    #[test]
    fn packets_are_the_same_in_one_step_and_byte_by_byte() {
        let seed = 0x5EED_0005;
        let mut random = StdRng::seed_from_u64(seed);
        for round in 0..2000 {
            let policy = [Policy::Resync, Policy::Lenient, Policy::OpenCsd][round % 3];
            let config = any_config(&mut random);
            let mut bytes = SYNC.to_vec();
            for _ in 0..random.random_range(1..60) {
                // Addresses with a context may be all zeros.
                let header = random.random();
                bytes.push([header, header, 0x82, 0x85][random.random_range(0..4)]);
                // Values that continue, that end, and the bytes of an A-Sync.
                let (many, byte) = (random.random_range(0..16), random.random());
                let byte = [0, 0x80, 0xFF, byte, byte, byte][random.random_range(0..6)];
                bytes.extend(vec![byte; many]);
                if random.random_ratio(1, 4) {
                    bytes.extend(SYNC);
                }
            }
            let mut records = [Vec::new(), Vec::new()];
            let [fast, slow] = &mut records;
            let mut decoder = Decoder::new(config, policy);
            let mut other = decoder.clone();
            for chunk in bytes.chunks(random.random_range(1..200)) {
                decoder.feed(chunk, |record| fast.push(*record));
            }
            for byte in bytes {
                other.byte(byte, &mut Records(|record: &Record| slow.push(*record)));
            }
            assert_eq!(fast, slow, "seed {seed:#x}, round {round}");
        }
    }

    fn any_config(random: &mut StdRng) -> Config {
        let protocol = [Protocol::Etm4, Protocol::Ete][random.random_range(0..2)];
        let profile = [ArchProfile::A, ArchProfile::M7, ArchProfile::M8][random.random_range(0..3)];
        Config::new(
            protocol,
            profile,
            &Registers {
                trcconfigr: random.random(),
                trcidr0: random.random(),
                trcidr1: 0x4100_F403 | random.random_range(0..8) << 4,
                trcidr2: [0, 0x488, 0x888, 0x1088, 0x80][random.random_range(0..5)],
                trcidr8: random.random_range(0..64),
                trcdevarch: 0x4773_5A13,
            },
        )
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
