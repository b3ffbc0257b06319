// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core from its trace port to its record stream and its registers: the records equal the
//! model's, and all losses are reported.

use coretrace_abi::profile_stream::EntryKind;
use coretrace_abi::record_filter::{Filter, FilterKind};
use coretrace_abi::registers::csr::{Bus, Control, SourceControl};
use coretrace_capture::Format;
use coretrace_capture::source_streams;
use coretrace_coresight::{FSYNC, TraceId};
use coretrace_etm::SourceConfig;
use coretrace_etm::{ArchProfile, Kind, Record};
use coretrace_pipelines::sim::BEGINS;
use coretrace_pipelines::sim::CoreSim;
use coretrace_streams::{Start, as_transmitted};
use coretrace_test_gen::{
    Framing, RegisterSet, Rng, StreamOptions, frame_streams, legal_stream, rng, rounds,
};
use coretrace_test_simulate::port_words;
use coretrace_test_support::{
    DecoderSetup, StreamContents, golden_captures, port_model, sums, words_of,
};
use rand::RngExt;

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn id(value: u8) -> TraceId {
    TraceId::new(value).expect("a trace ID")
}

fn assert_equal(got: &[Record], want: &[Record], place: &str) {
    for (index, (got, want)) in got.iter().zip(want).enumerate() {
        assert_eq!(got, want, "record {index}, {place}");
    }
    assert_eq!(got.len(), want.len(), "{place}");
}

/// A port with two sources, and the first one's configuration.
fn made_up(rng: &mut Rng, packets: usize) -> (DecoderSetup, Vec<u8>, Vec<u32>) {
    let setup = DecoderSetup {
        set: RegisterSet::any(rng),
        lenient: rng.random(),
    };
    let options = StreamOptions {
        packets,
        sync_every: 40,
        ..StreamOptions::default()
    };
    let stream = legal_stream(rng, &setup.set.config(), &options).bytes;
    let config = RegisterSet::any(rng).config();
    let other = legal_stream(rng, &config, &options).bytes;
    let parts = [(id(0x10), &stream[..]), (id(0x23), &other[..])];
    let port = frame_streams(rng, &parts, &Framing::PORT);
    (setup, stream, words_of(&port))
}

#[test]
fn records_and_registers_report_the_input() {
    for seed in 0..rounds(3, 5) {
        let mut rng = rng(seed);
        let (setup, stream, port) = made_up(&mut rng, 150);
        let full_addresses = rng.random();
        let mut core = CoreSim::new();
        core.enable(0x10, &setup.source_config(), full_addresses);
        let gaps = [0.0, 0.5][rng.random_range(0..2)];
        for word in port {
            while rng.random_bool(gaps) {
                core.step(None, true);
            }
            let ready = rng.random_bool(0.8);
            core.step(Some(word), ready);
        }
        core.drain();
        let got = StreamContents::read(&core.words);
        let place = format!("seed {seed}");
        let start = Start {
            trace_id: 0x10,
            lenient: setup.lenient,
            explicit: full_addresses,
            filtered: false,
            protocol: setup.set.protocol,
            v8m: setup.set.profile == ArchProfile::M8,
            registers: setup.set.registers,
        };
        assert_eq!(got.starts, [start], "{place}");
        assert!(got.losses.is_empty(), "{place}");
        let [want] = &port_model(&[(id(0x10), setup)], &framed(&stream))[..] else {
            panic!("one source");
        };
        assert_equal(&got.records, &as_transmitted(want.iter().copied()), &place);

        core.flush();
        core.drain();
        assert_eq!(sums(&core.entries), sums(&core.words), "{place}");

        core.snapshot();
        assert_eq!(core.register("BYTES"), stream.len() as u32, "{place}");
        assert_eq!(
            core.register("PACKETS"),
            got.records.len() as u32,
            "{place}"
        );
        assert_eq!(core.register("RESERVED_HEADERS"), 0, "{place}");
        assert_eq!(core.register("BAD_SEQUENCES"), 0, "{place}");
        assert_eq!(core.register("LOSSES"), 0, "{place}");
        assert_eq!(core.register("LOST_WORDS"), 0, "{place}");
        // In sync and running.
        assert_eq!(core.register("STATUS") & 3, 3, "{place}");
        assert_eq!(core.register("SYNC_ACQUISITIONS"), 1, "{place}");
        core.clear();
        core.snapshot();
        for counter in [
            "FRAMES",
            "BYTES",
            "PACKETS",
            "ASYNCS",
            "SYNC_ACQUISITIONS",
            "UNCLAIMED_DROPS",
        ] {
            assert_eq!(core.register(counter), 0, "{counter}, {place}");
        }
    }
}

