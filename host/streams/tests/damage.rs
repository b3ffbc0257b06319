// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams that were cut, joined, reordered, damaged, or that lost buffers: every record that is
//! given out is right, and what is missing is reported.

mod common;

use common::{Contents, bytes_of, model, start, written};
use coretrace_abi::record_stream::{MAGIC, MAX_PACKET_WORDS, crc, head, tag, tail};
use coretrace_etm::Record;
use coretrace_streams::{Gap, Item, Reader, as_transmitted};
use coretrace_test_gen::{RegisterSet, Rng, StreamOptions, rng, stream_bytes};
use proptest::prelude::*;
use rand::RngExt;

/// A stream and what each of its packets has.
struct Stream {
    bytes: Vec<u8>,
    packets: Vec<Packet>,
}

struct Packet {
    begin: usize,
    end: usize,
    records: Vec<Record>,
}

impl Stream {
    fn new(rng: &mut Rng) -> Stream {
        let set = RegisterSet::any(rng);
        let options = StreamOptions {
            packets: rng.random_range(50..400),
            ..StreamOptions::default()
        };
        let bytes = stream_bytes(rng, &set.config(), &options, None);
        let lenient = rng.random();
        let records = model(&bytes, &set, lenient);
        let size = [0, 64, 150, MAX_PACKET_WORDS][rng.random_range(0..4)];
        let words = written(start(&set, lenient, rng.random_bool(0.2)), &records, size);
        let mut stream = Stream {
            bytes: bytes_of(&words),
            packets: packets(&words),
        };
        // The records of a packet are those of the original list, by their number alone.
        let mut list = as_transmitted(records).into_iter();
        for packet in &mut stream.packets {
            packet.records = list.by_ref().take(packet.records.len()).collect();
        }
        assert_eq!(list.next(), None);
        stream
    }
}

/// The packets of an undamaged stream, with as many records as each has.
fn packets(words: &[u32]) -> Vec<Packet> {
    let mut packets = Vec::new();
    let mut reader = Reader::new();
    let mut begin = 0;
    for at in 0..words.len() {
        let mut records = Vec::new();
        reader.words(&words[at..=at], |item| {
            if let Item::Record(record) = item {
                records.push(*record);
            }
        });
        let is_tail = at > begin + head::WORDS && words[at - 1] == tail(at - 1 - begin);
        if is_tail && words[at] == crc(&words[begin..at - 1]) {
            packets.push(Packet {
                begin: 4 * begin,
                end: 4 * (at + 1),
                records,
            });
            begin = at + 1;
        }
    }
    assert_eq!(begin, words.len());
    packets
}

/// Stretches of a stream in the order in which they are stored.
fn stretches(rng: &mut Rng, len: usize) -> Vec<(usize, usize)> {
    // Buffers of any size, or of one size as DMA has them.
    let size = rng.random_range(40..6000);
    let mut cuts: Vec<usize> = if rng.random() {
        (0..rng.random_range(1..8))
            .map(|_| rng.random_range(0..=len))
            .collect()
    } else {
        (0..len).step_by(size).collect()
    };
    cuts.extend([0, len]);
    cuts.sort_unstable();
    let mut stretches: Vec<(usize, usize)> = cuts.windows(2).map(|cut| (cut[0], cut[1])).collect();
    match rng.random_range(0..4) {
        0 => stretches.retain(|_| rng.random_bool(0.7)),
        1 => {
            for _ in 0..rng.random_range(1..4) {
                let (a, b) = (
                    rng.random_range(0..stretches.len()),
                    rng.random_range(0..stretches.len()),
                );
                stretches.swap(a, b);
            }
        }
        2 => {
            let again = stretches[rng.random_range(0..stretches.len())];
            let at = rng.random_range(0..=stretches.len());
            stretches.insert(at, again);
        }
        _ => {
            stretches.remove(0);
            stretches.truncate(rng.random_range(0..=stretches.len()));
        }
    }
    stretches
}

/// Stretches that follow each other in the stream, as one.
fn joined(stretches: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for &(begin, end) in stretches.iter().filter(|(begin, end)| begin < end) {
        match joined.last_mut() {
            Some(last) if last.1 == begin => last.1 = end,
            _ => joined.push((begin, end)),
        }
    }
    joined
}

#[test]
fn buffers_cost_what_they_held_and_nothing_else() {
    for seed in 0..1000 {
        let mut rng = rng(seed);
        let stream = Stream::new(&mut rng);
        let stretches = stretches(&mut rng, stream.bytes.len());
        let stored: Vec<u8> = stretches
            .iter()
            .flat_map(|&(begin, end)| &stream.bytes[begin..end])
            .copied()
            .collect();
        let mut want = Contents::default();
        let (mut numbers, mut left): (Vec<u32>, Vec<u8>) = Default::default();
        for (begin, end) in joined(&stretches) {
            let whole = stream.packets.iter().enumerate();
            let whole = whole.filter(|(_, packet)| begin <= packet.begin && packet.end <= end);
            let mut at = begin;
            for (number, packet) in whole {
                numbers.push(number as u32);
                want.records.extend(&packet.records);
                left.extend(&stream.bytes[at..packet.begin]);
                at = packet.end;
            }
            left.extend(&stream.bytes[at..end]);
        }
        let mut expected = 0;
        for found in numbers {
            if found != expected && found != 0 {
                want.gaps.push(Gap { expected, found });
            }
            expected = found + 1;
        }
        let got = Contents::of_bytes(&stored, rng.random_range(1..9000));
        assert_eq!(got.records.len(), want.records.len(), "seed {seed}");
        assert_eq!(got.records, want.records, "seed {seed}");
        assert_eq!(got.gaps, want.gaps, "seed {seed}");
        // Zeros at the ends of what is left are taken for padding.
        let skipped: u64 = got.skipped.iter().sum();
        let least = left.iter().filter(|&&byte| byte != 0).count() as u64;
        let most = left.len() as u64;
        assert!((least..=most).contains(&skipped), "seed {seed}");
        assert_eq!(got.skipped.is_empty(), least == 0, "seed {seed}");
    }
}

