// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places of records in the port.

mod common;

use common::{Contents, model, start};
use coretrace_abi::record_stream::{MAX_PACKET_WORDS, head, place_words, tag};
use coretrace_etm::Record;
use coretrace_streams::{Place, Writer, as_transmitted};
use coretrace_test_gen::{RegisterSet, Rng, StreamOptions, rng, stream_bytes};
use rand::RngExt;

/// Records, and the places that some of them begin: the number of records in front of each.
struct Case {
    set: RegisterSet,
    records: Vec<Record>,
    places: Vec<(usize, Place)>,
}

fn case(rng: &mut Rng) -> Case {
    let set = RegisterSet::any(rng);
    let bytes = stream_bytes(rng, &set.config(), &StreamOptions::default(), None);
    let records = as_transmitted(model(&bytes, &set, false));
    let mut row: u32 = rng.random();
    let mut places = Vec::new();
    for number in 0..records.len() {
        if rng.random_bool(0.2) {
            row = row.wrapping_add(rng.random_range(0..1000));
            let lane = rng.random_range(0..4);
            places.push((number, Place { row, lane }));
        }
    }
    Case {
        set,
        records,
        places,
    }
}

impl Case {
    fn written(&self, size: usize) -> Vec<u32> {
        let mut words = Vec::new();
        let mut writer = Writer::with_packets_of(start(&self.set, false, false), size);
        for (number, record) in self.records.iter().enumerate() {
            if let Some((_, place)) = self.places.iter().find(|(at, _)| *at == number) {
                writer.place(*place);
            }
            writer.record(record, &mut words);
        }
        writer.flush(&mut words);
        words
    }

    /// The place of a record: the last one in front of it.
    fn place_of(places: &[(usize, Place)], number: usize) -> Option<Place> {
        let last = places.iter().rfind(|(at, _)| *at <= number);
        last.map(|(_, place)| *place)
    }
}

#[test]
fn records_come_back_with_their_places() {
    for seed in 0..200 {
        let case = case(&mut rng(seed));
        for size in [0, 64, MAX_PACKET_WORDS] {
            let got = Contents::of_words(&case.written(size));
            assert_eq!(got.records, case.records, "seed {seed}, size {size}");
            assert!(got.skipped.is_empty(), "seed {seed}, size {size}");
            for number in 0..got.records.len() {
                let [got, want] = [&got.places, &case.places].map(|it| Case::place_of(it, number));
                assert_eq!(got, want, "seed {seed}, size {size}, record {number}");
            }
        }
    }
}

#[test]
fn the_first_record_of_every_packet_has_a_place() {
    let mut case = case(&mut rng(1));
    case.places.insert(0, (0, Place { row: 9, lane: 1 }));
    let words = case.written(0);
    let packets: Vec<&[u32]> = words
        .chunk_by(|_, word| *word != coretrace_streams::MAGIC)
        .collect();
    assert!(packets.len() > 20);
    for packet in packets {
        let got = Contents::of_words(packet);
        assert_eq!(got.places.first().map(|(at, _)| *at), Some(0));
    }
}

#[test]
fn places_without_a_group_behind_them_end_a_packet() {
    let of_tags = place_words([(7, 0); 4], 7);
    // Nothing, half of it, other places, a tag that takes more words than there are.
    let tails: [&[u32]; 4] = [
        &of_tags,
        &of_tags[..1],
        &[of_tags[0], of_tags[1], of_tags[0], of_tags[1]],
        &[of_tags[0], of_tags[1], tag::LOST.into()],
    ];
    let mut writer = Writer::new(start(&RegisterSet::any(&mut rng(2)), false, false));
    let mut whole = Vec::new();
    writer.lost(1, &mut whole);
    writer.flush(&mut whole);
    for tail in tails {
        let mut words = [&whole[..head::WORDS], tail].concat();
        let (number, crc) = (words.len(), coretrace_abi::record_stream::crc(&words));
        words.extend([coretrace_abi::record_stream::tail(number), crc]);
        let got = Contents::of_words(&words);
        assert_eq!(got.records.len() + got.lost.len(), 0, "{tail:x?}");
        assert_eq!(got.skipped.len(), 1, "{tail:x?}");
    }
}