/// Cycles until the core is quiet, those of the bus left out, with consumers that take every beat.
fn until_quiet(core: &mut CoreSim) -> usize {
    let polls = (0..1000).take_while(|_| {
        (0..20).for_each(|_| core.step(None, true));
        !core.registers().status().quiet()
    });
    20 * polls.count()
}

#[test]
fn a_core_is_quiet_when_all_of_the_trace_has_been_sent() {
    for seed in 0..rounds(3, 30) {
        let mut rng = rng(seed);
        let (setup, stream, port) = made_up(&mut rng, 400);
        let place = format!("seed {seed}");
        let mut core = CoreSim::new();
        core.enable(0x10, &setup.source_config(), false);
        let takes = [0.02, 0.3, 1.0][seed as usize % 3];
        for word in port {
            core.step(Some(word), rng.random_bool(takes));
        }
        // What nobody takes is not sent.
        (0..3000).for_each(|_| core.step(None, false));
        assert!(!core.registers().status().quiet(), "{place}");
        assert!(until_quiet(&mut core) < 8000, "{place}");
        let sent = core.words.len();
        assert_eq!(core.whole, sent, "{place}");
        let [want] = &port_model(&[(id(0x10), setup)], &framed(&stream))[..] else {
            panic!("one source");
        };
        let got = StreamContents::read(&core.words);
        if got.losses.is_empty() {
            assert_equal(&got.records, &as_transmitted(want.iter().copied()), &place);
        }

        // Disabled, it is quiet again when nothing more comes.
        core.registers().set_source_control(0, SourceControl::RESET);
        assert!(!core.registers().status().quiet(), "{place}");
        assert!((500..2000).contains(&until_quiet(&mut core)), "{place}");
        let sent = core.words.len();
        (0..3000).for_each(|_| core.step(None, true));
        assert_eq!(core.words.len(), sent, "{place}");
    }
}

/// A port with only a stream of ID 0x10.
fn framed(stream: &[u8]) -> Vec<u8> {
    frame_streams(&mut rng(0), &[(id(0x10), stream)], &Framing::PORT)
}

#[test]
fn records_of_captures_are_the_models() {
    for (path, capture) in golden_captures() {
        let Format::Framed(_) = capture.format else {
            continue;
        };
        let mut port = port_words(&capture);
        port.truncate(rounds(500, 1500));
        for stream in source_streams(&capture).iter().take(2) {
            let config = SourceConfig {
                protocol: stream.protocol,
                profile: stream.source.profile,
                registers: stream.source.registers,
                lenient: false,
            };
            let setup = DecoderSetup::of(&config);
            let mut core = CoreSim::new();
            core.enable(stream.id, &config, false);
            port.iter().for_each(|&word| core.step(Some(word), true));
            core.drain();
            let want = port_model(&[(id(stream.id), setup)], &bytes(&port));
            let place = format!("{}, {:#04x}", path.display(), stream.id);
            let got = StreamContents::read(&core.words);
            assert_equal(
                &got.records,
                &as_transmitted(want[0].iter().copied()),
                &place,
            );
        }
    }
}

#[test]
fn a_filter_leaves_out_what_it_names_and_nothing_else() {
    let kinds = [
        FilterKind::Atoms,
        FilterKind::Timestamps,
        FilterKind::Cycles,
    ];
    let drop = kinds.iter().map(|&kind| 1 << kind as u16).sum();
    let mut rng = rng(21);
    let (setup, _, port) = made_up(&mut rng, 300);
    let all = port_model(&[(id(0x10), setup)], &bytes(&port)).swap_remove(0);
    // The third quarter of the addresses, to hit both limits.
    let mut addresses: Vec<u64> = all.iter().map(|record| record.address.value).collect();
    addresses.sort_unstable();
    addresses.dedup();
    let [first, last] = [2, 3].map(|quarter| addresses[addresses.len() * quarter / 4]);
    assert!(first >> 32 > 0 && first < last, "{first:#x} to {last:#x}");
    for (drop, range) in [
        (drop, None),
        (0, Some((first, last))),
        (drop, Some((first, last))),
    ] {
        let filter = Filter { drop, range };
        let mut core = CoreSim::new();
        core.filter(&filter);
        core.enable(0x10, &setup.source_config(), false);
        port.iter().for_each(|&word| core.step(Some(word), true));
        core.drain();
        let got = StreamContents::read(&core.words);
        assert!(got.starts[0].filtered && got.starts[0].explicit);
        let passing = all.iter().filter(|record| filter.passes_record(record));
        let want = as_transmitted(passing.copied());
        let (some, most) = (20, all.len() * 3 / 4);
        assert!(want.len() > some && want.len() < most, "{}", want.len());
        assert_equal(&got.records, &want, &format!("{filter:?}"));
        core.snapshot();
        assert_eq!(core.register("PACKETS") as usize, all.len());
    }
}

