// SPDX-License-Identifier: MIT OR Apache-2.0
//! The front with the recorders of an STM and an ITM in simulation, and what their streams say.

use coretrace_decode::Policy;
use coretrace_hdl_coresight::TpiuFront;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_sink::software::{ItmRecorder, StpRecorder};
use coretrace_pipelines::sim::InputWord;
use coretrace_software_trace::{Decoder, Protocol, Record};
use coretrace_streams::software::{Item, Place, Reader, Start};
use coretrace_test_gen::{Rng, rng};
use rand::RngExt;
use rust_hdl::prelude::*;

use crate::hardware::{clock_front, front, word_of};
use crate::port::{IDS, Port};
use crate::trail::{Trail, place_of};

/// Sources of software trace, behind the ETM.
pub const RECORDED: usize = 2;

/// Cycles without a beat after which nothing comes any more.
const QUIET_CYCLES: usize = 700;

/// What a stream says; places as [`place_of`] gives them.
#[derive(Debug, Default, PartialEq)]
pub struct Recorded {
    pub records: Vec<(Record, u64)>,
    pub losses: Vec<u64>,
    /// Rows that the recorder dropped.
    pub lost_rows: u32,
}

/// Who reads the streams, and how fast words come.
pub struct Pace {
    /// The chance that a beat is taken in a cycle.
    pub takes: f64,
    /// Nobody reads in the first so many cycles.
    pub deaf: usize,
    /// Cycles of the port for each that it has.
    pub slowness: usize,
}

/// The blocks of a source.
macro_rules! recorder {
    ($name:ident, $recorder:ident) => {
        struct $name {
            recorder: $recorder,
            bytes: Vec<u8>,
        }

        impl $name {
            fn new(id: u8, is_lenient: bool) -> $name {
                let mut recorder = $recorder::default();
                recorder.connect_all();
                recorder.trace_id.next = u64::from(id).into();
                recorder.lenient.next = is_lenient;
                recorder.reset.next = true;
                let bytes = Vec::new();
                $name { recorder, bytes }
            }

            /// A cycle; whether the stream had a beat.
            fn clock(&mut self, word: Option<InputWord>, place: u64, takes: bool) -> bool {
                let recorder = &mut self.recorder;
                recorder.s_axis_tvalid.next = word.is_some();
                let word = word.unwrap_or_default();
                recorder.s_axis_tdata.next = (word.data as u32).to_bits();
                recorder.s_axis_tkeep.next = word.keep.to_bits();
                recorder.s_axis_discontinuity.next = word.discontinuity;
                recorder.s_axis_place.next = place.into();
                recorder.m_axis_tready.next = takes;
                // What is there before the edge is taken with it.
                let has_beat = recorder.m_axis_tvalid.val();
                if has_beat && takes {
                    let beat = recorder.m_axis_tdata.val().0;
                    for low in [0, 64] {
                        self.bytes.extend(beat.field(low, 64).to_le_bytes());
                    }
                }
                cycle(recorder, |uut, clock| uut.clock.next = clock);
                recorder.reset.next = false;
                has_beat
            }

            /// What the stream says; it is whole.
            fn recorded(self, start: &Start) -> Recorded {
                let lost_rows = self.recorder.sts_lost_rows.val().to_u32();
                recorded(&self.bytes, start, lost_rows)
            }
        }
    };
}

recorder!(OfStm, StpRecorder);
recorder!(OfItm, ItmRecorder);

/// What a stream says; it is whole, and begins so.
pub fn recorded(bytes: &[u8], start: &Start, lost_rows: u32) -> Recorded {
    let mut recorded = Recorded {
        lost_rows,
        ..Recorded::default()
    };
    let mut reader = Reader::new();
    let place = |place: Place| place_of(place.row.into(), place.lane.into());
    let mut take = |item: Item<'_>| match item {
        Item::Start(found) => assert_eq!(found, start),
        Item::Record(record, at) => recorded.records.push((*record, place(at))),
        Item::Lost(_, at) => recorded.losses.push(place(at)),
        other => panic!("{other:?}"),
    };
    reader.bytes(bytes, &mut take);
    reader.finish(&mut take);
    recorded
}

/// How the streams of both sources begin.
pub fn starts(port: &Port) -> [Start; RECORDED] {
    let lenient = port.etm.lenient;
    [
        Start {
            trace_id: IDS[1],
            lenient,
            protocol: Protocol::Stm,
        },
        Start {
            trace_id: IDS[2],
            lenient,
            protocol: Protocol::Itm(port.itm),
        },
    ]
}

/// What the streams of both sources say, and where their bytes were.
pub fn run(port: &Port, pace: &Pace, seed: u64) -> ([Recorded; RECORDED], [Trail; RECORDED]) {
    let rng: &mut Rng = &mut rng(seed);
    let mut front: TpiuFront = front();
    front.reset.next = true;
    let mut stm = OfStm::new(IDS[1], port.etm.lenient);
    let mut itm = OfItm::new(IDS[2], port.etm.lenient);
    itm.recorder.itm_tcr.next = port.itm.itm_tcr.to_bits();
    let mut trails: [Trail; RECORDED] = Default::default();
    let words = port.cycles.iter().flat_map(|word| {
        let pauses = std::iter::repeat_n(None, pace.slowness - 1);
        pauses.chain([*word])
    });
    let mut words = words;
    let (mut quiet, mut time) = (0, 0);
    clock_front(&mut front, None);
    stm.clock(None, 0, false);
    itm.clock(None, 0, false);
    front.reset.next = false;
    while quiet < QUIET_CYCLES {
        let word = words.next();
        quiet = if word.is_some() { 0 } else { quiet + 1 };
        clock_front(&mut front, word.flatten());
        let row = front.m_axis_place.val().to_u64();
        let of_sources = [1, 2].map(|source| word_of(&front, source));
        for (trail, word) in trails.iter_mut().zip(&of_sources) {
            word.iter().for_each(|word| trail.push(word, row));
        }
        let [of_stm, of_itm] = of_sources;
        let takes = time >= pace.deaf && rng.random_bool(pace.takes);
        let has_beat = stm.clock(of_stm, row, takes) | itm.clock(of_itm, row, takes);
        if has_beat {
            quiet = 0;
        }
        time += 1;
    }
    let [of_stm, of_itm] = starts(port);
    ([stm.recorded(&of_stm), itm.recorded(&of_itm)], trails)
}

/// What the model says of the bytes of both sources. A loss has the place of the first byte behind it, and so has what
/// was cut off by it.
pub fn expected(port: &Port, trails: &[Trail; RECORDED]) -> [Recorded; RECORDED] {
    let policy = port.etm.policy();
    let [of_stm, of_itm] = starts(port).map(|start| start.protocol);
    [
        expected_of(&trails[0], of_stm, policy),
        expected_of(&trails[1], of_itm, policy),
    ]
}

/// The same of one of them.
pub fn expected_of(trail: &Trail, protocol: Protocol, policy: Policy) -> Recorded {
    let mut decoder = Decoder::new(protocol, policy);
    let mut recorded = Recorded::default();
    for (number, (&octet, &place)) in trail.octets.iter().zip(&trail.places).enumerate() {
        let is_lost = |loss: &(u64, u64)| loss.0 == number as u64;
        let mut sink = |record: &Record| recorded.records.push((*record, place));
        if trail.losses.iter().any(is_lost) {
            decoder.discontinuity(&mut sink);
            recorded.losses.push(place);
        }
        decoder.feed(&[octet], |record| recorded.records.push((*record, place)));
    }
    recorded
}
