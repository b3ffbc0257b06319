// SPDX-License-Identifier: MIT OR Apache-2.0
//! Result ports to records: what software does with the words that the hardware puts out.

use etm4_hdl::dataflow::{Value, Wide};
use etm4_hdl::etm4::LaneRecord;
use etm4_protocol::{Address, Atoms, Context, Kind, Record};

/// Bytes of an A-Sync packet.
const ASYNC_BYTES: u64 = 12;

/// One valid word of a decoder's result port.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneWord {
    /// Bytes were lost before the word.
    pub discontinuity: bool,
    /// Which lanes had a byte, lane 0 in bit 0.
    pub keep: u32,
    /// Bytes before the word that no record has told of.
    pub pending: u32,
    /// The record port of each lane.
    pub lanes: Vec<Wide>,
}

/// Turns result words into records with offsets and lengths.
#[derive(Clone, Debug)]
pub struct Collector {
    lenient: bool,
    synced: bool,
    offset: u64,
    pending: u64,
}

impl Collector {
    /// A collector for a decoder that was just reset, under the same error policy.
    pub fn new(lenient: bool) -> Collector {
        Collector {
            lenient,
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
        }
        let kept = |lane: usize| word.keep >> lane & 1 == 1;
        for lane in (0..word.lanes.len()).filter(|&lane| kept(lane)) {
            self.pending += 1;
            if let Some(record) = record(&word.lanes[lane]) {
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

/// The record in a lane, if one ends there. Offset and length are left open.
fn record(wide: &Wide) -> Option<Record> {
    let lane = LaneRecord::<Value>::unpack(wide);
    let kind = Kind::from_code(lane.kind.bits() as u8)?;
    let mut lead = [0; 9];
    lead[..8].copy_from_slice(&lane.lead_low.bits().to_le_bytes());
    lead[8] = lane.lead_high.bits() as u8;
    Some(Record {
        header: lane.header.bits() as u8,
        suspect: lane.suspect.bits() == 1,
        atoms: Atoms {
            count: lane.atom_count.bits() as u8,
            bits: lane.atom_bits.bits() as u8,
        },
        exception: if kind == Kind::Exception {
            lane.exception.bits() as u16
        } else {
            0
        },
        lead,
        fields: [lane.field_0, lane.field_1, lane.field_2, lane.field_3]
            .map(|field| field.bits() as u32),
        count: lane.count.bits() as u32,
        elements: lane.elements.bits() as u32,
        address: Address {
            value: lane.address.bits(),
            is1: lane.is1.bits() == 1,
        },
        timestamp: lane.timestamp.bits(),
        context: Context {
            info: lane.info.bits() as u8,
            vmid: lane.vmid.bits() as u32,
            cid: lane.cid.bits() as u32,
        },
        ..Record::blank(kind)
    })
}
