// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written is read.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Record};
use coretrace_streams::{Item, Reader, Start, Writer, as_transmitted};
use coretrace_test_gen::{Damage, RegisterSet, StreamOptions, rng, stream_bytes};
use proptest::prelude::*;

fn model(bytes: &[u8], set: &RegisterSet, lenient: bool) -> Vec<Record> {
    let policy = if lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = Decoder::new(set.config(), policy);
    let mut records = Vec::new();
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

fn start(set: &RegisterSet, lenient: bool, explicit: bool) -> Start {
    Start {
        trace_id: 0x10,
        lenient,
        explicit,
        filtered: false,
        protocol: set.protocol,
        v8m: set.profile == ArchProfile::M8,
        registers: set.registers,
    }
}

fn through_words(start: Start, records: &[Record]) -> Vec<Record> {
    let mut words = Vec::new();
    let mut writer = Writer::new(start, &mut words);
    for record in records {
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    read(&words)
}

fn read(words: &[u32]) -> Vec<Record> {
    let mut reader = Reader::new();
    let mut records = Vec::new();
    for &word in words {
        let sink = |item: Item<'_>| {
            if let Item::Record(record) = item {
                records.push(*record);
            }
        };
        reader.word(word, sink).expect("a stream");
    }
    assert!(reader.is_complete());
    records
}

fn check(seed: u64, broken: Option<Damage>) {
    let mut rng = rng(seed);
    let set = RegisterSet::any(&mut rng);
    let bytes = stream_bytes(&mut rng, &set.config(), &StreamOptions::default(), broken);
    let (lenient, explicit) = (seed % 2 == 1, seed.is_multiple_of(3));
    let records = model(&bytes, &set, lenient);
    let want = as_transmitted(records.iter().copied());
    if broken.is_none() {
        let places_aside = records.iter().map(|record| Record {
            offset: 0,
            len: 0,
            ..*record
        });
        assert!(places_aside.eq(want.iter().copied()), "seed {seed}");
    }
    let got = through_words(start(&set, lenient, explicit), &records);
    for (index, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "record {index}, seed {seed}, {broken:?}");
    }
    assert_eq!(got.len(), want.len(), "seed {seed}, {broken:?}");
}

#[test]
fn records_of_legal_streams_come_back_whole() {
    (0..300).for_each(|seed| check(seed, None));
}

#[test]
fn records_of_broken_streams_come_back_as_transmitted() {
    for kind in Damage::ALL {
        (0..100).for_each(|seed| check(seed, Some(kind)));
    }
}

#[test]
fn atoms_take_a_byte_and_a_known_address_none() {
    let set = RegisterSet::by_name("a53").expect("a set");
    // A-Sync, Trace Info, a long address, then atoms and exact matches of it.
    let mut bytes = coretrace_test_gen::ASYNC.to_vec();
    bytes.extend([0x01, 0x00, 0x9D, 1, 2, 3, 4, 5, 6, 7, 8]);
    let before = model(&bytes, &set, false).len();
    bytes.extend([0xF7, 0x90].repeat(100));
    let records = model(&bytes, &set, false);
    let mut words = Vec::new();
    let mut writer = Writer::new(start(&set, false, false), &mut words);
    for record in &records[..before] {
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    let begin = words.len();
    for record in &records[before..] {
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    assert_eq!(words.len() - begin, 200 / 4);
}

proptest! {
    #[test]
    fn no_words_make_a_reader_panic(words: Vec<u32>, tags in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut begun = Vec::new();
        Writer::new(Start::default(), &mut begun);
        begun.extend(&words);
        begun.extend(tags.iter().flat_map(|&tag| [u32::from(tag), 0xC0, 1, 2]));
        for words in [words, begun] {
            let mut reader = Reader::new();
            let _ = words.into_iter().try_for_each(|word| reader.word(word, |_| {}));
        }
    }
}
