// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a packet's groups in, records out.

use coretrace_abi::record_stream::{AddressRule, BAD_SEQUENCE, Body, KnownAddresses, rules, tag};
use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::packet::{cycle_count, elements};
use coretrace_etm::record::RECORD_FIELDS;
use coretrace_etm::{
    Address, AddressRegisters, Config, Context, Fields, Kind, Outcome, Part, Protocol, RawRecord,
    Record, layout,
};

use crate::head::{Head, address_of};
use crate::item::Item;
use crate::start::Start;

/// A source, and its trace state after the last record.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    start: Start,
    config: Config,
    rows: Box<[Row; 256]>,
    known: KnownAddresses,
    fields: Fields,
    /// How many they are, and the last one.
    field_count: u32,
    field: u32,
    threshold: u32,
    suspect: bool,
    /// The last record may have an exception, lead bytes or fields.
    has_more: bool,
    /// The last record. Its address, timestamp and context are those of the state.
    record: Record,
}

/// What a tag means for a source.
#[derive(Clone, Debug)]
struct Row {
    class: Class,
    address: AddressRule,
    body: Body,
    /// The record of the tag, if its words do not change it.
    constant: Record,
    /// Of a cycle count: the fields in front of its own; whether it has these two.
    fields: u32,
    has_commit: bool,
    has_count: bool,
}

/// How a tag is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// No record.
    Nothing,
    /// A record without words.
    Constant,
    /// A record with an address and no body.
    Address,
    /// A cycle count with one word.
    Cycles,
    /// By the rules of its words.
    Other,
}

impl Source {
    pub fn new(start: Start) -> Source {
        let config = start.config();
        Source {
            start,
            config,
            rows: Box::new(std::array::from_fn(|tag| row(tag as u8, &config))),
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            fields: Fields::default(),
            field_count: 0,
            field: 0,
            threshold: 0,
            suspect: false,
            has_more: false,
            record: Record::blank(Kind::Async),
        }
    }

    /// The source that the packets describe.
    pub fn start(&self) -> &Start {
        &self.start
    }

