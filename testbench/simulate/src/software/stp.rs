// SPDX-License-Identifier: MIT OR Apache-2.0
//! Results of the STM decoders as records.

use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_software::stp::layouts::{LaneResult, Packet, TraceState, coding, outcome};
use coretrace_hdl_software::stp::row_of;
use coretrace_hdl_software::stp::x4::layouts::{ByteResult, opcode_of};
use coretrace_hdl_software::stp::x4::{BYTES, StpX4};
use coretrace_stm as stm;
use coretrace_stm::{
    ASYNC_NIBBLES, Coding, Kind, OPCODES, Parser, RawNibbles, Record, Stamp, State,
};

/// The results of the nibbles that count, of a byte or a word: the parts of the first packet that ends, and the state
/// behind it.
pub struct Results {
    /// Bytes were lost before it.
    pub lost: bool,
    /// Nibbles before it that no record has counted.
    pub pending: u64,
    /// The nibbles.
    pub lanes: Vec<LaneResult<u64>>,
    /// The first packet that ends.
    pub packet: Packet<u64>,
    /// The state behind it.
    pub state: State,
}

impl Results {
    /// What the decoder for words puts out now, if it does. It has the opcode of the first packet that ends and the
    /// state before it; those of the others are in the word.
    pub fn of_words(decoder: &StpX4<BYTES, 1>) -> Option<Results> {
        let lanes = decoder.m_lane.iter();
        let bytes = lanes.map(|lane| ByteResult::of_wide(&lane.val().to_wide()));
        let kept = bytes.filter(|byte| byte.keep == 1);
        let opcode = opcode_of(decoder.m_opcode.val().to_u64() as usize);
        let first = row_of(&opcode.unwrap_or(stm::Packet::NULL.opcode));
        decoder.m_valid.val().then(|| {
            let lanes = with_rows(kept.flat_map(lanes_of).collect(), first);
            let packet = Packet::of_wide(&decoder.m_packet.val().to_wide());
            let mut state = state(&TraceState::of_wide(&decoder.m_state.val().to_wide()));
            if let Some(end) = lanes.iter().find(|it| it.outcome != outcome::NONE)
                && end.outcome == outcome::PACKET
            {
                let packet = of_opcode(first, parts_of(&packet));
                state.apply(&packet).expect("a legal packet");
            }
            Results {
                lost: decoder.m_discontinuity.val(),
                pending: decoder.m_pending.val().to_u64(),
                lanes,
                packet,
                state,
            }
        })
    }
}

/// Makes records of results.
pub struct Records {
    is_lenient: bool,
    is_synced: bool,
    is_suspect: bool,
    offset: u64,
    pending: u64,
    raw: RawNibbles,
    state: State,
    /// The records so far.
    pub records: Vec<Record>,
}

impl Records {
    /// At the start of a stream.
    pub fn new(is_lenient: bool) -> Records {
        Records {
            is_lenient,
            is_synced: false,
            is_suspect: false,
            offset: 0,
            pending: 0,
            raw: RawNibbles::EMPTY,
            state: State::default(),
            records: Vec::new(),
        }
    }

    /// Takes the results of a byte or a word.
    ///
    /// # Panics
    /// If what the hardware says of pending nibbles, of the state or of suspect records is not what follows from its
    /// other results.
    pub fn take(&mut self, results: &Results) {
        assert_eq!(results.pending, self.pending);
        if results.lost {
            self.unread(self.pending);
            self.raw = RawNibbles::EMPTY;
            self.is_synced &= self.is_lenient;
            self.is_suspect = self.is_synced;
        }
        let mut first = Some((parts_of(&results.packet), results.state));
        let mut begins = 0;
        for (place, lane) in results.lanes.iter().enumerate() {
            self.pending += 1;
            if self.is_synced {
                self.raw.push(lane.nibble as u8);
            }
            if lane.outcome != outcome::NONE {
                let nibbles = &results.lanes[begins..=place];
                let (packet, state) = first.take().unwrap_or_else(|| self.later(nibbles));
                self.state = state;
                self.ends(lane, packet);
                begins = place + 1;
            }
        }
        if let Some((_, state)) = first {
            assert_eq!(state, self.state);
        }
    }

