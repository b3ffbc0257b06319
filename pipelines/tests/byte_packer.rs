// SPDX-License-Identifier: MIT OR Apache-2.0
//! The packer of one lane writes what the record stream's reader reads back as the model's records.

use coretrace_abi::record_stream::MAGIC;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::SourceConfig;
use coretrace_etm::{ArchProfile, Record};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_sink::records::BytePacker;
use coretrace_pipelines::Etm4Byte;
use coretrace_pipelines::sim::SourceSim;
use coretrace_pipelines::sim::{InputWord, ResultWord};
use coretrace_streams::{Item, Reader, Start, as_transmitted};
use coretrace_test_gen::{Damage, RegisterSet, Rng, StreamOptions, damage, legal_stream, rng};
use rand::RngExt;
use rust_hdl::prelude::*;

/// Cycles between two results, at least.
const SPACING: u32 = 16;

/// A packer of a source, in reset for a cycle.
fn packer(start: &Start) -> BytePacker<8> {
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
    let mut packer = BytePacker::default();
    packer.connect_all();
    packer.settings.next = Bus(SourceSettings::of(start.trace_id, &source).wide());
    packer.reset.next = true;
    cycle(&mut packer, |packer, clock| packer.clock.next = clock);
    packer.reset.next = false;
    packer
}

/// A cycle; a word that is taken in it goes to `words`. The link is ready in one of `slow` cycles.
fn clock(packer: &mut BytePacker<8>, slow: u32, rng: &mut Rng, words: &mut Vec<u32>) {
    let ready = rng.random_ratio(1, slow);
    packer.m_axis_tready.next = ready;
    if ready && packer.m_axis_tvalid.val() {
        words.push(packer.m_axis_tdata.val().to_u32());
    }
    cycle(packer, |packer, clock| packer.clock.next = clock);
}

/// The words for results, the number of a loss growing by 3 with each, on a link that is ready in one
/// of `slow` cycles.
fn packed(start: &Start, results: &[ResultWord], slow: u32, rng: &mut Rng) -> Vec<u32> {
    let mut packer = packer(start);
    let mut words = vec![];
    let mut lost = 0_u32;
    for result in results {
        while !packer.has_room.val() {
            clock(&mut packer, slow, rng, &mut words);
        }
        lost += 3 * u32::from(result.discontinuity);
        packer.s_valid.next = true;
        packer.s_discontinuity.next = result.discontinuity;
        packer.s_keep.next = result.keep == 1;
        packer.s_lane.next = Bus(result.lanes[0]);
        packer.s_pair.next = Bus(result.pairs[0]);
        packer.s_lost.next = lost.to_bits();
        clock(&mut packer, slow, rng, &mut words);
        packer.s_valid.next = false;
        for _ in 1..rng.random_range(SPACING..SPACING + 3) {
            clock(&mut packer, slow, rng, &mut words);
        }
    }
    // What waits goes out, and the packet ends after a rest.
    for _ in 0..2000 {
        clock(&mut packer, 1, rng, &mut words);
    }
    assert!(!packer.m_axis_tvalid.val());
    words
}

/// The results of the one-byte decoder for stretches of bytes, each but the first behind a loss.
fn results(config: &SourceConfig, stretches: &[&[u8]]) -> Vec<ResultWord> {
    let mut decoder = Etm4Byte::start(config);
    let mut words = vec![];
    for (number, stretch) in stretches.iter().enumerate() {
        words.extend((number > 0).then_some(InputWord {
            discontinuity: true,
            ..InputWord::default()
        }));
        words.extend(stretch.iter().map(|&byte| InputWord {
            data: byte.into(),
            keep: 1,
            discontinuity: false,
        }));
    }
    let steps = words.iter().map(Some).chain([None; 8]);
    steps.filter_map(|word| decoder.step(word)).collect()
}

/// The model's records.
fn model(set: &RegisterSet, lenient: bool, stretches: &[&[u8]]) -> Vec<Record> {
    let policy = if lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = Decoder::new(set.config(), policy);
    let mut records = vec![];
    for (number, stretch) in stretches.iter().enumerate() {
        if number > 0 {
            decoder.discontinuity(|record| records.push(*record));
        }
        decoder.feed(stretch, |record| records.push(*record));
    }
    decoder.finish(|record| records.push(*record));
    records
}

