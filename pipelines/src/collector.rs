// SPDX-License-Identifier: MIT OR Apache-2.0
//! Result ports to records: what software does with the words that the hardware puts out.

use etm4_hdl::dataflow::{Value, Wide};
use etm4_hdl::etm4::layouts::outcome;
use etm4_hdl::etm4::{LaneResult, PairResult};
use etm4_protocol::atom::ATOMS;
use etm4_protocol::header::reports_lead_bytes;
use etm4_protocol::packet::{
    cycle_count, elements, ete_exception_kind, exception_info, timestamp_count,
};
use etm4_protocol::{Address, Config, Context, Kind, Lead, Part, Parts, Record, layout};

/// Bytes of an A-Sync packet.
const ASYNC_BYTES: u64 = 12;
/// The most continuation fields of a packet: five sections of a Trace Info, and what stands for the
/// later bytes of its PLCTL.
const MAX_FIELDS: usize = 6;
/// The byte after header 0x00 of a Discard.
const DISCARD: u8 = 0x03;

/// One valid word of a decoder's result port.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneWord {
    /// Bytes were lost before the word.
    pub discontinuity: bool,
    /// Which lanes had a byte, lane 0 in bit 0.
    pub keep: u32,
    /// Bytes before the word that no record has told of.
    pub pending: u32,
    /// The result of each lane.
    pub lanes: Vec<Wide>,
    /// The result of each pair of lanes.
    pub pairs: Vec<Wide>,
}

/// Turns result words into records with offsets and lengths.
#[derive(Clone, Debug)]
pub struct Collector {
    config: Config,
    lenient: bool,
    /// Cycle count threshold of the Trace Info last read.
    threshold: u32,
    /// Continuation fields since the last record.
    fields: Vec<u32>,
    synced: bool,
    offset: u64,
    pending: u64,
}

impl Collector {
    /// A collector for a decoder that was just reset, of the same trace unit and error policy.
    pub fn new(config: Config, lenient: bool) -> Collector {
        Collector {
            config,
            lenient,
            threshold: 0,
            fields: Vec::new(),
            synced: false,
            offset: 0,
            pending: 0,
        }
    }

    /// Takes a word; `sink` gets its records.
    ///
    /// # Panics
    /// In debug builds, if the hardware counts pending bytes otherwise.
    pub fn word(&mut self, word: &LaneWord, mut sink: impl FnMut(&Record)) {
        debug_assert_eq!(
            u64::from(word.pending),
            self.pending.min(u64::from(u32::MAX)),
            "pending bytes at {}",
            self.offset
        );
        if word.discontinuity {
            if self.pending > 0 {
                self.unread(self.pending, &mut sink);
            }
            self.synced &= self.lenient;
            self.fields.clear();
        }
        let kept = |lane: usize| word.keep >> lane & 1 == 1;
        for lane in (0..word.lanes.len()).filter(|&lane| kept(lane)) {
            self.pending += 1;
            let result = LaneResult::<Value>::unpack(&word.lanes[lane]);
            let pair = PairResult::<Value>::unpack(&word.pairs[lane / 2]);
            if result.field_ends.bits() == 1 && self.fields.len() < MAX_FIELDS {
                let is_short = result.field_is_short.bits() == 1;
                let value = if is_short {
                    result.octet.bits() & 0x7F
                } else {
                    pair.field.bits()
                };
                self.fields.push(value as u32);
            }
            let record = record(&result, &pair, &self.fields, self.threshold, &self.config);
            if let Some(record) = record {
                self.fields.clear();
                self.packet(record, &mut sink);
            }
        }
    }

    /// The stream has ended: bytes that no record has told of. `header_at` gives the byte at an
    /// offset, to name the packet that was cut off.
    pub fn finish(&mut self, header_at: impl Fn(u64) -> u8, mut sink: impl FnMut(&Record)) {
        if self.pending == 0 {
            return;
        }
        if self.synced {
            let header = header_at(self.offset);
            self.emit(
                self.pending,
                Record {
                    header,
                    ..Record::blank(Kind::Incomplete)
                },
                &mut sink,
            );
        } else {
            self.unread(self.pending, &mut sink);
        }
    }

