// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the words of a packet so far say about its next record.

use coretrace_abi::record_stream::{BAD_SEQUENCE, Body, tag};
use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::packet::{cycle_count, elements};
use coretrace_etm::record::RECORD_FIELDS;
use coretrace_etm::{Config, Context, Fields, Kind, Outcome, RawRecord, Record};

use crate::addresses::Addresses;
use crate::plain::Plain;
use crate::start::Start;
use crate::state::State;
use crate::tag_row::TagRow;

/// The state of a reader in a packet, but for the last record.
#[derive(Clone, Debug)]
pub(crate) struct PacketState<'s> {
    config: &'s Config,
    lenient: bool,
    fields: Fields,
    /// How many they are, and the last one.
    field_count: u32,
    field: u32,
    threshold: u32,
    suspect: bool,
    /// The record may be suspect or have an exception, P0 elements, lead bytes or fields which the
    /// next one has not, or fields came behind it.
    has_more: bool,
}

impl<'s> PacketState<'s> {
    /// That behind a head of this source.
    pub fn new(config: &'s Config, start: &Start, state: &State) -> PacketState<'s> {
        PacketState {
            config,
            lenient: start.lenient,
            fields: Fields::default(),
            field_count: 0,
            field: 0,
            threshold: state.threshold,
            suspect: state.suspect,
            has_more: true,
        }
    }

    /// Whether so many fields have been read since the last record.
    #[inline]
    pub fn has_fields(&self, count: u32) -> bool {
        self.field_count >= count
    }

    /// Takes a field.
    pub fn field(&mut self, field: u32) {
        self.fields.push(field);
        self.field = field;
        self.field_count += 1;
        self.has_more = true;
    }

    /// Words of the trace port were lost.
    pub fn lose(&mut self) {
        self.end_fields();
        self.suspect = self.lenient;
        self.has_more = true;
    }

    fn end_fields(&mut self) {
        if self.field_count > 0 {
            self.fields.clear();
            self.field_count = 0;
        }
    }

    /// The record of a plain tag, but for its address, timestamp and context.
    #[inline(always)]
    pub fn take_plain(&mut self, tag: u8, plain: &Plain, record: &mut Record) {
        record.kind = plain.kind;
        record.header = tag;
        record.atoms = plain.atoms;
        record.count = plain.count(self.threshold);
        if self.has_more {
            self.clear_more(record);
        }
    }

    /// Clears what a plain record has not.
    #[cold]
    #[inline(never)]
    fn clear_more(&mut self, record: &mut Record) {
        record.suspect = self.suspect;
        record.exception = 0;
        record.elements = 0;
        record.lead = [0; 9];
        record.fields = [0; RECORD_FIELDS];
        self.has_more = false;
        self.end_fields();
    }

    /// The record of a cycle count of format 1 or 2, with the word of its body. All its fields have
    /// been read.
    #[inline]
    pub fn take_cycles(&mut self, tag: u8, row: &TagRow, word: u32, record: &mut Record) {
        record.kind = row.constant.kind;
        record.header = tag;
        record.atoms = row.constant.atoms;
        record.suspect = self.suspect;
        record.exception = 0;
        record.lead = [0; 9];
        record.fields = [0; RECORD_FIELDS];
        if row.body == Body::Lead {
            record.lead[0] = word as u8;
        } else if row.has_commit {
            record.fields[0] = if row.has_count { self.field } else { word };
        }
        if row.has_count {
            record.fields[1] = word;
        }
        let (kind, lead) = (record.kind, record.lead[0]);
        let [field0, field1, ..] = record.fields;
        record.count = cycle_count(kind, tag, lead, field1, self.threshold).unwrap_or(0);
        record.elements = elements(kind, tag, lead, field0, self.config);
        self.has_more = true;
        self.end_fields();
    }

    /// Makes the record of a tag whose words decide what it is; returns the addresses after it.
    pub fn take(
        &mut self,
        tag: u8,
        body: Body,
        words: &[u32],
        addresses: Addresses,
        record: &mut Record,
    ) -> Addresses {
        let mut lead = [0; 9];
        take_values(record, body, words);
        match body {
            Body::Lead => lead[..4].copy_from_slice(&words[0].to_le_bytes()),
            Body::Field => self.fields.push(words[0]),
            Body::TimestampField => self.fields.push(words[2]),
            Body::Plctl => {
                lead[..4].copy_from_slice(&words[0].to_le_bytes());
                self.fields.push(words[1]);
            }
            Body::LongLead => {
                lead[..4].copy_from_slice(&words[0].to_le_bytes());
                lead[4..8].copy_from_slice(&words[1].to_le_bytes());
                lead[8] = words[2] as u8;
            }
            _ => {}
        }
        let of_extension = |byte: u8| [byte, 0, 0, 0, 0, 0, 0, 0, 0];
        let first = words.first().copied().unwrap_or_default();
        let octet = first as u8;
        let (outcome, header, lead) = match tag {
            tag::ASYNC => (Outcome::Async, 0, lead),
            tag::DISCARD => (Outcome::Packet, 0, of_extension(DISCARD)),
            tag::OVERFLOW => (Outcome::Packet, 0, of_extension(OVERFLOW)),
            tag::ERROR if first >> BAD_SEQUENCE & 1 == 1 => {
                (Outcome::BadSequence, 0, of_extension(octet))
            }
            tag::ERROR => (Outcome::Reserved, octet, lead),
            header => (Outcome::Packet, header, lead),
        };
        self.end((outcome, header, lead), addresses, record)
    }

    /// Applies the kind of a record to the trace state.
    fn end(
        &mut self,
        (outcome, header, lead): (Outcome, u8, [u8; 9]),
        mut addresses: Addresses,
        record: &mut Record,
    ) -> Addresses {
        let mut ending = RawRecord {
            outcome,
            suspect: self.suspect && outcome != Outcome::Async,
            header,
            lead,
            fields: self.fields,
            address: addresses.newest(),
            timestamp: record.timestamp,
            context: record.context,
        };
        self.field_count = 0;
        self.fields.clear();
        self.has_more = true;
        let kind = ending.kind(self.config);
        match kind {
            Kind::Async => self.suspect = false,
            Kind::TraceInfo => {
                addresses.clear();
                ending.timestamp = 0;
                ending.context = Context::default();
            }
            Kind::PeReset | Kind::TransactionFail => {
                addresses.push(0);
            }
            _ if kind.is_error() => self.suspect |= self.lenient,
            _ => {}
        }
        ending.address = addresses.newest();
        *record = ending.record(self.threshold, self.config);
        if kind == Kind::TraceInfo {
            self.threshold = record.fields[3];
        }
        addresses
    }
}

/// Takes timestamp and context from the words of a body.
pub(crate) fn take_values(record: &mut Record, body: Body, words: &[u32]) {
    match body {
        Body::Timestamp | Body::TimestampField => {
            record.timestamp = u64::from(words[1]) << 32 | u64::from(words[0]);
        }
        Body::Context => {
            let context = &mut record.context;
            context.info = words[0] as u8;
            let mut rest = words[1..].iter();
            if context.announces_vmid() {
                context.vmid = rest.next().copied().unwrap_or_default();
            }
            if context.announces_cid() {
                context.cid = rest.next().copied().unwrap_or_default();
            }
        }
        _ => {}
    }
}
