// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profile stream of the hardware has exactly the sums of the model's records, whatever the
//! consumer does.

use crate::bench::{Consumer, LanePath, ResultPorts, Scene, words};
use coretrace_abi::profile_stream::{ENTRY_WORDS, EntryKind};
use coretrace_etm::packet::COUNT_FIELD_MASK;
use coretrace_etm::{ASYNC_END, ASYNC_ZEROS};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_sink::profile::ProfileAccumulator;
use coretrace_hdl_sink::records::DATA_W;
use coretrace_pipelines::sim::ResultWord;
use coretrace_profile::{EntryReader, Profile, StreamReader, entry_of};
use coretrace_streams::{Item, Start, Writer};
use coretrace_test_gen::{Damage, RegisterSet, StreamOptions, rounds};
use rust_hdl::prelude::*;

/// Cycles of a flush that may have no entry: there are 512 places to empty.
const FLUSH: usize = 700;
/// Cycles without a beat after which everything is counted: the tables are emptied twice at the
/// start.
const QUIET: usize = 2 * FLUSH;

/// A path after reset, with the source enabled.
fn begin(start: &Start) -> ProfileAccumulator {
    let mut path = ProfileAccumulator::default();
    path.connect_all();
    path.trace_id.next = u64::from(start.trace_id).into();
    path.reset.next = true;
    (0..12).for_each(|_| path.step(None, false));
    path.reset.next = false;
    path.start.next = true;
    path.step(None, false);
    path.start.next = false;
    path
}

impl LanePath for ProfileAccumulator {
    fn holds_back(&self) -> bool {
        self.hold_back.val()
    }

    fn beat(&self) -> Option<Bus<DATA_W>> {
        self.m_axis_tvalid.val().then(|| self.m_axis_tdata.val())
    }

    fn step(&mut self, result: Option<&ResultWord>, ready: bool) {
        let ports = ResultPorts {
            valid: &mut self.s_valid,
            discontinuity: &mut self.s_discontinuity,
            keep: &mut self.s_keep,
            lane: &mut self.s_lane,
            pair: &mut self.s_pair,
        };
        ports.set(result);
        self.m_axis_tready.next = ready;
        cycle(self, |path, clock| path.clock.next = clock);
    }
}

/// The words that a path sends from a cycle with a signal set, until all sums are sent.
fn sent_after(
    path: &mut ProfileAccumulator,
    signal: impl Fn(&mut ProfileAccumulator, bool),
) -> Vec<u32> {
    let mut sent = Vec::new();
    signal(path, true);
    path.step(None, false);
    signal(path, false);
    let mut idle = 0;
    while idle < FLUSH {
        let beat = path.beat();
        idle = if beat.is_none() { idle + 1 } else { 0 };
        sent.extend(beat.iter().flat_map(words));
        path.step(None, true);
    }
    sent
}

/// The sums and marks of a profile stream.
fn added(sent: Vec<u32>, place: &str) -> (Profile, usize) {
    let mut reader = EntryReader::default();
    let mut profile = Profile::default();
    let mut marks = 0;
    for word in sent {
        let entry = reader.word(word);
        let entry = entry.unwrap_or_else(|error| panic!("{error}, {place}"));
        if let Some(entry) = entry {
            marks += usize::from(entry.kind == EntryKind::Mark);
            profile.add(&entry);
        }
    }
    assert!(reader.is_complete(), "{place}");
    (profile, marks)
}

/// The sums of the model's records of a scene.
fn wanted(scene: &Scene) -> Profile {
    let mut want = Profile::default();
    let id = scene.start.trace_id;
    let mut add = |item: Item<'_>| {
        if let Some(entry) = entry_of(id, &item) {
            want.add(&entry);
        }
    };
    add(Item::Start(&scene.start));
    (0..scene.losses()).for_each(|_| add(Item::Lost(0)));
    // Not the transmitted records: the hardware knows the address of a packet that a loss cuts
    // short.
    for record in scene.setup.in_model(&scene.words) {
        add(Item::Record(&record));
    }
    want
}

fn check(seed: u64, broken: Option<Damage>, consumer: Consumer, options: &StreamOptions) {
    let place = format!("seed {seed}, {broken:?}, {consumer:?}");
    let mut scene = Scene::new(seed, broken, options);
    let mut path = begin(&scene.start);
    let mut sent = scene.run(&mut path, consumer, QUIET);
    sent.extend(sent_after(&mut path, |path, flush| {
        path.flush.next = flush;
    }));
    let (got, marks) = added(sent, &place);
    assert_eq!(marks, 1, "{place}");
    assert_eq!(got.sources, wanted(&scene).sources, "{place}");
}