    /// The packet of these nibbles, which is not the first one of its word, and the state after it.
    fn later(&self, nibbles: &[LaneResult<u64>]) -> (stm::Packet, State) {
        let mut parser = Parser::new();
        for lane in nibbles {
            parser.step(lane.nibble as u8);
        }
        let (packet, mut state) = (*parser.packet(), self.state);
        if nibbles
            .last()
            .is_some_and(|it| it.outcome == outcome::PACKET)
        {
            state.apply(&packet).expect("a legal packet");
        }
        (packet, state)
    }

    /// A record ends.
    fn ends(&mut self, lane: &LaneResult<u64>, packet: stm::Packet) {
        let packet = of_opcode(lane.row, packet);
        let opcode = packet.opcode;
        match lane.outcome {
            outcome::ASYNC => {
                self.unread(self.pending.saturating_sub(ASYNC_NIBBLES));
                self.is_synced = true;
                self.is_suspect = false;
                (1..self.pending).for_each(|_| self.raw.push(0xF));
                self.raw.push(0);
                self.record(Kind::Async, stm::Packet::NULL, None);
            }
            outcome::PACKET => self.record(opcode.kind, packet, None),
            outcome::RESERVED => self.record(Kind::Reserved, stm::Packet::NULL, None),
            _ => self.record(Kind::BadSequence, packet, Some(opcode.kind)),
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
            self.raw = RawNibbles::EMPTY;
            self.record(Kind::NotSync, stm::Packet::NULL, None);
        }
        self.pending = behind;
        self.raw = RawNibbles::EMPTY;
    }

    fn record(&mut self, kind: Kind, packet: stm::Packet, cut: Option<Kind>) {
        self.records.push(Record {
            offset: self.offset,
            len: self.pending,
            kind,
            packet,
            cut,
            suspect: self.is_suspect,
            state: self.state,
            raw: std::mem::replace(&mut self.raw, RawNibbles::EMPTY),
        });
        self.offset += self.pending;
        self.pending = 0;
    }
}

/// The results of both nibbles of a byte, without their opcodes.
fn lanes_of(byte: ByteResult<u64>) -> [LaneResult<u64>; 2] {
    [
        LaneResult {
            nibble: byte.first_nibble,
            outcome: byte.first_outcome,
            row: 0,
            is_suspect: byte.first_is_suspect,
        },
        LaneResult {
            nibble: byte.second_nibble,
            outcome: byte.second_outcome,
            row: 0,
            is_suspect: byte.second_is_suspect,
        },
    ]
}

/// The results of nibbles with the opcodes of the packets that end there: that of the `first` one, and of the others
/// as their nibbles say it.
fn with_rows(mut lanes: Vec<LaneResult<u64>>, first: u64) -> Vec<LaneResult<u64>> {
    let mut parser: Option<Parser> = None;
    for lane in &mut lanes {
        if let Some(parser) = &mut parser {
            parser.step(lane.nibble as u8);
        }
        if lane.outcome != outcome::NONE {
            let later = parser
                .as_ref()
                .map(|parser| row_of(&parser.packet().opcode));
            lane.row = later.unwrap_or(first);
            parser = Some(Parser::new());
        }
    }
    lanes
}

/// A packet with the opcode of this number.
fn of_opcode(row: u64, packet: stm::Packet) -> stm::Packet {
    stm::Packet {
        opcode: OPCODES[row as usize],
        ..packet
    }
}

/// The parts of a packet, whatever its opcode is.
fn parts_of(parts: &Packet<u64>) -> stm::Packet {
    stm::Packet {
        data: parts.data,
        stamp: Stamp {
            nibbles: parts.stamp_nibbles as u8,
            value: parts.stamp,
        },
        ..stm::Packet::NULL
    }
}

/// The state of the hardware as that of the model.
pub fn state(state: &TraceState<u64>) -> State {
    State {
        master: state.master as u8,
        is_master_known: state.is_master_known == 1,
        channel: state.channel as u16,
        timestamp: state.timestamp,
        coding: match state.coding {
            coding::NATURAL => Some(Coding::Natural),
            coding::GRAY => Some(Coding::Gray),
            _ => None,
        },
        frequency: (state.has_frequency == 1).then_some(state.frequency as u32),
    }
}
