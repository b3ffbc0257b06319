// SPDX-License-Identifier: MIT OR Apache-2.0
//! Result ports to records: what software does with the words that the hardware puts out.

use coretrace_etm::{Address, Config, Context, Fields, Kind, Outcome, RawRecord, Record};
use coretrace_hdl_dataflow::{Value, Wide};
use coretrace_hdl_etm::layouts::outcome;
use coretrace_hdl_etm::{LaneResult, PairResult};

/// Bytes of an A-Sync packet.
const ASYNC_BYTES: u64 = coretrace_etm::ASYNC_BYTES as u64;

/// One valid word of a decoder's result port.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultWord {
    /// Bytes were lost before the word.
    pub discontinuity: bool,
    /// Which lanes had a byte, lane 0 in bit 0.
    pub keep: u32,
    /// Bytes before the word that no record has counted.
    pub pending: u32,
    /// The result of each lane.
    pub lanes: Vec<Wide>,
    /// The result of each pair of lanes.
    pub pairs: Vec<Wide>,
}

/// Turns result words into records with offsets and lengths.
#[derive(Clone, Debug)]
pub struct ResultDecoder {
    config: Config,
    lenient: bool,
    /// Cycle count threshold of the Trace Info last read.
    threshold: u32,
    /// Continuation fields since the last record.
    fields: Fields,
    synced: bool,
    offset: u64,
    pending: u64,
}

impl ResultDecoder {
    /// For a decoder that was just reset, of the same trace unit and error policy.
    pub fn new(config: Config, lenient: bool) -> ResultDecoder {
        ResultDecoder {
            config,
            lenient,
            threshold: 0,
            fields: Fields::default(),
            synced: false,
            offset: 0,
            pending: 0,
        }
    }

    /// Takes a word; `sink` gets its records.
    ///
    /// # Panics
    /// In debug builds, if the hardware counts pending bytes otherwise.
    pub fn word(&mut self, word: &ResultWord, mut sink: impl FnMut(&Record)) {
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
            if result.field_ends.bits() == 1 {
                let is_short = result.field_is_short.bits() == 1;
                let value = if is_short {
                    result.octet.bits() & 0x7F
                } else {
                    pair.field.bits()
                };
                self.fields.push(value as u32);
            }
            if let Some(ending) = ending(&result, &pair, self.fields) {
                self.fields.clear();
                self.packet(ending.record(self.threshold, &self.config), &mut sink);
            }
        }
    }

    /// The stream has ended: bytes that no record has counted. `header_at` gives the byte at an
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

/// What ends in a lane, if a record does, from the results of the lane and its pair.
fn ending(lane: &LaneResult<Value>, pair: &PairResult<Value>, fields: Fields) -> Option<RawRecord> {
    let outcome = match lane.outcome.bits() {
        outcome::PACKET => Outcome::Packet,
        outcome::ASYNC => Outcome::Async,
        outcome::RESERVED => Outcome::Reserved,
        outcome::BAD_SEQUENCE => Outcome::BadSequence,
        _ => return None,
    };
    let mut lead = [pair.lead_high.bits() as u8; 9];
    lead[..8].copy_from_slice(&pair.lead_low.bits().to_le_bytes());
    Some(RawRecord {
        outcome,
        suspect: lane.suspect.bits() == 1,
        header: lane.header.bits() as u8,
        lead,
        fields,
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
    })
}
