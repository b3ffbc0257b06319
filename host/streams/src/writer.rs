// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records in, words out: the hardware's encoder in software.

use coretrace_abi::record_stream::{
    AddressRule, BAD_SEQUENCE, Body, KnownAddresses, MAX_RECORD_WORDS, rules, tag, tag_of,
};
use coretrace_etm::{
    Address, AddressRegisters, Config, Kind, Lead, Part, Parts, Protocol, Record, layout,
};

use crate::start::Start;

/// Writes a stream. The tags of a group are held until it is full or [`Writer::flush`] is called.
#[derive(Clone, Debug)]
pub struct Writer {
    config: Config,
    known: KnownAddresses,
    tags: u32,
    count: u32,
    words: Vec<u32>,
}

/// Tags in a group.
const TAGS: u32 = 4;

impl Writer {
    /// Starts the stream of a source.
    pub fn new(start: Start, out: &mut Vec<u32>) -> Writer {
        out.push(tag::START.into());
        out.extend(start.words());
        Writer {
            config: start.config(),
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            tags: 0,
            count: 0,
            words: Vec::with_capacity(TAGS as usize * MAX_RECORD_WORDS),
        }
    }

    /// Writes a loss of trace port words, with their number since reset.
    pub fn lost(&mut self, total: u32, out: &mut Vec<u32>) {
        self.flush(out);
        out.extend([tag::LOST.into(), total]);
        self.known.count(tag::LOST, AddressRule::None);
    }

    /// Writes a record. Unread bytes and a packet cut off at the end are not reported.
    pub fn record(&mut self, record: &Record, out: &mut Vec<u32>) {
        let Some(tag) = tag_of(record) else {
            return;
        };
        let Some((rule, body)) = rules(tag) else {
            return;
        };
        let fields = self.fields(record);
        for &field in &fields[..fields.len().saturating_sub(1)] {
            self.tag(tag::FIELD, out);
            self.words.push(field);
        }
        self.tag(tag, out);
        let words = self.known.words(rule);
        let address = [
            record.address.value as u32 | u32::from(record.address.is1),
            (record.address.value >> 32) as u32,
        ];
        self.words.extend(&address[..words]);
        self.body(body, record, fields.last().copied().unwrap_or(0));
        if rule != AddressRule::None {
            self.known.registers.push(record.address);
        }
        self.known.count(tag, rule);
        match record.kind {
            Kind::TraceInfo => self.known.registers = AddressRegisters::default(),
            Kind::PeReset | Kind::TransactionFail => self.known.registers.push(Address::default()),
            _ => {}
        }
        if self.count == TAGS {
            self.flush(out);
        }
    }

    /// Writes the current group.
    pub fn flush(&mut self, out: &mut Vec<u32>) {
        if self.count > 0 {
            out.push(self.tags);
            out.append(&mut self.words);
            (self.tags, self.count) = (0, 0);
        }
    }

    fn tag(&mut self, tag: u8, out: &mut Vec<u32>) {
        if self.count == TAGS {
            self.flush(out);
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
            Body::None | Body::Lost | Body::Start => {}
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
