// SPDX-License-Identifier: MIT OR Apache-2.0
//! The STM decoder for four bytes in each cycle.

use coretrace_decode::Policy;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::stp::x4::{BYTES, LATENCY, StpX4};
use coretrace_software_trace::{Protocol, StmDecoder};
use coretrace_stm::{Kind, OPCODES, Packet as StmPacket, Record, Stamp, emit};
use coretrace_test_gen::{Rng, rng, rounds, stm_stream};
use coretrace_test_simulate::software::stp::{Records, Results};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rust_hdl::prelude::*;

use crate::words::{FULL, Word, shape_of, words};
use crate::{captures, damage_of};

/// The decoder in simulation.
struct Bench {
    decoder: StpX4<BYTES, 1>,
}

impl Bench {
    fn new(is_lenient: bool) -> Bench {
        let mut decoder = StpX4::default();
        decoder.connect_all();
        decoder.lenient.next = is_lenient;
        let mut bench = Bench { decoder };
        bench.clock(None, true);
        bench
    }

    /// A cycle, and the results that come out.
    fn clock(&mut self, input: Option<Word>, reset: bool) -> Option<Results> {
        let decoder = &mut self.decoder;
        decoder.reset.next = reset;
        decoder.s_valid.next = input.is_some();
        let word = input.unwrap_or_default();
        decoder.s_discontinuity.next = word.lost;
        for lane in 0..BYTES {
            decoder.s_octet[lane].next = word.octets[lane].to_bits();
            decoder.s_keep[lane].next = word.keeps[lane];
        }
        cycle(decoder, |uut, clock| uut.clock.next = clock);
        Results::of_words(decoder)
    }
}

/// The records of the hardware.
fn in_hardware(words: &[Option<Word>], is_lenient: bool) -> Vec<Record> {
    let mut bench = Bench::new(is_lenient);
    let mut records = Records::new(is_lenient);
    let flush = [None; LATENCY];
    for &input in words.iter().chain(&flush) {
        if let Some(results) = bench.clock(input, false) {
            records.take(&results);
        }
    }
    records.records
}

/// The records of the model.
fn in_model(words: &[Option<Word>], is_lenient: bool) -> Vec<Record> {
    let policy = if is_lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = StmDecoder::new(policy);
    let mut records = Vec::new();
    for word in words.iter().flatten() {
        if word.lost {
            decoder.discontinuity(|record| records.push(*record));
        }
        let bytes: Vec<u8> = word.kept().collect();
        decoder.feed(&bytes, |record| records.push(*record));
    }
    records
}

fn assert_equal(words: &[Option<Word>], what: &str) -> Vec<Record> {
    let mut all = Vec::new();
    for is_lenient in [false, true] {
        let model = in_model(words, is_lenient);
        let hardware = in_hardware(words, is_lenient);
        for (number, (got, want)) in hardware.iter().zip(&model).enumerate() {
            assert_eq!(got, want, "{what}, lenient {is_lenient}, record {number}");
        }
        assert_eq!(hardware.len(), model.len(), "{what}, lenient {is_lenient}");
        all.extend(model);
    }
    all
}

#[test]
fn captures_of_an_stm_give_the_records_of_the_model_four_bytes_a_cycle() {
    for (name, _, bytes) in captures::streams(|protocol| protocol == Protocol::Stm) {
        for seed in 0..3 {
            assert_equal(&words(&mut rng(seed), &bytes, shape_of(seed)), &name);
        }
    }
}

#[test]
fn streams_of_an_stm_give_the_records_of_the_model_four_bytes_a_cycle() {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut masks = [false; 1 << BYTES];
    for seed in 0..rounds(1000, 20_000) {
        let rng = &mut rng(seed);
        let bytes = stm_stream(rng, 30, damage_of(seed));
        let words = words(rng, &bytes, shape_of(seed));
        for word in words.iter().flatten() {
            masks[word.mask()] = true;
        }
        let records = assert_equal(&words, &format!("seed {seed}"));
        kinds.extend(records.iter().map(|it| it.kind));
    }
    kinds.sort();
    kinds.dedup();
    let all = Kind::ALL.iter().filter(|kind| **kind != Kind::Incomplete);
    assert!(kinds.iter().eq(all), "{kinds:?}");
    assert_eq!(masks, [true; 1 << BYTES]);
}

