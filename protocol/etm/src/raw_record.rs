// SPDX-License-Identifier: MIT OR Apache-2.0
//! Turns the raw fields that a decoder reports at the end of a record into the record.
//!
//! A decoder reports raw fields: it does not add the threshold to a cycle count or split the bytes
//! of an exception. Every reader of its results must do this; the code is here.

use crate::address::Address;
use crate::atom::ATOMS;
use crate::config::Config;
use crate::header::{DISCARD, Lead, Part, Parts, layout, reports_lead_bytes};
use crate::kind::Kind;
use crate::packet::{cycle_count, elements, ete_exception_kind, exception_info, timestamp_count};
use crate::record::{Context, Record};

/// How a record ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A packet; the header byte names it.
    Packet,
    /// An A-Sync, wherever in a packet it came.
    Async,
    /// A header that does not exist, or not in this configuration.
    Reserved,
    /// Header 0x00 without a valid packet after it.
    BadSequence,
}

/// The most continuation fields of a packet: five sections of a Trace Info, and one field for the
/// later bytes of its PLCTL.
const MAX_FIELDS: usize = 6;

/// The continuation fields since the last record, in stream order. The last ones belong to the
/// packet. Before them there may be fields of packets that were not reported, and one field for the
/// later bytes of a PLCTL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fields {
    values: [u32; MAX_FIELDS],
    count: usize,
}

impl Fields {
    /// Adds a field. No packet has more fields than fit; if the list is full, the oldest is
    /// dropped.
    pub fn push(&mut self, value: u32) {
        if self.count == MAX_FIELDS {
            self.values.rotate_left(1);
            self.count -= 1;
        }
        self.values[self.count] = value;
        self.count += 1;
    }

    /// Drops all fields: a record has ended.
    pub fn clear(&mut self) {
        *self = Fields::default();
    }

    fn values(&self) -> &[u32] {
        &self.values[..self.count]
    }
}

/// What a decoder reports at the end of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawRecord {
    /// How it ends.
    pub outcome: Outcome,
    /// Under the lenient policy: an error came before, since the last A-Sync.
    pub suspect: bool,
    /// Header byte; undefined for an A-Sync.
    pub header: u8,
    /// Lead bytes, as many as the packet has; the rest is undefined. For a Trace Info: PLCTL.
    pub lead: [u8; 9],
    /// Continuation fields.
    pub fields: Fields,
    /// The newest address register after the record.
    pub address: Address,
    /// The timestamp after the record.
    pub timestamp: u64,
    /// The context after the record.
    pub context: Context,
}

impl RawRecord {
    /// What ended here.
    pub fn kind(&self, config: &Config) -> Kind {
        match self.outcome {
            Outcome::Packet => packet_kind(self.header, self.lead[0], config),
            Outcome::Async => Kind::Async,
            Outcome::Reserved => layout(self.header, config).closed_kind(),
            Outcome::BadSequence => Kind::BadSequence,
        }
    }

    /// The record, with offset and length 0. `threshold` is the one of the last Trace Info.
    pub fn record(&self, threshold: u32, config: &Config) -> Record {
        let kind = self.kind(config);
        let mut record = Record {
            suspect: self.suspect,
            address: self.address,
            timestamp: self.timestamp,
            context: self.context,
            ..Record::blank(kind)
        };
        if kind == Kind::Async {
            return record;
        }
        record.header = self.header;
        if self.outcome != Outcome::Reserved {
            let len = lead_len(self.header, kind, self.lead[0], config);
            record.lead[..len].copy_from_slice(&self.lead[..len]);
        }
        if kind.is_error() {
            return record;
        }
        self.put_fields(&mut record, config);
        let [field0, field1, ..] = record.fields;
        record.atoms = ATOMS[usize::from(self.header)];
        record.count = cycle_count(kind, self.header, record.lead[0], field1, threshold)
            .or(timestamp_count(self.header, field1, config))
            .unwrap_or(0);
        record.elements = elements(kind, self.header, record.lead[0], field0, config);
        if kind == Kind::Exception {
            record.exception = exception_info(&record.lead).number;
        }
        record
    }

    fn put_fields(&self, record: &mut Record, config: &Config) {
        let row = layout(self.header, config);
        let tail = match row.lead {
            Lead::Plctl => Parts::of_plctl(self.lead[0]),
            _ => row.tail,
        };
        let own = Part::ALL
            .iter()
            .filter(|part| part.field_index().is_some() && tail.contains(**part))
            .count();
        let skip = self.fields.count.saturating_sub(own);
        let parts = [Part::Field0, Part::Field1, Part::Field2, Part::Field3];
        let slots = parts.iter().zip(&mut record.fields);
        let present = slots.filter(|(part, _)| tail.contains(**part));
        for ((_, slot), &field) in present.zip(self.fields.values().iter().skip(skip)) {
            *slot = field;
        }
    }
}

/// The kind of a packet, from its header and the first byte of its lead.
fn packet_kind(header: u8, lead0: u8, config: &Config) -> Kind {
    let row = layout(header, config);
    match row.lead {
        Lead::Extension if lead0 == DISCARD => Kind::Discard,
        Lead::Extension => Kind::Overflow,
        Lead::Exception if config.is_ete() => ete_exception_kind(lead0).unwrap_or(row.kind),
        _ => row.kind,
    }
}

/// How many bytes of the lead a packet reports.
fn lead_len(header: u8, kind: Kind, lead0: u8, config: &Config) -> usize {
    let lead = layout(header, config).lead;
    match lead {
        Lead::Exception => 1 + usize::from(lead0 & 0x80 != 0 || kind != Kind::Exception),
        _ if reports_lead_bytes(lead) => usize::from(lead.max_bytes()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{ArchProfile, Protocol};
    use crate::header::TRACE_INFO;
    use crate::registers::Registers;

    #[test]
    fn a_full_list_of_fields_drops_the_oldest() {
        let mut fields = Fields::default();
        (1..=8).for_each(|value| fields.push(value));
        assert_eq!(fields.values(), [3, 4, 5, 6, 7, 8]);
        fields.clear();
        assert!(fields.values().is_empty());
    }

    /// The record of a packet with this header, lead and fields.
    fn record(header: u8, lead: [u8; 9], fields: Fields) -> Record {
        let raw = RawRecord {
            outcome: Outcome::Packet,
            suspect: false,
            header,
            lead,
            fields,
            address: Address::default(),
            timestamp: 0,
            context: Context::default(),
        };
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &Registers::default());
        raw.record(0, &config)
    }

    #[test]
    fn fields_in_front_of_those_of_a_packet_are_left_out() {
        let mut fields = Fields::default();
        fields.push(9);
        fields.push(5);
        // PLCTL with INFO alone, and one more byte of PLCTL, which is the first field.
        let record = record(TRACE_INFO, [0x81, 0, 0, 0, 0, 0, 0, 0, 0], fields);
        assert_eq!(
            (record.kind, record.fields),
            (Kind::TraceInfo, [5, 0, 0, 0])
        );
    }

    #[test]
    fn an_exception_has_the_bytes_of_information_that_it_says() {
        for (lead0, bytes) in [(0x02, 1), (0x82, 2)] {
            let lead = [lead0, 0x05, 7, 7, 7, 7, 7, 7, 7];
            let record = record(0x06, lead, Fields::default());
            let mut want = [0; 9];
            want[..bytes].copy_from_slice(&lead[..bytes]);
            assert_eq!((record.kind, record.lead), (Kind::Exception, want));
        }
    }
}