    /// Reads the groups of a packet. Returns how many words were read: fewer than there are if what
    /// is behind them is no group, although the CRC is right.
    pub fn packet(&mut self, head: &Head, words: &[u32], sink: &mut impl FnMut(Item<'_>)) -> usize {
        self.begin(head);
        let mut at = 0;
        while at < words.len() {
            let Some(read) = self.group(words[at], &words[at + 1..], sink) else {
                break;
            };
            at += 1 + read;
        }
        at
    }

    /// The state of a head.
    fn begin(&mut self, head: &Head) {
        let state = &head.state;
        self.known.count = 0;
        self.known.registers = AddressRegisters::default();
        self.known.registers.0[0] = state.address;
        self.end_fields();
        self.threshold = state.threshold;
        self.suspect = state.suspect;
        self.record.address = state.address;
        self.record.timestamp = state.timestamp;
        self.record.context = state.context;
    }

    /// Reads a group; returns the number of its words, behind the tag word.
    #[inline]
    fn group(
        &mut self,
        tags: u32,
        words: &[u32],
        sink: &mut impl FnMut(Item<'_>),
    ) -> Option<usize> {
        let mut rest = words;
        for tag in tags.to_le_bytes() {
            let row = &self.rows[usize::from(tag)];
            match row.class {
                Class::Nothing => continue,
                Class::Constant => {}
                Class::Address => {
                    let rule = row.address;
                    let (address, more) = rest.split_at_checked(self.known.words(rule))?;
                    rest = more;
                    self.take_address(rule, address);
                    self.known.count(tag, rule);
                    self.record.address = self.known.registers.0[0];
                }
                Class::Cycles if self.field_count >= row.fields => {
                    let (body, more) = rest.split_at_checked(1)?;
                    rest = more;
                    self.take_cycles(tag, body[0]);
                    sink(Item::Record(&self.record));
                    continue;
                }
                Class::Cycles | Class::Other => {
                    let (address, body) = (row.address, row.body);
                    let (of_address, more) = rest.split_at_checked(self.known.words(address))?;
                    let first = more.first().copied().unwrap_or_default();
                    let (of_body, more) = more.split_at_checked(body.words(first))?;
                    rest = more;
                    self.take_address(address, of_address);
                    self.known.count(tag, address);
                    self.take(tag, body, of_body, sink)?;
                    continue;
                }
            }
            self.put_constant(tag);
            sink(Item::Record(&self.record));
        }
        Some(words.len() - rest.len())
    }

    /// The record of a tag that has no body.
    #[inline]
    fn put_constant(&mut self, tag: u8) {
        let constant = &self.rows[usize::from(tag)].constant;
        let record = &mut self.record;
        record.kind = constant.kind;
        record.header = tag;
        record.atoms = constant.atoms;
        record.count = constant.count;
        record.elements = constant.elements;
        record.suspect = self.suspect;
        if constant.kind == Kind::CycleCountF3 {
            record.count = constant.count.wrapping_add(self.threshold);
        }
        if self.has_more {
            record.exception = constant.exception;
            record.lead = constant.lead;
            record.fields = constant.fields;
            self.has_more = false;
        }
        self.end_fields();
    }

    /// The record of a cycle count of format 1 or 2, with the word of its body. All its fields have
    /// been read.
    #[inline]
    fn take_cycles(&mut self, tag: u8, word: u32) {
        let row = &self.rows[usize::from(tag)];
        let record = &mut self.record;
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
        record.elements = elements(kind, tag, lead, field0, &self.config);
        self.has_more = true;
        self.end_fields();
    }

    fn end_fields(&mut self) {
        if self.field_count > 0 {
            self.fields.clear();
            self.field_count = 0;
        }
    }

    /// Takes any other tag.
    fn take(
        &mut self,
        tag: u8,
        body: Body,
        words: &[u32],
        sink: &mut impl FnMut(Item<'_>),
    ) -> Option<()> {
        match tag {
            tag::FIELD => {
                self.fields.push(words[0]);
                self.field = words[0];
                self.field_count += 1;
            }
            tag::LOST => {
                self.end_fields();
                self.suspect = self.start.lenient;
                sink(Item::Lost(words[0]));
            }
            _ => {
                self.record(tag, body, words)?;
                sink(Item::Record(&self.record));
            }
        }
        Some(())
    }

    #[inline]
    fn take_address(&mut self, rule: AddressRule, words: &[u32]) {
        let registers = &mut self.known.registers;
        let newest = registers.0[0];
        let address = match (rule, words) {
            (AddressRule::None, _) => return,
            (AddressRule::Match(register), []) => registers.0[usize::from(register)],
            (_, [low]) => address_of(*low, (newest.value >> 32) as u32),
            (_, [low, high, ..]) => address_of(*low, *high),
            (_, []) => newest,
        };
        registers.push(address);
    }

    /// Makes the record of a tag whose words decide what it is; `None` if there is no such tag.
    fn record(&mut self, tag: u8, body: Body, words: &[u32]) -> Option<()> {
        rules(tag)?;
        let mut lead = [0; 9];
        take_values(&mut self.record, body, words);
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
        self.end(outcome, header, lead);
        Some(())
    }

    /// Applies the kind of a record to the trace state.
    fn end(&mut self, outcome: Outcome, header: u8, lead: [u8; 9]) {
        let mut ending = RawRecord {
            outcome,
            suspect: self.suspect && outcome != Outcome::Async,
            header,
            lead,
            fields: self.fields,
            address: self.known.registers.0[0],
            timestamp: self.record.timestamp,
            context: self.record.context,
        };
        self.field_count = 0;
        self.fields.clear();
        self.has_more = true;
        let kind = ending.kind(&self.config);
        match kind {
            Kind::Async => self.suspect = false,
            Kind::TraceInfo => {
                self.known.registers = AddressRegisters::default();
                ending.timestamp = 0;
                ending.context = Context::default();
            }
            Kind::PeReset | Kind::TransactionFail => {
                self.known.registers.push(Address::default());
            }
            _ if kind.is_error() => self.suspect |= self.start.lenient,
            _ => {}
        }
        ending.address = self.known.registers.0[0];
        self.record = ending.record(self.threshold, &self.config);
        if kind == Kind::TraceInfo {
            self.threshold = self.record.fields[3];
        }
    }
}

/// What a tag means under a configuration.
fn row(tag: u8, config: &Config) -> Row {
    let rules = rules(tag);
    let (address, body) = rules.unwrap_or((AddressRule::None, Body::None));
    let raw = RawRecord {
        outcome: Outcome::Packet,
        suspect: false,
        header: tag,
        lead: [0; 9],
        fields: Fields::default(),
        address: Address::default(),
        timestamp: 0,
        context: Context::default(),
    };
    let constant = raw.record(0, config);
    let tail = layout(tag, config).tail;
    let [has_commit, has_count] = [Part::Field0, Part::Field1].map(|part| tail.contains(part));
    let is_packet = rules.is_some() && !(tag::ASYNC..=tag::END).contains(&tag);
    let class = match (address, body, constant.kind) {
        _ if tag == tag::NONE => Class::Nothing,
        _ if !is_packet => Class::Other,
        (AddressRule::None, Body::None, _) => Class::Constant,
        (_, Body::None, _) => Class::Address,
        (_, Body::Field | Body::Lead, Kind::CycleCountF1 | Kind::CycleCountF2) => Class::Cycles,
        _ => Class::Other,
    };
    Row {
        class,
        address,
        body,
        constant,
        fields: u32::from(has_commit && has_count),
        has_commit,
        has_count,
    }
}

/// Takes timestamp and context from the words of a body.
fn take_values(record: &mut Record, body: Body, words: &[u32]) {
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
