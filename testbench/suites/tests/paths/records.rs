// SPDX-License-Identifier: MIT OR Apache-2.0
//! The record stream of the hardware has the model's records, whatever the consumer does.

use crate::bench::{Consumer, LanePath, ResultPorts, Scene};
use coretrace_abi::record_filter::Filter;
use coretrace_abi::record_stream::{MAGIC, MAX_PACKET_WORDS, crc, tag_of, tail};
use coretrace_etm::{ArchProfile, Record, SourceConfig};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Wide};
use coretrace_hdl_etm::LaneResult;
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::layouts::outcome;
use coretrace_hdl_sink::records::{DATA_W, RecordEncoder, RecordSettings};
use coretrace_pipelines::sim::ResultWord;
use coretrace_streams::{Item, Reader, Start, as_transmitted};
use coretrace_test_gen::{Damage, StreamOptions, WorstCase, rounds};
use rust_hdl::prelude::*;

/// Cycles without a beat after which everything is sent: more than it takes to end a packet.
const QUIET: usize = 700;

/// The path, and its count of packets of the trace.
struct Bench {
    path: RecordEncoder<0>,
    packets: usize,
    /// The packet of the stream is to end in every so many cycles.
    flush_every: usize,
    cycles: usize,
}

impl Bench {
    /// After reset, with the source enabled.
    fn begin(start: &Start, filter: &Filter) -> Bench {
        let mut path = RecordEncoder::<0>::default();
        path.connect_all();
        path.enable.next = true;
        path.active.next = true;
        let source = SourceConfig {
            protocol: start.protocol,
            profile: if start.v8m {
                ArchProfile::M8
            } else {
                ArchProfile::A
            },
            registers: start.registers,
            lenient: start.lenient,
        };
        path.source.next = Bus(SourceSettings::of(start.trace_id, &source).wide());
        // A filter says by itself that addresses are in full.
        let full_addresses = start.explicit && !start.filtered;
        path.settings.next = Bus(RecordSettings::of(filter, full_addresses).wide());
        let mut bench = Bench {
            path,
            packets: 0,
            flush_every: usize::MAX,
            cycles: 0,
        };
        bench.path.reset.next = true;
        (0..4).for_each(|_| bench.step(None, false));
        bench.path.reset.next = false;
        bench.path.start.next = true;
        bench.step(None, false);
        bench.path.start.next = false;
        bench
    }
}

impl LanePath for Bench {
    fn holds_back(&self) -> bool {
        self.path.hold_back.val()
    }

    fn beat(&self) -> Option<Bus<DATA_W>> {
        let is_there = self.path.m_axis_tvalid.val();
        is_there.then(|| self.path.m_axis_tdata.val())
    }

    fn step(&mut self, result: Option<&ResultWord>, ready: bool) {
        let path = &mut self.path;
        let ports = ResultPorts {
            valid: &mut path.s_valid,
            discontinuity: &mut path.s_discontinuity,
            keep: &mut path.s_keep,
            lane: &mut path.s_lane,
            pair: &mut path.s_pair,
        };
        ports.set(result);
        path.m_axis_tready.next = ready;
        self.cycles += 1;
        path.flush.next = self.cycles.is_multiple_of(self.flush_every);
        cycle(path, |path, clock| path.clock.next = clock);
        self.packets += path.packets.val().to_u64() as usize;
    }
}

fn check(seed: u64, broken: Option<Damage>, consumer: Consumer) {
    let place = format!("seed {seed}, {broken:?}, {consumer:?}");
    let mut scene = Scene::new(seed, broken, &StreamOptions::default());
    let flush_every = [usize::MAX, 7, 50][seed as usize % 3];
    check_scene(&mut scene, consumer, flush_every, &place);
}

