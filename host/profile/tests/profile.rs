// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace has the same sums from the profile stream and from its records.

use std::collections::BTreeMap;

use coretrace_abi::profile_stream::{Entry, EntryKind, VERSION};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Kind, Protocol, Record};
use coretrace_profile::{
    Axis, EntryError, MAX_BUCKETS, Profile, StreamError, StreamReader, StreamSummary, Timeline,
};
use coretrace_streams::{Start, Writer, as_transmitted};
use coretrace_test_gen::{Damage, RegisterSet, StreamOptions, rng, stream_bytes};
use proptest::prelude::*;
use rand::RngExt;

const ID: u8 = 0x21;

fn start(set: &RegisterSet) -> Start {
    Start {
        trace_id: ID,
        lenient: false,
        explicit: false,
        filtered: false,
        protocol: set.protocol,
        v8m: set.profile == ArchProfile::M8,
        registers: set.registers,
    }
}

fn records_of(set: &RegisterSet, bytes: &[u8]) -> Vec<Record> {
    let mut decoder = Decoder::new(set.config(), Policy::Resync);
    let mut records = Vec::new();
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    as_transmitted(records)
}

/// Reads words; the sums and the timeline.
fn add_up(words: &[u32]) -> (Profile, Option<Timeline>) {
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    reader.words(words).expect("a stream");
    let summary = reader.finish().expect("a stream");
    assert!(!summary.is_cut && !summary.damage.is_any());
    (profile, summary.timeline)
}

