// SPDX-License-Identifier: MIT OR Apache-2.0
//! The words of a packet's groups in, records out.

use coretrace_abi::record_stream::{AddressRule, BAD_SEQUENCE, Body, KnownAddresses, rules, tag};
use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::{
    Address, AddressRegisters, Config, Context, Fields, Kind, Outcome, Protocol, RawRecord, Record,
};

use crate::head::{Head, address_of};
use crate::item::Item;
use crate::start::Start;

/// A source, and its trace state after the last record.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    start: Start,
    config: Config,
    rows: Vec<Row>,
    known: KnownAddresses,
    fields: Fields,
    threshold: u32,
    suspect: bool,
    /// The last record. Its address, timestamp and context are those of the state.
    record: Record,
}

/// What a tag means for a source.
#[derive(Clone, Debug)]
struct Row {
    address: AddressRule,
    body: Body,
    /// The record of the tag, if it is the same each time but for the state.
    constant: Option<Record>,
}

impl Source {
    pub fn new(start: Start) -> Source {
        let config = start.config();
        Source {
            start,
            config,
            rows: (0..=u8::MAX).map(|tag| row(tag, &config)).collect(),
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            fields: Fields::default(),
            threshold: 0,
            suspect: false,
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
        self.fields.clear();
        self.threshold = state.threshold;
        self.suspect = state.suspect;
        self.record.timestamp = state.timestamp;
        self.record.context = state.context;
    }

    /// Reads a group; returns the number of its words, behind the tag word.
    fn group(
        &mut self,
        tags: u32,
        words: &[u32],
        sink: &mut impl FnMut(Item<'_>),
    ) -> Option<usize> {
        let mut rest = words;
        for tag in tags.to_le_bytes() {
            if tag == tag::NONE {
                continue;
            }
            let row = &self.rows[usize::from(tag)];
            let (address, body) = (row.address, row.body);
            if tag == tag::END {
                return None;
            }
            let (of_address, more) = rest.split_at_checked(self.known.words(address))?;
            let first = more.first().copied().unwrap_or_default();
            let (of_body, more) = more.split_at_checked(body.words(first))?;
            rest = more;
            self.take_address(address, of_address);
            self.known.count(tag, address);
            match (tag, &self.rows[usize::from(tag)].constant) {
                (_, Some(constant)) => {
                    take_values(&mut self.record, body, of_body);
                    put(&mut self.record, constant);
                    if constant.kind == Kind::CycleCountF3 {
                        self.record.count = constant.count.wrapping_add(self.threshold);
                    }
                    self.record.suspect = self.suspect;
                    self.record.address = self.known.registers.0[0];
                    self.fields.clear();
                    sink(Item::Record(&self.record));
                }
                (tag::FIELD, _) => self.fields.push(of_body[0]),
                (tag::LOST, _) => {
                    self.fields.clear();
                    self.suspect = self.start.lenient;
                    sink(Item::Lost(of_body[0]));
                }
                (tag, None) => {
                    self.record(tag, body, of_body)?;
                    sink(Item::Record(&self.record));
                }
            }
        }
        Some(words.len() - rest.len())
    }

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
        self.fields.clear();
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
    let (address, body) = rules(tag).unwrap_or((AddressRule::None, Body::None));
    let is_packet = rules(tag).is_some() && !(tag::ASYNC..=tag::END).contains(&tag);
    let is_constant = is_packet
        && tag != tag::NONE
        && matches!(body, Body::None | Body::Timestamp | Body::Context);
    let constant = is_constant.then(|| {
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
        raw.record(0, config)
    });
    Row {
        address,
        body,
        constant,
    }
}

/// Replaces what a record says besides the state.
fn put(record: &mut Record, constant: &Record) {
    record.kind = constant.kind;
    record.header = constant.header;
    record.atoms = constant.atoms;
    record.exception = constant.exception;
    record.lead = constant.lead;
    record.fields = constant.fields;
    record.count = constant.count;
    record.elements = constant.elements;
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