/// Demands that the records of a scene equal the model's.
fn check_scene(scene: &mut Scene, consumer: Consumer, flush_every: usize, place: &str) {
    let mut bench = Bench::begin(&scene.start, &scene.filter);
    bench.flush_every = flush_every;
    let words = scene.run(&mut bench, consumer, QUIET);

    let mut reader = Reader::new();
    let mut got: Vec<Record> = Vec::new();
    let (mut starts, mut losses) = (Vec::new(), 0);
    reader.words(&words, |item| match item {
        Item::Start(start) => starts.push(*start),
        Item::Lost(_) => losses += 1,
        Item::Record(record) => got.push(*record),
        other => panic!("{other:?}, {place}"),
    });
    reader.finish(|item| panic!("{item:?}, {place}"));
    assert_eq!(starts, [scene.start], "{place}");
    let all = scene.setup.in_model(&scene.words);
    let passing = all
        .iter()
        .filter(|record| scene.filter.passes_record(record));
    let want = as_transmitted(passing.copied());
    for (index, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "record {index}, {place}");
    }
    assert_eq!(got.len(), want.len(), "{place}");
    let transmitted = all.iter().filter(|record| tag_of(record).is_some());
    assert_eq!(bench.packets, transmitted.count(), "{place}");
    assert_eq!(losses, scene.losses(), "{place}");
    let heads = words.iter().filter(|&&word| word == MAGIC).count();
    if flush_every < usize::MAX {
        assert!(heads > 4, "{heads} packets, {place}");
    }
    check_packets(&words, place);
}

/// Demands that each packet begins a beat, ends a beat, and has at most 4 KiB.
fn check_packets(words: &[u32], place: &str) {
    let mut begin = 0;
    for (at, beat) in words
        .chunks(4)
        .enumerate()
        .map(|(beat, words)| (4 * beat, words))
    {
        assert!(at > begin || beat[0] == MAGIC, "word {at}, {place}");
        assert!(at - begin < MAX_PACKET_WORDS, "word {at}, {place}");
        if at > begin && beat[0] == tail(at - begin) && beat[1] == crc(&words[begin..at]) {
            begin = at + 4;
        }
    }
    assert_eq!(begin, words.len(), "{place}");
}

#[test]
fn records_of_legal_streams_are_the_models() {
    (0..rounds(8, 20)).for_each(|seed| check(seed, None, Consumer::Always));
}

#[test]
fn records_of_broken_streams_are_the_models() {
    for kind in Damage::ALL {
        (100..100 + rounds(2, 5)).for_each(|seed| check(seed, Some(kind), Consumer::Always));
    }
}

#[test]
fn a_slow_consumer_loses_nothing() {
    for consumer in [Consumer::Now(0.02), Consumer::Now(0.3), Consumer::Rests] {
        (200..200 + rounds(2, 3)).for_each(|seed| check(seed, None, consumer));
    }
}

#[test]
fn records_of_full_words_in_every_cycle_go_out_as_they_come() {
    for mix in WorstCase::ALL {
        let mut scene = Scene::at_full_width(mix, rounds(8192, 16384));
        check_scene(&mut scene, Consumer::Always, usize::MAX, mix.name());
        let (held, words) = (scene.held, scene.words.len());
        println!("{}: {held} cycles held back for {words} words", mix.name());
        assert_eq!(held, 0, "{}", mix.name());
    }
}

/// A word in which an address of 64 bits ends and nothing else.
fn address_word() -> ResultWord {
    let mut lane = Wide::default();
    for &(name, low, width) in LaneResult::FIELDS {
        let value = match name {
            "outcome" => outcome::PACKET,
            "header" => 0x9D,
            _ => 0,
        };
        lane.or_field(low, width, value);
    }
    ResultWord {
        discontinuity: false,
        keep: 1,
        pending: 0,
        lanes: vec![lane; 4],
        pairs: vec![Wide::default(); 2],
    }
}

#[test]
fn a_beat_comes_out_27_cycles_after_the_word_that_fills_it() {
    let scene = Scene::at_full_width(WorstCase::SingleByte, 0);
    let mut bench = Bench::begin(&scene.start, &scene.filter);
    (0..QUIET).for_each(|_| bench.step(None, true));
    assert!(bench.beat().is_none());
    // Three words each.
    bench.step(Some(&address_word()), true);
    bench.step(Some(&address_word()), true);
    let latency = (1..QUIET).find(|_| {
        let is_there = bench.beat().is_some();
        bench.step(None, true);
        is_there
    });
    assert_eq!(latency, Some(27));
}
