// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of the ITM decoder as records.

use coretrace_hdl_software::itm::layouts::{LaneResult, Packet, TraceState, outcome};
use coretrace_itm as itm;
use coretrace_itm::{HEADERS, Kind, Record, State};

/// The results of a byte.
pub struct Results {
    pub lost: bool,
    pub pending: u64,
    pub lane: LaneResult<u64>,
    pub packet: Packet<u64>,
    pub state: TraceState<u64>,
}

/// Makes records of results.
pub struct Records {
    is_lenient: bool,
    is_synced: bool,
    is_suspect: bool,
    offset: u64,
    pending: u64,
    /// Zero bytes before the next one.
    zeros: u64,
    state: State,
    pub records: Vec<Record>,
}

impl Records {
    pub fn new(is_lenient: bool) -> Records {
        Records {
            is_lenient,
            is_synced: false,
            is_suspect: false,
            offset: 0,
            pending: 0,
            zeros: 0,
            state: State::default(),
            records: Vec::new(),
        }
    }

    pub fn take(&mut self, results: &Results) {
        assert_eq!(results.pending, self.pending);
        if results.lost {
            self.unread(self.pending);
            self.zeros = 0;
            self.is_synced &= self.is_lenient;
            self.is_suspect = self.is_synced;
        }
        self.state = state(&results.state);
        self.pending += 1;
        if results.lane.outcome != outcome::NONE {
            self.ends(&results.lane, &results.packet);
        }
        self.zeros = if results.lane.octet == 0 {
            self.zeros + 1
        } else {
            0
        };
    }

    fn ends(&mut self, lane: &LaneResult<u64>, parts: &Packet<u64>) {
        let header = parts.header as u8;
        let mut packet = itm::Packet::new(HEADERS[usize::from(header)].kind, header);
        packet.len = parts.len as u8;
        packet.payload = std::array::from_fn(|place| (parts.payload >> (8 * place)) as u8);
        let last = lane.octet as u8;
        match lane.outcome {
            outcome::SYNC => {
                self.unread(self.pending.saturating_sub(self.zeros + 1));
                self.is_synced = true;
                self.is_suspect = false;
                self.record(Kind::Sync, itm::Packet::new(Kind::Sync, 0), last);
            }
            outcome::PACKET => self.record(packet.kind, packet, last),
            outcome::RESERVED => self.record(Kind::Reserved, packet, last),
            _ => self.record(Kind::BadSequence, packet, last),
        }
        let last = self.records.last().expect("a record");
        assert_eq!(lane.is_suspect == 1, last.suspect, "{last:?}");
        if last.kind.is_error() {
            self.is_synced = self.is_lenient;
            self.is_suspect = self.is_lenient;
        }
    }

    fn unread(&mut self, len: u64) {
        let behind = self.pending - len;
        if len > 0 {
            self.pending = len;
            self.record(Kind::NotSync, itm::Packet::new(Kind::NotSync, 0), 0);
        }
        self.pending = behind;
    }

    fn record(&mut self, kind: Kind, packet: itm::Packet, last: u8) {
        self.records.push(Record {
            offset: self.offset,
            len: self.pending,
            kind,
            packet,
            last,
            suspect: self.is_suspect,
            state: self.state,
        });
        self.offset += self.pending;
        self.pending = 0;
    }
}

fn state(state: &TraceState<u64>) -> State {
    State {
        page: state.page as u8,
        local_time: state.local_time,
        global_time: state.global_time,
        is_global_complete: state.is_global_complete == 1,
    }
}