#[test]
fn snapshots_with_clear_add_up_to_every_byte_and_packet() {
    let mut rng = rng(22);
    let (setup, stream, port) = made_up(&mut rng, 150);
    let mut core = CoreSim::new();
    core.enable(0x10, &setup.source_config(), false);
    let (mut bytes, mut packets) = (0, 0);
    let mut count = |core: &mut CoreSim| {
        let kept = core.registers().control();
        let both = kept.with_snapshot(true).with_clear(true);
        core.registers().set_control(both);
        bytes += core.register("BYTES") as usize;
        packets += core.register("PACKETS") as usize;
    };
    for words in port.chunks(7) {
        words.iter().for_each(|&word| core.step(Some(word), true));
        count(&mut core);
    }
    core.drain();
    count(&mut core);
    assert_eq!(bytes, stream.len());
    assert_eq!(packets, StreamContents::read(&core.words).records.len());
}

#[test]
fn a_flush_soon_after_a_reset_gets_its_mark() {
    for cycles in (0..80).step_by(rounds(16, 8)) {
        let mut core = CoreSim::new();
        (0..cycles).for_each(|_| core.step(None, true));
        core.flush();
        core.drain();
        let kinds = core.entries.iter().step_by(4).map(|word| word & 0xF);
        let marks = kinds.filter(|&kind| kind == EntryKind::Mark as u32);
        assert_eq!(marks.count(), 1, "a flush {cycles} cycles later");
    }
}

/// The records since the last A-Sync.
fn since_last_async(records: &[Record]) -> &[Record] {
    let last = records
        .iter()
        .rposition(|record| record.kind == Kind::Async);
    &records[last.unwrap_or(0)..]
}

/// How many A-Syncs are among the records.
fn asyncs(records: &[Record]) -> usize {
    let is_async = |record: &&Record| record.kind == Kind::Async;
    records.iter().filter(is_async).count()
}