#[test]
fn sums_of_a_source_leave_under_its_trace_id_when_another_is_enabled() {
    let mut scene = Scene::new(300, None, &StreamOptions::default());
    let mut path = begin(&scene.start);
    let mut sent = scene.run(&mut path, Consumer::Always, QUIET);
    let other = scene.start.trace_id + 1;
    path.trace_id.next = u64::from(other).into();
    sent.extend(sent_after(&mut path, |path, start| {
        path.start.next = start;
    }));
    let (got, _) = added(sent, "two sources");
    let mut want = wanted(&scene);
    want.sources.entry(other).or_default().starts = 1;
    assert_eq!(got.sources, want.sources);
}

#[test]
fn a_cycle_count_of_35_bits_is_the_same_in_both_streams() {
    // COMMOPT is 0: a commit field, then a count of five bytes, where three are legal.
    let set = RegisterSet::by_name("commopt0").expect("a named set");
    let count = [0x0E, 0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F];
    let sync = [&[0; ASYNC_ZEROS][..], &[ASYNC_END]].concat();
    let bytes = [&sync, &[0x01, 0x01, 0x01][..], &count, &count, &sync].concat();
    let mut scene = Scene::of_bytes(set, &bytes);
    let mut path = begin(&scene.start);
    let mut sent = scene.run(&mut path, Consumer::Always, QUIET);
    sent.extend(sent_after(&mut path, |path, flush| {
        path.flush.next = flush;
    }));
    let (got, _) = added(sent, "a long count");
    let cycles: Vec<u64> = got.sources[&scene.start.trace_id]
        .cycles
        .values()
        .copied()
        .collect();
    assert_eq!(cycles, [2 * u64::from(COUNT_FIELD_MASK)]);
    let mut writer = Writer::new(scene.start);
    let mut words = Vec::new();
    let records = scene.setup.in_model(&scene.words);
    records
        .iter()
        .for_each(|record| writer.record(record, &mut words));
    writer.flush(&mut words);
    let mut of_records = Profile::default();
    let mut reader = StreamReader::new(&mut of_records);
    reader.words(&words).expect("a stream");
    reader.finish().expect("a stream");
    assert_eq!(got.sources, of_records.sources);
}

#[test]
fn sums_of_legal_streams_are_the_models() {
    (0..rounds(5, 12))
        .for_each(|seed| check(seed, None, Consumer::Always, &StreamOptions::default()));
}

#[test]
fn sums_of_broken_streams_are_the_models() {
    for kind in Damage::ALL {
        (100..100 + rounds(2, 4)).for_each(|seed| {
            check(
                seed,
                Some(kind),
                Consumer::Always,
                &StreamOptions::default(),
            );
        });
    }
}

#[test]
fn sums_of_dense_events_are_exact_under_a_slow_consumer() {
    let options = StreamOptions {
        packets: 1500,
        // Exact matches, event packets, cycle counts and short addresses: up to four per word are
        // counted.
        headers: vec![
            0x90, 0x91, 0x92, 0x71, 0x7F, 0x11, 0x12, 0x0C, 0x95, 0x06, 0x9D,
        ],
        sync_every: 400,
        unusual: false,
    };
    for consumer in [Consumer::Always, Consumer::Now(0.1), Consumer::Rests] {
        (200..200 + rounds(1, 3)).for_each(|seed| check(seed, None, consumer, &options));
    }
}

/// A path whose packets are measured.
struct Packets {
    path: ProfileAccumulator,
    /// Beats of the packet so far, and of the longest one.
    beats: usize,
    longest: usize,
}

impl LanePath for Packets {
    fn holds_back(&self) -> bool {
        self.path.holds_back()
    }

    fn beat(&self) -> Option<Bus<DATA_W>> {
        self.path.beat()
    }

    fn step(&mut self, result: Option<&ResultWord>, ready: bool) {
        if ready && self.path.m_axis_tvalid.val() {
            self.beats += 1;
            self.longest = self.longest.max(self.beats);
            if self.path.m_axis_tlast.val() {
                self.beats = 0;
            }
        }
        self.path.step(result, ready);
    }
}

#[test]
fn a_packet_of_the_profile_stream_has_4_kib_at_most() {
    // Short addresses that are all different displace each other.
    let options = StreamOptions {
        packets: 2500,
        headers: vec![0x95, 0x9D],
        sync_every: 400,
        unusual: false,
    };
    let mut scene = Scene::new(400, None, &options);
    let mut packets = Packets {
        path: begin(&scene.start),
        beats: 0,
        longest: 0,
    };
    scene.run(&mut packets, Consumer::Always, QUIET);
    assert_eq!(packets.longest * ENTRY_WORDS * 4, 4096);
}