fn record_words(start: Start, records: &[Record], lost: &BTreeMap<usize, u32>) -> Vec<u32> {
    // Padding before the first packet.
    let mut words = vec![0; 3];
    let mut writer = Writer::with_packets_of(start, 100);
    for (index, record) in records.iter().enumerate() {
        if let Some(&total) = lost.get(&index) {
            writer.lost(total, &mut words);
        }
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    words
}

/// The entry of a record by the name of its packet; the code under test uses the rules of tags.
fn addition(record: &Record) -> Option<(EntryKind, u64, u32)> {
    let name = record.kind.listing_name();
    let address = record.address.value | u64::from(record.address.is1);
    let is_q = record.kind == Kind::Q && !matches!(record.header, 0xAC | 0xAF);
    if name.contains("_ADDR_") || is_q {
        return Some((EntryKind::Target, address, 1));
    }
    Some(match record.kind {
        Kind::Exception => (EntryKind::Exception, record.exception.into(), 1),
        Kind::PeReset => (EntryKind::Exception, 0, 1),
        Kind::TransactionFail => (EntryKind::Exception, 24, 1),
        Kind::Event => (EntryKind::Event, (record.header & 0xF).into(), 1),
        Kind::CycleCountF1 if record.header == 0x0F => return None,
        _ if name.starts_with("I_CCNT") => (EntryKind::Cycles, address, record.count),
        _ => return None,
    })
}

/// Adds up as a core does, with room for a few keys, and a flush now and then.
fn profile_words(records: &[Record], lost: &BTreeMap<usize, u32>) -> Vec<u32> {
    let mut words = vec![0; 4];
    let mut put = |kind, weight, key| {
        let trace_id = ID;
        words.extend(
            Entry {
                kind,
                trace_id,
                weight,
                key,
            }
            .words(),
        );
    };
    put(EntryKind::Start, VERSION, 0);
    let mut room: Vec<(EntryKind, u64, u32)> = Vec::new();
    let mut flushes = 0;
    for (index, record) in records.iter().enumerate() {
        if let Some(&total) = lost.get(&index) {
            put(EntryKind::Lost, total, 0);
        }
        if let Some((kind, key, weight)) = addition(record) {
            match room.iter_mut().find(|slot| (slot.0, slot.1) == (kind, key)) {
                Some(slot) => slot.2 += weight,
                None => room.push((kind, key, weight)),
            }
        }
        let flush = index % 100 == 99 || index + 1 == records.len();
        while room.len() > if flush { 0 } else { 4 } {
            let (kind, key, weight) = room.remove(0);
            put(kind, weight, key);
        }
        if flush {
            flushes += 1;
            put(EntryKind::Mark, flushes, 0);
        }
    }
    words
}

fn check(seed: u64, broken: Option<Damage>) {
    let mut rng = rng(seed);
    let set = RegisterSet::any(&mut rng);
    let bytes = stream_bytes(&mut rng, &set.config(), &StreamOptions::default(), broken);
    let records = records_of(&set, &bytes);
    let mut lost = BTreeMap::new();
    let mut total = 0;
    for index in 0..records.len() {
        if rng.random_range(0..50) == 0 {
            total += rng.random_range(1..9);
            lost.insert(index, total);
        }
    }
    let (by_records, _) = add_up(&record_words(start(&set), &records, &lost));
    let (by_entries, timeline) = add_up(&profile_words(&records, &lost));
    assert_eq!(by_records, by_entries, "seed {seed}, {broken:?}");

    let sums = &by_records.sources[&ID];
    assert_eq!(
        (sums.starts, sums.lost_words),
        (1, total.into()),
        "seed {seed}"
    );
    let of = |kind| {
        records
            .iter()
            .filter_map(addition)
            .filter(move |add| add.0 == kind)
    };
    let balance = [
        (EntryKind::Target, &sums.targets),
        (EntryKind::Exception, &sums.exceptions),
        (EntryKind::Event, &sums.events),
        (EntryKind::Cycles, &sums.cycles),
    ];
    for (kind, counts) in balance {
        let want: u64 = of(kind).map(|(_, _, weight)| u64::from(weight)).sum();
        assert_eq!(counts.values().sum::<u64>(), want, "{kind:?}, seed {seed}");
    }
    let in_buckets: u64 = timeline
        .iter()
        .flat_map(|t| &t.buckets)
        .map(|b| b.targets)
        .sum();
    assert_eq!(
        in_buckets,
        of(EntryKind::Target).count() as u64,
        "seed {seed}"
    );
}

#[test]
fn entries_and_records_of_a_trace_have_equal_sums() {
    (0..150).for_each(|seed| check(seed, None));
}

#[test]
fn entries_and_records_of_a_broken_trace_have_equal_sums() {
    for kind in Damage::ALL {
        (0..40).for_each(|seed| check(seed, Some(kind)));
    }
}

fn stream_of(packets: &[u8], times: usize) -> (RegisterSet, Vec<Record>) {
    let set = RegisterSet::by_name("a53").expect("a set");
    let mut bytes = coretrace_test_gen::ASYNC.to_vec();
    bytes.extend([0x01, 0x00, 0x9D, 1, 2, 3, 4, 5, 6, 7, 8]);
    bytes.extend(packets.repeat(times));
    let records = records_of(&set, &bytes);
    (set, records)
}

#[test]
fn records_without_timestamps_are_counted_over_records() {
    let (set, records) = stream_of(&[0x90, 0xF7], 1000);
    let (_, timeline) = add_up(&record_words(start(&set), &records, &BTreeMap::new()));
    let timeline = timeline.expect("a timeline");
    assert_eq!((timeline.axis, timeline.width), (Axis::Record, 8));
    assert!(
        timeline.buckets[1..250]
            .iter()
            .all(|bucket| bucket.targets == 4)
    );
}

#[test]
fn records_with_timestamps_are_counted_over_time_from_the_first_one() {
    let (set, mut records) = stream_of(&[0x90, 0x90, 0x02, 0x40], 4);
    assert_eq!(set.protocol, Protocol::Etm4);
    let times = [1000, 0, 1002, 1001];
    let stamps = records
        .iter_mut()
        .filter(|record| record.kind == Kind::Timestamp);
    for (record, time) in stamps.zip(times) {
        record.timestamp = time;
    }
    let (_, timeline) = add_up(&record_words(start(&set), &records, &BTreeMap::new()));
    let timeline = timeline.expect("a timeline");
    let targets: Vec<u64> = timeline
        .buckets
        .iter()
        .map(|bucket| bucket.targets)
        .collect();
    assert_eq!((timeline.axis, timeline.origin), (Axis::Timestamp, 1000));
    // The long address and the first two, then four between 1000 and 1002, then what is left.
    assert_eq!(targets, [3 + 4, 0, 2]);
}

#[test]
fn entries_are_counted_between_marks() {
    let entry = |kind, weight| Entry {
        kind,
        trace_id: ID,
        weight,
        key: 0,
    };
    let mut words = Vec::new();
    for number in 1..=300 {
        words.extend(entry(EntryKind::Event, 1).words());
        words.extend(entry(EntryKind::Mark, number).words());
    }
    let timeline = add_up(&words).1.expect("a timeline");
    assert_eq!((timeline.axis, timeline.width), (Axis::Mark, 2));
    assert_eq!(timeline.buckets.len(), 150);
    assert!(timeline.buckets.iter().all(|bucket| bucket.events == 2));
}

#[test]
fn what_is_no_stream_is_refused_with_the_number_of_its_word() {
    let read = |words: &[u32]| {
        let mut profile = Profile::default();
        let mut reader = StreamReader::new(&mut profile);
        reader.words(words)?;
        reader.finish()
    };
    assert_eq!(read(&[0, 0, 0]), Ok(StreamSummary::default()));
    let (value, word) = (0xF8, 2);
    assert_eq!(
        read(&[0, 0, value]),
        Err(StreamError::Neither { value, word })
    );
    let kind = EntryError::Kind { code: 9, word: 4 };
    assert_eq!(
        read(&[2, 1, 0, 0, 9, 0, 0, 0]),
        Err(StreamError::Entries(kind))
    );
    let version = EntryError::Version {
        version: 2,
        word: 5,
    };
    assert_eq!(
        read(&[0, 0, 0, 0, 1, 2, 0, 0]),
        Err(StreamError::Entries(version))
    );
}

#[test]
fn a_record_stream_that_was_cut_is_added_up_and_its_loss_reported() {
    let (set, records) = stream_of(&[0x90, 0xF7], 1000);
    let words = record_words(start(&set), &records, &BTreeMap::new());
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    reader.bytes(&bytes[401..]).expect("a stream");
    let summary = reader.finish().expect("a stream");
    // A packet has 400 bytes at most: the first two are missing.
    assert_eq!(summary.damage.missing_packets, 2);
    assert!(summary.damage.skipped_bytes > 0);
    let sums = &profile.sources[&ID];
    assert_eq!(sums.starts, 0);
    let all = add_up(&words).0.sources[&ID].targets.values().sum::<u64>();
    let some = sums.targets.values().sum::<u64>();
    assert!(some > 0 && some < all, "{some} of {all}");
}

proptest! {
    #[test]
    fn no_words_make_it_panic(mut words: Vec<u32>, first in prop::option::of(0u8..=0x8F)) {
        if let (Some(first), Some(word)) = (first, words.first_mut()) {
            *word = *word & !0xFF | u32::from(first);
        }
        let mut profile = Profile::default();
        let mut reader = StreamReader::new(&mut profile);
        let read = reader.words(&words);
        if let Ok(summary) = read.and_then(|()| reader.finish()) {
            let timeline = summary.timeline;
            prop_assert!(timeline.is_none_or(|timeline| timeline.buckets.len() <= MAX_BUCKETS));
        }
    }
}