/// A core that has lost words of a port, but none of the last ones: the loss is counted and
/// reported, the received words add up, and the records after the loss are right.
fn check_loss(mut core: CoreSim, setup: DecoderSetup, stream: &[u8], port: &[u32]) {
    (0..10).for_each(|_| core.drain());
    let got = StreamContents::read(&core.words);
    core.flush();
    (0..3).for_each(|_| core.drain());
    assert_eq!(sums(&core.entries), sums(&core.words));
    core.snapshot();
    let lost = core.register("LOST_WORDS");
    assert!(lost > 0);
    assert_eq!(got.losses.last(), Some(&lost));
    assert_eq!(core.register("PACKETS"), got.records.len() as u32);
    assert!((core.register("BYTES") as usize) < stream.len());
    let want = port_model(&[(id(0x10), setup)], &bytes(port));
    let want = as_transmitted(want[0].iter().copied());
    assert!(asyncs(&got.records) > 10 && asyncs(&got.records) < asyncs(&want));
    assert_equal(
        since_last_async(&got.records),
        since_last_async(&want),
        "after the loss",
    );
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn words_that_find_no_room_are_counted_and_the_next_async_is_right() {
    let mut rng = rng(11);
    let (setup, stream, port) = made_up(&mut rng, 18000);
    let mut core = CoreSim::new();
    core.enable(0x10, &setup.source_config(), false);
    // The consumer stalls at first, for longer than the core can buffer.
    let rests = port.len() - 7000;
    assert!(rests > 10000, "{} words", port.len());
    for (number, &word) in port.iter().enumerate() {
        core.step(Some(word), number > rests);
    }
    check_loss(core, setup, &stream, &port);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn words_dropped_by_a_slow_core_are_counted_and_the_next_async_is_right() {
    let mut rng = rng(15);
    let (setup, stream, port) = made_up(&mut rng, 20000);
    let mut core = CoreSim::new();
    core.enable(0x10, &setup.source_config(), false);
    // At first the port sends three words in each cycle of the core.
    let fast = port.len() - 7000;
    assert!(fast > 13000, "{} words", port.len());
    for (number, &word) in port.iter().enumerate() {
        if number < fast && number % 3 != 0 {
            core.burst(word);
        } else {
            core.step(Some(word), true);
        }
    }
    check_loss(core, setup, &stream, &port);
}

#[test]
fn a_trace_clock_that_stops_changes_nothing() {
    let mut rng = rng(12);
    let (setup, _, port) = made_up(&mut rng, 150);
    let mut core = CoreSim::new();
    core.enable(0x10, &setup.source_config(), false);
    for word in &port {
        if rng.random_bool(0.01) {
            core.pause(rng.random_range(1..300));
        }
        core.step(Some(*word), true);
    }
    core.drain();
    let want = port_model(&[(id(0x10), setup)], &bytes(&port));
    let got = StreamContents::read(&core.words);
    assert_equal(
        &got.records,
        &as_transmitted(want[0].iter().copied()),
        "after pauses",
    );
    assert!(got.losses.is_empty());
}

#[test]
fn another_source_in_mid_stream_begins_with_a_start() {
    for seed in 30..30 + rounds(4, 8) {
        let mut rng = rng(seed);
        let (setup, _, port) = made_up(&mut rng, 200);
        let (other, _, next) = made_up(&mut rng, 200);
        let mut core = CoreSim::new();
        core.enable(0x10, &setup.source_config(), rng.random());
        let cut = rng.random_range(0..port.len());
        port[..cut]
            .iter()
            .for_each(|&word| core.step(Some(word), true));
        core.enable(0x10, &other.source_config(), rng.random());
        next.iter().for_each(|&word| core.step(Some(word), true));
        core.drain();
        let got = StreamContents::read(&core.words);
        assert_eq!(got.starts.len(), 2);
        assert_eq!(got.starts[1].registers, other.set.registers);
        // The new port starts with a full sync in mid-frame of the old one: at most a loss.
        let want = port_model(&[(id(0x10), other)], &bytes(&next));
        let want = as_transmitted(want[0].iter().copied());
        let place = format!("seed {seed}, cut after {cut} words");
        assert_equal(&got.since_start, &want, &place);
        // The records of the previous source until then are right too.
        let before = &got.records[..got.records.len() - want.len()];
        let all = port_model(&[(id(0x10), setup)], &bytes(&port[..cut]));
        let all = as_transmitted(all[0].iter().copied());
        assert!(before.len() <= all.len(), "{place}");
        assert_equal(before, &all[..before.len()], &place);
    }
}

/// A port with only addresses, most of which take two full words.
fn addresses(rng: &mut Rng, packets: usize) -> (DecoderSetup, Vec<u32>) {
    let set = RegisterSet::by_name("v46-all").expect("a named set");
    let options = StreamOptions {
        packets,
        headers: vec![0x90, 0x91, 0x92, 0x95, 0x9D],
        sync_every: 100,
        unusual: false,
    };
    let stream = legal_stream(rng, &set.config(), &options).bytes;
    let port = frame_streams(rng, &[(id(0x10), &stream[..])], &Framing::PORT);
    let setup = DecoderSetup {
        set,
        lenient: false,
    };
    (setup, words_of(&port))
}

#[test]
fn a_source_that_is_disabled_between_addresses_leaves_a_readable_stream() {
    let mut rng = rng(50);
    let (setup, port) = addresses(&mut rng, 400);
    let config = setup.source_config();
    for cut in 80..80 + rounds(4, 10) {
        let mut core = CoreSim::new();
        core.enable(0x10, &config, true);
        port[..cut]
            .iter()
            .for_each(|&word| core.step(Some(word), true));
        core.enable(0x10, &config, false);
        core.drain();
        let got = StreamContents::read(&core.words);
        assert_eq!(got.starts.len(), 2);
        let all = port_model(&[(id(0x10), setup)], &bytes(&port[..cut]));
        let all = as_transmitted(all[0].iter().copied());
        assert!(got.records.len() > 50 && got.records.len() <= all.len());
        let place = format!("cut after {cut} words");
        assert_equal(&got.records, &all[..got.records.len()], &place);
    }
}

#[test]
fn a_consumer_that_rests_in_mid_group_misreads_nothing() {
    let mut rng = rng(51);
    let (setup, port) = addresses(&mut rng, 2000);
    let mut core = CoreSim::new();
    core.enable(0x10, &setup.source_config(), true);
    for &word in &port {
        core.step(Some(word), false);
    }
    // Accept a beat now and then, so the next unit of a group waits longer than a beat is held.
    for _ in 0..60 {
        (0..80).for_each(|_| core.step(None, false));
        core.step(None, true);
    }
    (0..4).for_each(|_| core.drain());
    let want = port_model(&[(id(0x10), setup)], &bytes(&port));
    let want = as_transmitted(want[0].iter().copied());
    assert_equal(
        &StreamContents::read(&core.words).records,
        &want,
        "after the rest",
    );
}

#[test]
fn start_record_has_settings_of_its_source_when_output_is_stalled() {
    let mut rng = rng(40);
    let mut core = CoreSim::new();
    let mut sources = Vec::new();
    // The first one ends before the tables are cleared, the second fills the memories after the
    // decoder.
    for (trace_id, packets) in [(0x10, 60), (0x11, 3000), (0x12, 300), (0x13, 300)] {
        let (setup, stream, _) = made_up(&mut rng, packets);
        let port = frame_streams(&mut rng, &[(id(trace_id), &stream[..])], &Framing::PORT);
        let explicit = rng.random();
        core.set_up(trace_id, &setup.source_config(), explicit);
        // Without a consumer: starts and sums wait in the core.
        (0..BEGINS).for_each(|_| core.step(None, false));
        for word in words_of(&port) {
            core.step(Some(word), false);
        }
        sources.push((trace_id, setup, explicit));
    }
    (0..4).for_each(|_| core.drain());
    core.flush();
    (0..4).for_each(|_| core.drain());
    let got = StreamContents::read(&core.words);
    assert_eq!(got.starts.len(), sources.len());
    for (start, (trace_id, setup, explicit)) in got.starts.iter().zip(&sources) {
        assert_eq!(start.trace_id, *trace_id);
        assert_eq!(start.registers, setup.set.registers);
        assert_eq!(start.lenient, setup.lenient);
        assert_eq!(start.explicit, *explicit);
    }
    let counted = sums(&core.entries);
    let ids: Vec<u8> = counted.sources.keys().copied().collect();
    assert_eq!(ids, [0x10, 0x11, 0x12, 0x13]);
    assert!(counted.sources.values().all(|source| source.starts == 1));
}

/// Cycles from the response to the write that enables a source to the first beat of its START.
fn cycles_to_start(core: &mut CoreSim) -> usize {
    let enabled = SourceControl::RESET.with_enable(true).with_trace_id(0x10);
    core.write(SourceControl::offset(0), enabled.0);
    let known = core.words.len();
    let cycles = (0..200).find(|_| {
        core.step(None, true);
        core.words.len() > known
    });
    core.drain();
    cycles.expect("a START")
}

#[test]
fn a_start_comes_32_cycles_after_an_enable_and_93_after_a_disable() {
    let mut core = CoreSim::new();
    core.registers()
        .set_control(Control::RESET.with_records(true));
    core.drain();
    assert_eq!(cycles_to_start(&mut core), 32);
    core.write(SourceControl::offset(0), SourceControl::RESET.0);
    assert_eq!(cycles_to_start(&mut core), 93);
}

#[test]
fn a_reset_in_mid_packet_restarts_the_stream() {
    let mut rng = rng(14);
    let (setup, _, port) = made_up(&mut rng, 150);
    for cut in [1, 7, 33, 64, 90] {
        let mut core = CoreSim::new();
        core.enable(0x10, &setup.source_config(), false);
        port[..port.len().min(cut)]
            .iter()
            .for_each(|&word| core.step(Some(word), true));
        core.reset();
        core.words.clear();
        assert_eq!(core.register("SOURCE_CONTROL"), 0);
        core.enable(0x10, &setup.source_config(), false);
        core.step(Some(FSYNC), true);
        port.iter().for_each(|&word| core.step(Some(word), true));
        core.drain();
        let want = port_model(&[(id(0x10), setup)], &bytes(&port));
        let got = StreamContents::read(&core.words);
        assert_eq!(got.starts.len(), 1);
        assert_equal(
            &got.records,
            &as_transmitted(want[0].iter().copied()),
            &format!("cut after {cut} words"),
        );
    }
}