    fn packet(&mut self, record: Record, sink: &mut impl FnMut(&Record)) {
        if record.kind == Kind::Async {
            if self.pending > ASYNC_BYTES {
                self.unread(self.pending - ASYNC_BYTES, sink);
            }
            self.synced = true;
        } else if record.kind.is_error() && !self.lenient {
            self.synced = false;
        } else if record.kind == Kind::TraceInfo {
            self.threshold = record.fields[3];
        }
        self.emit(self.pending, record, sink);
    }

    fn unread(&mut self, len: u64, sink: &mut impl FnMut(&Record)) {
        self.emit(len, Record::blank(Kind::NotSync), sink);
    }

    fn emit(&mut self, len: u64, record: Record, sink: &mut impl FnMut(&Record)) {
        let record = Record {
            offset: self.offset,
            len,
            ..record
        };
        self.offset += len;
        self.pending -= len;
        sink(&record);
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

/// The record that ends in a lane, if one does, from the results of the lane and its pair and the
/// continuation fields since the record before. Offset and length are left open.
fn record(
    lane: &LaneResult<Value>,
    pair: &PairResult<Value>,
    fields: &[u32],
    threshold: u32,
    config: &Config,
) -> Option<Record> {
    let header = lane.header.bits() as u8;
    let lead0 = pair.lead_low.bits() as u8;
    let kind = match lane.outcome.bits() {
        outcome::PACKET => packet_kind(header, lead0, config),
        outcome::ASYNC => Kind::Async,
        outcome::RESERVED => layout(header, config).closed_kind(),
        outcome::BAD_SEQUENCE => Kind::BadSequence,
        _ => return None,
    };
    let mut record = Record {
        suspect: lane.suspect.bits() == 1,
        address: Address {
            value: lane.address.bits(),
            is1: lane.is1.bits() == 1,
        },
        timestamp: pair.timestamp.bits(),
        context: Context {
            info: pair.info.bits() as u8,
            vmid: pair.vmid.bits() as u32,
            cid: pair.cid.bits() as u32,
        },
        ..Record::blank(kind)
    };
    if kind == Kind::Async {
        return Some(record);
    }
    record.header = header;
    let is_reserved = lane.outcome.bits() == outcome::RESERVED;
    if !is_reserved {
        let len = lead_len(header, kind, lead0, config);
        let bytes = pair.lead_low.bits().to_le_bytes().into_iter();
        let bytes = bytes.chain([pair.lead_high.bits() as u8]);
        let lead = record.lead.iter_mut().zip(bytes).take(len);
        lead.for_each(|(slot, byte)| *slot = byte);
    }
    if kind.is_error() {
        return Some(record);
    }
    let tail = match layout(header, config).lead {
        Lead::Plctl => Parts::of_plctl(lead0),
        _ => layout(header, config).tail,
    };
    // The later bytes of a PLCTL come as a field of their own.
    let skip = usize::from(kind == Kind::TraceInfo && lead0 & 0x80 != 0);
    let parts = [Part::Field0, Part::Field1, Part::Field2, Part::Field3];
    let present = parts
        .iter()
        .zip(&mut record.fields)
        .filter(|(part, _)| tail.contains(**part));
    for ((_, slot), &field) in present.zip(fields.iter().skip(skip)) {
        *slot = field;
    }
    let [field0, field1, ..] = record.fields;
    record.atoms = ATOMS[usize::from(header)];
    record.count = cycle_count(kind, header, record.lead[0], field1, threshold)
        .or(timestamp_count(header, field1, config))
        .unwrap_or(0);
    record.elements = elements(kind, header, record.lead[0], field0, config);
    if kind == Kind::Exception {
        record.exception = exception_info(&record.lead).number;
    }
    Some(record)
}
