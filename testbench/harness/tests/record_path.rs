// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record stream of the hardware tells the model's records, whatever the consumer does.

use etm4_gen::{Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng};
use etm4_harness::{Listener, kept_bytes};
use etm4_hdl::dataflow::Carrier;
use etm4_hdl::records::RecordPath;
use etm4_hdl::sim::cycle;
use etm4_pipelines::{Etm4JumpX4, InputWord, LaneWord, SourceSim};
use etm4_protocol::{Profile, Protocol, Record};
use etm4_records::{Item, Reader, Start, told};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles after the last word in which everything comes out.
const DRAIN_CYCLES: usize = 400;

/// How often the consumer takes a beat.
#[derive(Clone, Copy, Debug)]
enum Consumer {
    Always,
    /// With this probability.
    Now(f64),
    /// Not for 600 cycles in every 1000.
    Rests,
}

impl Consumer {
    fn is_ready(self, rng: &mut Rng, cycle: usize) -> bool {
        match self {
            Consumer::Always => true,
            Consumer::Now(rate) => rng.random_bool(rate),
            Consumer::Rests => cycle % 1000 >= 600,
        }
    }
}

/// A decoder with a record path behind it.
struct Bench {
    decoder: Etm4JumpX4,
    path: RecordPath,
    words: Vec<u32>,
    packets: u32,
}

impl Bench {
    fn new(listener: &Listener, start: &Start) -> Bench {
        let mut path = RecordPath::default();
        path.connect_all();
        path.full_addresses.next = start.explicit;
        path.ete.next = start.protocol == Protocol::Ete;
        path.lenient.next = start.lenient;
        path.v8m.next = start.v8m;
        path.trace_id.next = u64::from(start.trace_id).into();
        let words = start.words().map(|word| Bits::from(u64::from(word)));
        [
            _,
            path.trcconfigr.next,
            path.trcidr0.next,
            path.trcidr1.next,
            path.trcidr2.next,
            path.trcidr8.next,
            path.trcdevarch.next,
        ] = words;
        let mut bench = Bench {
            decoder: Etm4JumpX4::start(&listener.source_config()),
            path,
            words: Vec::new(),
            packets: 0,
        };
        bench.path.reset.next = true;
        bench.step(None, false);
        bench.path.reset.next = false;
        bench.path.start.next = true;
        bench.step(None, false);
        bench.path.start.next = false;
        bench
    }

    /// One cycle of the path, with what the decoder has put out.
    fn step(&mut self, result: Option<&LaneWord>, ready: bool) {
        let path = &mut self.path;
        path.s_valid.next = result.is_some();
        if let Some(result) = result {
            path.s_discontinuity.next = result.discontinuity;
            for lane in 0..4 {
                path.s_keep[lane].next = result.keep >> lane & 1 == 1;
                path.s_lane[lane].next = Carrier::from_wide(&result.lanes[lane]);
            }
            for pair in 0..2 {
                path.s_pair[pair].next = Carrier::from_wide(&result.pairs[pair]);
            }
        }
        path.m_axis_tready.next = ready;
        if ready && path.m_axis_tvalid.val() {
            let beat = path.m_axis_tdata.val().to_wide();
            self.words
                .extend((0..4).map(|word| beat.field(32 * word, 32) as u32));
        }
        cycle(path, |path, clock| path.clock.next = clock);
        self.packets += path.packets.val().to_u32();
    }
}

/// Words with gaps and losses in them.
fn input(rng: &mut Rng, bytes: &[u8], broken: bool) -> Vec<Option<InputWord>> {
    let mut words = Vec::new();
    let mut rest = bytes;
    let gaps = [0.0, 0.2, 0.8][rng.random_range(0..3)];
    while !rest.is_empty() {
        while rng.random_bool(gaps) {
            words.push(None);
        }
        let (now, later) = rest.split_at(rest.len().min(rng.random_range(1..=4)));
        rest = later;
        let data = now
            .iter()
            .rev()
            .fold(0, |data, &byte| data << 8 | u128::from(byte));
        words.push(Some(InputWord {
            data,
            keep: (1 << now.len()) - 1,
            discontinuity: broken && rng.random_bool(0.01),
        }));
    }
    words
}

fn check(seed: u64, broken: Option<Damage>, consumer: Consumer) {
    let mut rng = rng(seed);
    let set = RegisterSet::any(&mut rng);
    let legal = legal_stream(&mut rng, &set.config(), &StreamOptions::default());
    let bytes = match broken {
        Some(kind) => damage(&mut rng, &legal.bytes, kind, 0.01),
        None => legal.bytes,
    };
    let listener = Listener {
        set,
        lenient: rng.random(),
    };
    let start = Start {
        trace_id: 0x2A,
        lenient: listener.lenient,
        explicit: rng.random_bool(0.3),
        protocol: set.protocol,
        v8m: set.profile == Profile::M8,
        registers: set.registers,
    };
    let words = input(&mut rng, &bytes, broken.is_some());
    let place = format!("seed {seed}, {broken:?}, {consumer:?}");

    let mut bench = Bench::new(&listener, &start);
    let mut due = words.iter();
    let mut drain = 0;
    let mut number = 0;
    while drain < DRAIN_CYCLES {
        let holds_back = bench.path.hold_back.val();
        let word = if holds_back { None } else { due.next() };
        let result = bench.decoder.step(word.copied().flatten().as_ref());
        let ready = consumer.is_ready(&mut rng, number) || drain > 0;
        bench.step(result.as_ref(), ready);
        number += 1;
        drain += usize::from(due.as_slice().is_empty() && !holds_back);
        assert!(number < 1_000_000, "it ends, {place}");
    }

    let mut reader = Reader::new();
    let mut got: Vec<Record> = Vec::new();
    let (mut starts, mut losses) = (Vec::new(), 0);
    for &word in &bench.words {
        let sink = |item: Item<'_>| match item {
            Item::Start(start) => starts.push(*start),
            Item::Lost(_) => losses += 1,
            Item::Record(record) => got.push(*record),
        };
        reader
            .word(word, sink)
            .unwrap_or_else(|error| panic!("{error}, {place}"));
    }
    assert!(reader.is_complete(), "{place}");
    assert_eq!(starts, [start], "{place}");
    let want = told(listener.in_model(&words));
    for (index, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "record {index}, {place}");
    }
    assert_eq!(got.len(), want.len(), "{place}");
    assert_eq!(bench.packets as usize, want.len(), "{place}");
    let flagged = words.iter().flatten().filter(|word| word.discontinuity);
    assert_eq!(losses, flagged.count(), "{place}");
    let kept: usize = words
        .iter()
        .flatten()
        .map(|word| kept_bytes(word).len())
        .sum();
    assert_eq!(kept, bytes.len(), "{place}");
}

#[test]
fn records_of_legal_streams_are_the_models() {
    (0..20).for_each(|seed| check(seed, None, Consumer::Always));
}

#[test]
fn records_of_broken_streams_are_the_models() {
    for kind in Damage::ALL {
        (100..106).for_each(|seed| check(seed, Some(kind), Consumer::Always));
    }
}

#[test]
fn a_slow_consumer_loses_nothing() {
    for consumer in [Consumer::Now(0.02), Consumer::Now(0.3), Consumer::Rests] {
        (200..204).for_each(|seed| check(seed, None, consumer));
    }
}