#[test]
fn a_damaged_packet_costs_itself() {
    for seed in 0..300 {
        let mut rng = rng(seed);
        let stream = Stream::new(&mut rng);
        let mut stored = stream.bytes.clone();
        let mut hit: Vec<usize> = Vec::new();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..stored.len());
            stored[at] ^= rng.random_range(1..=u8::MAX);
            hit.push(at);
        }
        let is_hit = |packet: &&Packet| {
            stored[packet.begin..packet.end] != stream.bytes[packet.begin..packet.end]
        };
        let want: Vec<Record> = stream
            .packets
            .iter()
            .filter(|packet| !is_hit(packet))
            .flat_map(|packet| packet.records.clone())
            .collect();
        let got = Contents::of_bytes(&stored, usize::MAX);
        assert_eq!(got.records, want, "seed {seed}, hits at {hit:?}");
        let damaged = stream.packets.iter().any(|packet| is_hit(&packet));
        assert_eq!(!got.skipped.is_empty(), damaged, "seed {seed}");
    }
}

#[test]
fn a_stream_that_begins_anywhere_names_its_source() {
    let mut rng = rng(5);
    let set = RegisterSet::any(&mut rng);
    let bytes = stream_bytes(&mut rng, &set.config(), &StreamOptions::default(), None);
    let start = start(&set, false, false);
    let words = written(start, &model(&bytes, &set, false), 64);
    let got = Contents::of_words(&words[100..]);
    assert!(got.starts.is_empty());
    assert_eq!(got.sources, [start]);
    assert_eq!(got.gaps[0].expected, 0);
    assert!(got.gaps[0].missing() > Some(0));
}

#[test]
fn streams_of_two_runs_joined_are_read_one_after_the_other() {
    let mut rng = rng(6);
    let [one, two] = [0, 1].map(|_| Stream::new(&mut rng));
    let bytes = [&one.bytes[..], &[0; 20], &two.bytes].concat();
    let got = Contents::of_bytes(&bytes, 1000);
    let all = one.packets.iter().chain(&two.packets);
    let want: Vec<Record> = all.flat_map(|packet| packet.records.clone()).collect();
    assert_eq!(got.records, want);
    assert_eq!(
        (got.starts.len(), got.gaps.len(), got.skipped.len()),
        (2, 0, 0)
    );
}

/// A packet with any words in its groups, whose CRC is right.
fn forged(groups: &[u32]) -> Vec<u32> {
    let mut words = vec![0; head::WORDS];
    words[head::MAGIC] = MAGIC;
    words.extend(groups);
    let (end, crc) = (tail(words.len()), crc(&words));
    words.extend([end, crc]);
    words
}

#[test]
fn groups_that_are_none_end_a_packet_although_its_crc_is_right() {
    for bad in [u32::from(tag::END), 0x0D, 0x9D, 0x89_9D_89_89] {
        let words = forged(&[tag::ASYNC.into(), bad]);
        let got = Contents::of_words(&words);
        assert_eq!(
            got.records.first().map(|r| r.kind),
            Some(coretrace_etm::Kind::Async)
        );
        assert_eq!(got.skipped, [4], "{bad:#x}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_words_make_a_reader_panic(
        words: Vec<u32>,
        tags in prop::collection::vec(any::<u8>(), 0..64),
        magics in prop::collection::vec(0..3_usize, 0..2000),
        piece in 1..5000_usize,
    ) {
        let tagged: Vec<u32> = tags.iter().flat_map(|&tag| [u32::from(tag), 0xC0, 1, 2]).collect();
        let magics: Vec<u32> = magics
            .iter()
            .enumerate()
            .map(|(at, &kind)| [MAGIC, tail(at % 64 + head::WORDS), at as u32][kind])
            .collect();
        let all = [forged(&words), words, forged(&tagged), magics].concat();
        let contents = Contents::of_bytes(&bytes_of(&all), piece);
        prop_assert!(contents.gaps.len() <= 2);
    }
}

#[test]
fn bytes_without_a_packet_take_no_memory() {
    let mut reader = Reader::new();
    let magic = MAGIC.to_le_bytes().repeat(1 << 14);
    let mut skipped = 0;
    for _ in 0..16 {
        reader.bytes(&magic, |item| panic!("{item:?}"));
        assert!(format!("{reader:?}").len() < 200_000);
    }
    reader.finish(|item| {
        if let Item::Skipped(bytes) = item {
            skipped += bytes;
        }
    });
    assert_eq!(skipped, 16 * magic.len() as u64);
}
