// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, words out: the hardware's encoder in software.

use coretrace_abi::record_stream::{
    AddressRule, BAD_SEQUENCE, Body, KnownAddresses, MAX_PACKET_WORDS, MAX_RECORD_WORDS,
    PLACE_WORDS, TAIL_WORDS, crc, head, place_words, rules, tag, tag_of, tail,
};
use coretrace_etm::{Config, Kind, Lead, Part, Parts, Protocol, Record, layout};

use crate::head::{Head, halves};
use crate::place::Place;
use crate::start::Start;

/// Writes a stream. A packet is held until it is full or [`Writer::flush`] is called.
#[derive(Clone, Debug)]
pub struct Writer {
    config: Config,
    known: KnownAddresses,
    head: Head,
    size: usize,
    /// The words of the packet, but for the group; empty between two packets.
    packet: Vec<u32>,
    /// The group: its tags, how many they are, and their words.
    tags: u32,
    count: u32,
    words: Vec<u32>,
    /// Where the newest records are in the port, if that is known; the next group says so.
    place: Option<Place>,
    is_place_due: bool,
}

/// Tags in a group.
const TAGS: u32 = 4;

/// The most words that a record adds to a packet: its own, its other fields, two groups.
const MORE: usize = MAX_RECORD_WORDS + 4 + 2;

impl Writer {
    /// Starts the stream of a source, in packets of up to 4 KiB.
    pub fn new(start: Start) -> Writer {
        Writer::with_packets_of(start, MAX_PACKET_WORDS)
    }

    /// The same in packets of up to `size` words; at least a record fits into a packet, and 4 KiB
    /// are not exceeded.
    pub fn with_packets_of(start: Start, size: usize) -> Writer {
        let mut writer = Writer {
            config: start.config(),
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            head: Head {
                start,
                is_start: true,
                ..Head::default()
            },
            size: size.min(MAX_PACKET_WORDS),
            packet: Vec::with_capacity(MAX_PACKET_WORDS),
            tags: 0,
            count: 0,
            words: Vec::with_capacity(TAGS as usize * MAX_RECORD_WORDS),
            place: None,
            is_place_due: false,
        };
        writer.begin_packet();
        writer
    }

    /// The records that follow end at this place of the port or behind it, and in front of the next byte of the source
    /// beside this one.
    pub fn place(&mut self, place: Place) {
        self.end_group();
        self.place = Some(place);
        self.is_place_due = true;
    }

    /// Writes a loss of trace port words, with their number since reset.
    pub fn lost(&mut self, total: u32, out: &mut Vec<u32>) {
        self.begin_packet();
        self.end_group();
        self.packet.extend([tag::LOST.into(), total]);
        self.known.count(tag::LOST, AddressRule::None);
        self.is_place_due = true;
        self.head.state.suspect = self.head.start.lenient;
        self.end_full_packet(out);
    }

    /// Writes a record. Unread bytes and a packet cut off at the end are not reported.
    pub fn record(&mut self, record: &Record, out: &mut Vec<u32>) {
        let Some(tag) = tag_of(record) else {
            return;
        };
        let Some((rule, body)) = rules(tag) else {
            return;
        };
        self.begin_packet();
        let fields = self.fields(record);
        for &field in &fields[..fields.len().saturating_sub(1)] {
            self.tag(tag::FIELD);
            self.words.push(field);
        }
        self.tag(tag);
        let words = self.known.words(rule);
        let address = halves(record.address.with_is1());
        self.words.extend(&address[..words]);
        self.body(body, record, fields.last().copied().unwrap_or(0));
        self.known.count(tag, rule);
        self.head.state.apply(record, self.head.start.lenient);
        if self.count == TAGS {
            self.end_group();
        }
        self.end_full_packet(out);
    }

    /// Ends the packet, if there is one.
    pub fn flush(&mut self, out: &mut Vec<u32>) {
        if self.packet.is_empty() {
            return;
        }
        self.end_group();
        out.extend(&self.packet);
        out.extend([tail(self.packet.len()), crc(&self.packet)]);
        self.packet.clear();
        self.head.is_start = false;
        self.head.number = self.head.number.wrapping_add(1);
    }

    /// A reader of a packet knows what is in its head, and nothing else.
    fn begin_packet(&mut self) {
        if self.packet.is_empty() {
            self.packet.extend(self.head.words());
            self.known.count = 0;
            self.is_place_due = true;
        }
    }

    fn end_full_packet(&mut self, out: &mut Vec<u32>) {
        let places = self.place.map_or(0, |_| 2 * PLACE_WORDS);
        let words = self.packet.len() + 1 + self.words.len() + places;
        if words + MORE + TAIL_WORDS > self.size.max(head::WORDS) {
            self.flush(out);
        }
    }

    fn end_group(&mut self) {
        if self.count > 0 {
            if let Some(Place { row, lane }) = self.place.filter(|_| self.is_place_due) {
                self.packet
                    .extend(place_words([(row, lane); TAGS as usize], row));
                self.is_place_due = false;
            }
            self.packet.push(self.tags);
            self.packet.append(&mut self.words);
            (self.tags, self.count) = (0, 0);
        }
    }

    fn tag(&mut self, tag: u8) {
        if self.count == TAGS {
            self.end_group();
        }
        self.tags |= u32::from(tag) << (8 * self.count);
        self.count += 1;
    }

    /// The continuation fields in stream order. A Trace Info is written with the four that a
    /// record keeps.
    fn fields(&self, record: &Record) -> Vec<u32> {
        if record.kind.is_error() {
            return Vec::new();
        }
        let row = layout(record.header, &self.config);
        let tail = match row.lead {
            Lead::Plctl => Parts::of_plctl(PLCTL),
            _ => row.tail,
        };
        let parts = [Part::Field0, Part::Field1, Part::Field2, Part::Field3];
        let present = parts
            .iter()
            .zip(record.fields)
            .filter(|(part, _)| tail.contains(**part));
        present.map(|(_, field)| field).collect()
    }

    fn body(&mut self, body: Body, record: &Record, field: u32) {
        let lead = |at: usize| {
            let byte = |at: usize| u32::from(record.lead.get(at).copied().unwrap_or(0));
            (0..4).map(|i| byte(at + i) << (8 * i)).sum::<u32>()
        };
        let timestamp = [record.timestamp as u32, (record.timestamp >> 32) as u32];
        match body {
            Body::None | Body::Lost => {}
            Body::Field => self.words.push(field),
            Body::Lead => self.words.push(lead(0)),
            Body::LongLead => self.words.extend([lead(0), lead(4), lead(8)]),
            Body::Plctl => self.words.extend([PLCTL.into(), field]),
            Body::Timestamp => self.words.extend(timestamp),
            Body::TimestampField => {
                self.words.extend(timestamp);
                self.words.push(field);
            }
            Body::Context => {
                let context = &record.context;
                self.words.push(context.info.into());
                self.words
                    .extend(context.announces_vmid().then_some(context.vmid));
                self.words
                    .extend(context.announces_cid().then_some(context.cid));
            }
            Body::Error if record.kind == Kind::BadSequence => {
                self.words
                    .push(u32::from(record.lead[0]) | 1 << BAD_SEQUENCE);
            }
            Body::Error => self.words.push(record.header.into()),
        }
    }
}

/// PLCTL with INFO, KEY, SPEC and CYCT.
const PLCTL: u8 = 0x0F;
