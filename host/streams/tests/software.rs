// SPDX-License-Identifier: MIT OR Apache-2.0
//! The software stream gives back the records of the model, and what is missing in it.

use coretrace_decode::Policy;
use coretrace_software_trace::{Decoder, ItmConfig, Protocol, Record};
use coretrace_streams::software::{Item, Place, Reader, Start, Writer, begins_packet};
use coretrace_test_gen::{Damage, Rng, itm_stream, rng, rounds, stm_stream};
use rand::RngExt;

/// What a reader gives out.
#[derive(Debug, Default, PartialEq)]
struct Contents {
    starts: Vec<Start>,
    sources: Vec<Start>,
    lost: Vec<(u32, Place)>,
    records: Vec<(Record, Place)>,
    skipped: u64,
    missing: u32,
}

impl Contents {
    fn of_bytes(bytes: &[u8], piece: usize) -> Contents {
        let (mut contents, mut reader) = (Contents::default(), Reader::new());
        for bytes in bytes.chunks(piece) {
            reader.bytes(bytes, |item| contents.take(item));
        }
        reader.finish(|item| contents.take(item));
        contents
    }

    fn take(&mut self, item: Item<'_>) {
        match item {
            Item::Start(start) => self.starts.push(*start),
            Item::Source(start) => self.sources.push(*start),
            Item::Lost(words, place) => self.lost.push((words, place)),
            Item::Record(record, place) => self.records.push((*record, place)),
            Item::Skipped(bytes) => self.skipped += bytes,
            Item::Gap(gap) => self.missing += gap.missing().unwrap_or(0),
        }
    }
}

/// A source, what the model says of its bytes, and the stream that it is written to.
struct Case {
    start: Start,
    records: Vec<(Record, Place)>,
    lost: Vec<(u32, Place)>,
    bytes: Vec<u8>,
}

/// A source of a seed: broken and with losses, every second one.
fn case(seed: u64) -> Case {
    let rng = &mut rng(seed);
    let protocol = if seed % 4 < 2 {
        Protocol::Stm
    } else {
        Protocol::Itm(ItmConfig {
            itm_tcr: rng.random_range(0..64) << 4,
        })
    };
    let number = seed as usize / 4 % Damage::ALL.len();
    let damage = (seed % 2 == 1).then(|| Damage::ALL[number]);
    let trace = match protocol {
        Protocol::Stm => stm_stream(rng, 200, damage),
        Protocol::Itm(_) => itm_stream(rng, 400, damage),
    };
    let lenient = rng.random();
    let start = Start {
        trace_id: rng.random_range(1..0x70),
        lenient,
        protocol,
    };
    written(rng, start, &trace)
}

fn written(rng: &mut Rng, start: Start, trace: &[u8]) -> Case {
    let policy = if start.lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let (mut decoder, mut writer) = (Decoder::new(start.protocol, policy), Writer::new(start));
    let (mut records, mut lost, mut words) = (Vec::new(), Vec::new(), Vec::new());
    for (number, &byte) in trace.iter().enumerate() {
        let place = Place {
            row: number as u32 / 3,
            lane: number as u8 % 3,
        };
        let mut sink = |record: &Record| {
            records.push((*record, place));
            writer.record(record, place, &mut words);
        };
        if rng.random_bool(0.002) {
            decoder.discontinuity(&mut sink);
            lost.push((number as u32, place));
            writer.lost(number as u32, place, &mut words);
        }
        decoder.feed(&[byte], |record| {
            records.push((*record, place));
            writer.record(record, place, &mut words);
        });
    }
    writer.flush(&mut words);
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    Case {
        start,
        records,
        lost,
        bytes,
    }
}

#[test]
fn a_software_stream_gives_back_the_records_of_the_model() {
    let (mut unread, mut errors, mut lost) = (0, 0, 0);
    for seed in 0..rounds(200, 5000) {
        let case = case(seed);
        let contents = Contents::of_bytes(&case.bytes, 1 + seed as usize % 5000);
        assert!(begins_packet(&case.bytes), "seed {seed}");
        assert_eq!(contents.starts, [case.start], "seed {seed}");
        for (got, want) in contents.records.iter().zip(&case.records) {
            assert_eq!(got, want, "seed {seed}");
        }
        assert_eq!(contents.records.len(), case.records.len(), "seed {seed}");
        assert_eq!(contents.lost, case.lost, "seed {seed}");
        assert_eq!((contents.skipped, contents.missing), (0, 0), "seed {seed}");
        let records = || case.records.iter().map(|(record, _)| record);
        unread += records().filter(|it| it.is_unread()).count();
        errors += records().filter(|it| it.is_error()).count();
        lost += case.lost.len();
    }
    assert!(unread > 100 && errors > 50 && lost > 50);
}

#[test]
fn any_damage_of_a_software_stream_leaves_only_records_that_are_in_it() {
    for seed in 0..rounds(100, 2000) {
        let case = case(seed);
        let rng = &mut rng(seed);
        let mut bytes = case.bytes.clone();
        let (at, is_cut) = (rng.random_range(0..bytes.len()), rng.random());
        if is_cut {
            bytes.remove(at);
        } else {
            bytes[at] ^= 1 << rng.random_range(0..8);
        }
        let contents = Contents::of_bytes(&bytes, 700);
        assert!(contents.skipped > 0, "seed {seed}");
        let places = |records: &[(Record, Place)]| -> Vec<(&'static str, Place)> {
            records
                .iter()
                .map(|(it, place)| (it.name(), *place))
                .collect()
        };
        let all = places(&case.records);
        let mut rest = all.iter();
        for found in places(&contents.records) {
            assert!(rest.any(|it| *it == found), "seed {seed}: {found:?}");
        }
    }
}

#[test]
fn words_of_any_value_in_a_whole_packet_are_read_without_a_hang() {
    for seed in 0..rounds(500, 10_000) {
        let rng = &mut rng(seed);
        let mut words = vec![0; 4 + 8 * rng.random_range(0..20) + rng.random_range(0..8)];
        rng.fill(&mut words[..]);
        words[0] = coretrace_streams::software::MAGIC;
        let tail = coretrace_abi::record_stream::tail(words.len());
        let crc = coretrace_abi::record_stream::crc(&words);
        words.extend([tail, crc]);
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let contents = Contents::of_bytes(&bytes, bytes.len());
        let starts = contents.starts.len() + contents.sources.len();
        assert_eq!(starts, 1, "seed {seed}");
        for (record, _) in &contents.records {
            assert!(!record.is_empty(), "seed {seed}: {record:?}");
        }
    }
}