#[test]
fn any_words_behind_an_async_give_the_records_of_the_model() {
    for seed in 0..rounds(100, 2000) {
        let rng = &mut rng(seed);
        let mut bytes = stm_stream(rng, 2, None);
        bytes.extend((0..600).map(|_| match rng.random_range(0..4) {
            0 => 0xFF,
            1 => 0,
            _ => rng.random::<u8>(),
        }));
        let words = words(rng, &bytes, shape_of(seed));
        assert_equal(&words, &format!("seed {seed}"));
    }
}

/// The nibbles of an ASYNC and of a VERSION, behind so many NULL.
fn begun(nulls: usize, version: u8) -> Vec<u8> {
    let mut nibbles = vec![0; nulls];
    nibbles.extend([0xF; 21]);
    nibbles.extend([0, 0xF, 0, 0, version]);
    nibbles
}

fn in_bytes(nibbles: &[u8]) -> Vec<u8> {
    let byte = |two: &[u8]| two[0] | two.get(1).unwrap_or(&0) << 4;
    nibbles.chunks(2).map(byte).collect()
}

#[test]
fn the_shortest_and_the_longest_packets_fill_words_from_each_nibble() {
    let longest = {
        let mut nibbles = vec![0xB];
        nibbles.extend((0..16).map(|nibble| 0xF - nibble));
        nibbles.push(0xE);
        nibbles.extend((0..16).map(|nibble| nibble ^ 5));
        nibbles
    };
    let packets: [&[u8]; 6] = [
        &[0],
        &[0xE, 0],
        &[0xF, 0xE],
        &[0xE, 1, 7],
        &[0xC, 3],
        &longest,
    ];
    for packet in packets {
        for nulls in 0..8 {
            for version in [3, 4] {
                let mut nibbles = begun(nulls, version);
                (0..40).for_each(|_| nibbles.extend(packet));
                let words = words(&mut rng(1), &in_bytes(&nibbles), FULL);
                let records = assert_equal(&words, &format!("{packet:?} behind {nulls}"));
                assert!(records.len() > 80, "{packet:?} behind {nulls}");
            }
        }
    }
}

/// Packets that change the state, and are short enough that several of them end in a word.
fn short_packet(rng: &mut Rng) -> StmPacket {
    loop {
        let opcode = *OPCODES.choose(rng).expect("a row");
        if opcode.data > 4 || matches!(opcode.kind, Kind::Async) {
            continue;
        }
        let mut packet = StmPacket::new(opcode);
        packet.data = rng.random_range(0..1 << (4 * opcode.data));
        if opcode.kind == Kind::Version {
            packet.data = *[3, 4, 4, 5].choose(rng).expect("a version");
        }
        if opcode.is_stamped {
            let nibbles = rng.random_range(0..=6);
            let value = rng.random_range(0..1 << (4 * nibbles));
            packet.stamp = Stamp { nibbles, value };
        }
        return packet;
    }
}

#[test]
fn short_packets_that_change_the_state_may_end_in_one_word() {
    for seed in 0..rounds(300, 5000) {
        let rng = &mut rng(seed);
        let mut nibbles = begun(rng.random_range(0..8), 4);
        for _ in 0..100 {
            emit(&short_packet(rng), |nibble| nibbles.push(nibble));
            if rng.random_bool(0.02) {
                nibbles.extend(begun(0, 3));
            }
        }
        let words = words(rng, &in_bytes(&nibbles), shape_of(seed));
        assert_equal(&words, &format!("seed {seed}"));
    }
}

#[test]
fn a_word_comes_out_after_the_latency_in_every_cycle() {
    let mut bench = Bench::new(false);
    let word = Some(Word::default());
    let outputs = (0..100).map(|_| bench.clock(word, false).is_some());
    for (cycle, is_out) in outputs.collect::<Vec<bool>>().into_iter().enumerate() {
        assert_eq!(is_out, cycle + 1 >= LATENCY, "cycle {cycle}");
    }
}

#[test]
fn a_reset_of_the_word_decoder_begins_again_behind_what_came_before() {
    let bytes = stm_stream(&mut rng(3), 30, None);
    let words = words(&mut rng(3), &bytes, FULL);
    let mut bench = Bench::new(false);
    let mut runs = [(); 2].map(|()| Records::new(false));
    for (run, records) in runs.iter_mut().enumerate() {
        for &word in &words {
            if let Some(results) = bench.clock(word, false) {
                records.take(&results);
            }
        }
        for cycle in 0..LATENCY {
            if let Some(results) = bench.clock(None, run == 0 && cycle == 0) {
                records.take(&results);
            }
        }
    }
    assert!(runs[0].records.len() > 30);
    assert_eq!(runs[0].records, runs[1].records);
}
