// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is written is read.

mod common;

use common::{Contents, bytes_of, model, start, written};
use coretrace_abi::record_stream::{MAX_PACKET_WORDS, crc, head, tag, tail};
use coretrace_etm::Record;
use coretrace_streams::{Start, Writer, as_transmitted};
use coretrace_test_gen::{Damage, RegisterSet, StreamOptions, rng, stream_bytes};

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
    let size = [0, 64, 200, MAX_PACKET_WORDS][seed as usize % 4];
    let words = written(start(&set, lenient, explicit), &records, size);
    let got = Contents::of_words(&words);
    for (index, (got, want)) in got.records.iter().zip(&want).enumerate() {
        assert_eq!(got, want, "record {index}, seed {seed}, {broken:?}");
    }
    assert_eq!(got.records.len(), want.len(), "seed {seed}, {broken:?}");
    assert_eq!(got.starts, [start(&set, lenient, explicit)], "seed {seed}");
    assert!(got.gaps.is_empty() && got.skipped.is_empty(), "seed {seed}");
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
    let words =
        |records: &[Record]| written(start(&set, false, false), records, MAX_PACKET_WORDS).len();
    assert_eq!(words(&records) - words(&records[..before]), 200 / 4);
}

#[test]
fn no_packet_is_larger_than_its_size_or_four_kib() {
    let mut rng = rng(3);
    let set = RegisterSet::any(&mut rng);
    let options = StreamOptions {
        packets: 4000,
        ..StreamOptions::default()
    };
    let bytes = stream_bytes(&mut rng, &set.config(), &options, None);
    let records = model(&bytes, &set, false);
    for size in [64, 100, MAX_PACKET_WORDS, usize::MAX] {
        let words = written(start(&set, false, false), &records, size);
        let mut rest = &words[..];
        let mut packets = 0;
        while !rest.is_empty() {
            let end = (head::WORDS..rest.len()).find(|&at| rest[at] == tail(at));
            let end = end.expect("a tail");
            assert_eq!(rest[end + 1], crc(&rest[..end]), "packet {packets}");
            assert!(end + 2 <= size.min(MAX_PACKET_WORDS), "{end} of {size}");
            rest = &rest[end + 2..];
            packets += 1;
        }
        assert!(packets > 2, "{packets} packets of {size}");
    }
}

#[test]
fn a_source_without_records_is_a_start_alone() {
    let mut words = Vec::new();
    let mut writer = Writer::new(Start::default());
    writer.flush(&mut words);
    writer.flush(&mut words);
    assert_eq!(words.len(), head::WORDS + 2);
    assert_eq!(words[head::WORDS], 16 << 16 | u32::from(tag::END));
    let got = Contents::of_bytes(&bytes_of(&words), 3);
    assert_eq!(got.starts, [Start::default()]);
    assert!(got.records.is_empty() && got.skipped.is_empty());
}

#[test]
fn a_loss_is_read_where_it_was_written() {
    let start = Start {
        lenient: true,
        ..Start::default()
    };
    let atom = Record {
        header: 0xF7,
        ..Record::blank(coretrace_etm::Kind::AtomF1)
    };
    let mut words = Vec::new();
    let mut writer = Writer::new(start);
    writer.record(&atom, &mut words);
    writer.lost(7, &mut words);
    // The packet behind the loss is suspect, as its head says.
    writer.flush(&mut words);
    writer.record(&atom, &mut words);
    writer.flush(&mut words);
    let got = Contents::of_words(&words);
    assert_eq!(got.lost, [7]);
    let suspect: Vec<bool> = got.records.iter().map(|record| record.suspect).collect();
    assert_eq!(suspect, [false, true]);
}
