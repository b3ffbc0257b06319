// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of the ITM decoders as records.

use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_software::itm::layouts::{LaneResult, Packet, TraceState, outcome};
use coretrace_hdl_software::itm::x4::{BYTES, ItmX4};
use coretrace_itm as itm;
use coretrace_itm::{Config, HEADERS, Kind, Parser, Record, Rule, State};

/// The results of the bytes that count: the first packet that ends, and the state behind it.
pub struct Results {
    /// Bytes were lost before them.
    pub lost: bool,
    /// Bytes before them that no record has counted.
    pub pending: u64,
    /// The bytes.
    pub lanes: Vec<LaneResult<u64>>,
    /// The first packet that ends.
    pub packet: Packet<u64>,
    /// The state behind it.
    pub state: TraceState<u64>,
}

impl Results {
    /// What the decoder for words puts out now, if it does.
    pub fn of_words(decoder: &ItmX4<BYTES, 1>) -> Option<Results> {
        let lanes = decoder.m_lane.iter().zip(&decoder.m_keep);
        let kept = lanes.filter(|(_, keep)| keep.val());
        decoder.m_valid.val().then(|| Results {
            lost: decoder.m_discontinuity.val(),
            pending: decoder.m_pending.val().to_u64(),
            lanes: kept
                .map(|(lane, _)| LaneResult::of_wide(&lane.val().to_wide()))
                .collect(),
            packet: Packet::of_wide(&decoder.m_packet.val().to_wide()),
            state: TraceState::of_wide(&decoder.m_state.val().to_wide()),
        })
    }
}

/// Makes records of results.
pub struct Records {
    config: Config,
    is_lenient: bool,
    is_synced: bool,
    is_suspect: bool,
    offset: u64,
    pending: u64,
    /// Zero bytes before the next one.
    zeros: u64,
    state: State,
    /// The records so far.
    pub records: Vec<Record>,
}

impl Records {
    /// At the start of a stream.
    pub fn new(config: Config, is_lenient: bool) -> Records {
        Records {
            config,
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

    /// Takes the results of a byte or a word.
    ///
    /// # Panics
    /// If what the hardware says of pending bytes, of the state or of suspect records is not what follows from its
    /// other results.
    pub fn take(&mut self, results: &Results) {
        assert_eq!(results.pending, self.pending);
        if results.lost {
            self.unread(self.pending);
            self.zeros = 0;
            self.is_synced &= self.is_lenient;
            self.is_suspect = self.is_synced;
        }
        let mut first = Some((packet(&results.packet), state(&results.state)));
        let mut begins = 0;
        for (place, lane) in results.lanes.iter().enumerate() {
            self.pending += 1;
            if lane.outcome != outcome::NONE {
                let bytes = &results.lanes[begins..=place];
                let (packet, state) = first.take().unwrap_or_else(|| self.later(bytes));
                self.state = state;
                self.ends(lane, packet);
                begins = place + 1;
            }
            self.zeros = if lane.octet == 0 { self.zeros + 1 } else { 0 };
        }
        if let Some((_, state)) = first {
            assert_eq!(state, self.state);
        }
    }

    /// The packet of these bytes, which is not the first one of its word, and the state after it.
    fn later(&self, bytes: &[LaneResult<u64>]) -> (itm::Packet, State) {
        let mut parser = Parser::new(Rule::Arm);
        for lane in bytes {
            parser.step(lane.octet as u8);
        }
        let (packet, mut state) = (*parser.packet(), self.state);
        if bytes.last().is_some_and(|it| it.outcome == outcome::PACKET) {
            state.apply(&packet, &self.config);
        }
        (packet, state)
    }

    fn ends(&mut self, lane: &LaneResult<u64>, packet: itm::Packet) {
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

fn packet(parts: &Packet<u64>) -> itm::Packet {
    let header = parts.header as u8;
    let mut packet = itm::Packet::new(HEADERS[usize::from(header)].kind, header);
    packet.len = parts.len as u8;
    packet.payload = std::array::from_fn(|place| (parts.payload >> (8 * place)) as u8);
    packet
}

fn state(state: &TraceState<u64>) -> State {
    State {
        page: state.page as u8,
        local_time: state.local_time,
        global_time: state.global_time,
        is_global_complete: state.is_global_complete == 1,
    }
}