/// What a reader makes of words: the source, the losses, the records.
fn read(words: &[u32]) -> (Vec<Start>, Vec<u32>, Vec<Record>) {
    let (mut starts, mut losses, mut records) = (vec![], vec![], vec![]);
    let mut reader = Reader::new();
    reader.words(words, |item| match item {
        Item::Start(start) => starts.push(*start),
        Item::Lost(count) => losses.push(count),
        Item::Record(record) => records.push(*record),
        other => panic!("{other:?}"),
    });
    reader.finish(|item| panic!("{item:?}"));
    (starts, losses, records)
}

/// Compares a stream of a seed, with losses or without.
fn check(seed: u64, broken: Option<Damage>, losses: usize, packets: usize) -> usize {
    let mut rng = rng(seed);
    let set = RegisterSet::any(&mut rng);
    let options = StreamOptions {
        packets,
        sync_every: 20,
        unusual: rng.random(),
        ..StreamOptions::default()
    };
    let mut bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
    if let Some(kind) = broken {
        bytes = damage(&mut rng, &bytes, kind, 0.02);
    }
    let mut places: Vec<usize> = (0..losses)
        .map(|_| rng.random_range(0..bytes.len()))
        .collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    let stretches: Vec<&[u8]> = places
        .windows(2)
        .map(|place| &bytes[place[0]..place[1]])
        .collect();
    let start = Start {
        trace_id: rng.random_range(1..0x70),
        lenient: losses == 0 && rng.random(),
        explicit: false,
        filtered: false,
        protocol: set.protocol,
        v8m: set.profile == ArchProfile::M8,
        registers: set.registers,
    };
    let config = SourceConfig {
        protocol: set.protocol,
        profile: set.profile,
        registers: set.registers,
        lenient: start.lenient,
    };
    let results = results(&config, &stretches);
    let slow = [1, 4, 60][seed as usize % 3];
    let words = packed(&start, &results, slow, &mut rng);
    let (starts, counts, records) = read(&words);
    let context = format!("seed {seed}, {broken:?}");
    assert_eq!(starts, [start], "{context}");
    let expected: Vec<u32> = (1..=losses as u32).map(|loss| 3 * loss).collect();
    assert_eq!(counts, expected, "{context}");
    // The stream does not name an Armv7-M: its exceptions have other names, and no other bytes.
    let mut set = set;
    if set.profile == ArchProfile::M7 {
        set.profile = ArchProfile::A;
    }
    let want = as_transmitted(model(&set, start.lenient, &stretches));
    for (index, (got, want)) in records.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "record {index}, {context}");
    }
    assert_eq!(records.len(), want.len(), "{context}");
    assert!(!records.is_empty(), "{context}");
    words.iter().filter(|&&word| word == MAGIC).count()
}

#[test]
fn records_of_legal_streams_are_the_models() {
    (0..30).for_each(|seed| {
        check(seed, None, 0, 60);
    });
}

#[test]
fn records_of_broken_streams_are_the_models() {
    for (number, kind) in Damage::ALL.into_iter().enumerate() {
        (0..6).for_each(|seed| {
            check(100 * number as u64 + seed, Some(kind), 0, 60);
        });
    }
}

#[test]
fn losses_are_reported_in_place_and_later_records_equal_the_model() {
    (0..15).for_each(|seed| {
        check(seed, None, 4, 60);
    });
}

#[test]
fn a_long_stream_is_several_packets() {
    // The link of seed 1 is the fastest that is not always ready.
    for (seed, losses) in [(1, 0), (3, 2), (2, 1)] {
        let packets = check(seed, None, losses, 3000);
        assert!(packets > 2, "{packets} packets, seed {seed}");
    }
}

#[test]
fn a_slow_link_gets_full_groups() {
    let set = RegisterSet::by_name("v8m").expect("a set");
    let start = Start {
        registers: set.registers,
        v8m: true,
        ..Start::default()
    };
    let config = SourceConfig {
        protocol: set.protocol,
        profile: set.profile,
        registers: set.registers,
        lenient: false,
    };
    let bytes = [
        &coretrace_test_gen::ASYNC[..],
        &[0x01, 0x00, 0x04],
        &[0xF7; 61],
    ]
    .concat();
    let results = results(&config, &[&bytes]);
    let words = packed(&start, &results, 1_000_000, &mut rng(0));
    // Head and tail, Trace Info with two words; 64 tags, the first of which may be alone.
    assert!(
        (18 + 2 + 16..=18 + 2 + 18).contains(&words.len()),
        "{words:08x?}"
    );
    let (_, _, records) = read(&words);
    assert_eq!(records.len(), 64);
}
