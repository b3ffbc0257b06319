// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ITM decoder for four bytes in each cycle.

use coretrace_decode::Policy;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_software::itm::x4::{BYTES, ItmX4, LATENCY};
use coretrace_itm::{Config, HEADERS, Kind, Packet as ItmPacket, Record, emit};
use coretrace_software_trace::{ItmDecoder, Protocol};
use coretrace_test_gen::{Rng, itm_stream, rng, rounds};
use coretrace_test_simulate::software::itm::{Records, Results};
use rand::RngExt;
use rust_hdl::prelude::*;

use crate::words::{FULL, Word, shape_of, words};
use crate::{captures, damage_of};

/// The decoder in simulation.
struct Bench {
    decoder: ItmX4<BYTES, 1>,
}

impl Bench {
    fn new(config: Config, is_lenient: bool) -> Bench {
        let mut decoder = ItmX4::default();
        decoder.connect_all();
        decoder.lenient.next = is_lenient;
        decoder.itm_tcr.next = config.itm_tcr.to_bits();
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
fn in_hardware(words: &[Option<Word>], config: Config, is_lenient: bool) -> Vec<Record> {
    let mut bench = Bench::new(config, is_lenient);
    let mut records = Records::new(config, is_lenient);
    let flush = [None; LATENCY];
    for &input in words.iter().chain(&flush) {
        if let Some(results) = bench.clock(input, false) {
            records.take(&results);
        }
    }
    records.records
}

/// The records of the model.
fn in_model(words: &[Option<Word>], config: Config, is_lenient: bool) -> Vec<Record> {
    let policy = if is_lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = ItmDecoder::new(config, policy);
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

fn assert_equal(words: &[Option<Word>], config: Config, what: &str) -> Vec<Record> {
    let mut all = Vec::new();
    for is_lenient in [false, true] {
        let model = in_model(words, config, is_lenient);
        let hardware = in_hardware(words, config, is_lenient);
        for (number, (got, want)) in hardware.iter().zip(&model).enumerate() {
            assert_eq!(got, want, "{what}, lenient {is_lenient}, record {number}");
        }
        assert_eq!(hardware.len(), model.len(), "{what}, lenient {is_lenient}");
        all.extend(model);
    }
    all
}

/// Any prescaler, in use or not.
fn any_config(rng: &mut Rng) -> Config {
    Config {
        itm_tcr: rng.random_range(0..64) << 4,
    }
}

#[test]
fn captures_of_an_itm_give_the_records_of_the_model_four_bytes_a_cycle() {
    for (name, protocol, bytes) in captures::streams(|it| matches!(it, Protocol::Itm(_))) {
        let Protocol::Itm(config) = protocol else {
            continue;
        };
        for seed in 0..3 {
            let words = words(&mut rng(seed), &bytes, shape_of(seed));
            assert_equal(&words, config, &name);
        }
    }
}

#[test]
fn streams_of_an_itm_give_the_records_of_the_model_four_bytes_a_cycle() {
    let mut kinds: Vec<Kind> = Vec::new();
    let mut masks = [false; 1 << BYTES];
    for seed in 0..rounds(1000, 20_000) {
        let rng = &mut rng(seed);
        let bytes = itm_stream(rng, 60, damage_of(seed));
        let config = any_config(rng);
        let words = words(rng, &bytes, shape_of(seed));
        for word in words.iter().flatten() {
            masks[word.mask()] = true;
        }
        let records = assert_equal(&words, config, &format!("seed {seed}"));
        kinds.extend(records.iter().map(|it| it.kind));
    }
    kinds.sort();
    kinds.dedup();
    let all = Kind::ALL.iter().filter(|kind| **kind != Kind::Incomplete);
    assert!(kinds.iter().eq(all), "{kinds:?}");
    assert_eq!(masks, [true; 1 << BYTES]);
}

#[test]
fn any_words_behind_a_sync_give_the_records_of_the_model() {
    for seed in 0..rounds(100, 2000) {
        let rng = &mut rng(seed);
        let mut bytes = itm_stream(rng, 2, None);
        bytes.extend((0..600).map(|_| match rng.random_range(0..8) {
            0..3 => 0,
            3 => 0x80,
            _ => rng.random::<u8>(),
        }));
        let config = any_config(rng);
        let words = words(rng, &bytes, shape_of(seed));
        assert_equal(&words, config, &format!("seed {seed}"));
    }
}

/// A sync behind so many local timestamps of one byte.
fn begun(times: usize) -> Vec<u8> {
    let mut bytes = vec![0x10; times];
    bytes.extend([0, 0, 0, 0, 0, 0x80]);
    bytes
}

#[test]
fn the_shortest_and_the_longest_packets_fill_words_from_each_byte() {
    let longest = [0xB4, 0x81, 0x92, 0xA3, 0xB4, 0xC5, 0x56];
    let packets: [&[u8]; 6] = [
        &[0x60],
        &[0x70],
        &[0x38],
        &[0xC0, 0xFF, 0x7F],
        &[0x13, 1, 2, 3, 4],
        &longest,
    ];
    let config = Config { itm_tcr: 0x310 };
    for packet in packets {
        for times in 0..4 {
            let mut bytes = begun(times);
            (0..40).for_each(|_| bytes.extend(packet));
            let words = words(&mut rng(1), &bytes, FULL);
            let records = assert_equal(&words, config, &format!("{packet:?} behind {times}"));
            assert!(records.len() > 80, "{packet:?} behind {times}");
        }
    }
}

/// A packet of at most three bytes that may change the state.
fn short_packet(rng: &mut Rng) -> ItmPacket {
    loop {
        let header = rng.random::<u8>();
        let row = HEADERS[usize::from(header)];
        let value = rng.random_range(0..1 << 14) >> rng.random_range(0..14);
        match ItmPacket::of_value(header, value) {
            Some(packet) if packet.len <= 2 && row.kind != Kind::Software => return packet,
            _ => {}
        }
    }
}

#[test]
fn short_packets_that_change_the_state_of_an_itm_may_end_in_one_word() {
    for seed in 0..rounds(300, 5000) {
        let rng = &mut rng(seed);
        let mut bytes = begun(rng.random_range(0..4));
        for _ in 0..200 {
            emit(&short_packet(rng), |byte| bytes.push(byte));
        }
        let config = any_config(rng);
        let words = words(rng, &bytes, shape_of(seed));
        assert_equal(&words, config, &format!("seed {seed}"));
    }
}

#[test]
fn local_timestamps_of_one_word_add_up_to_more_than_one_of_them_has() {
    // The greatest one, and short ones behind it, times 64.
    let stamps = [0xC0, 0xFF, 0xFF, 0xFF, 0x7F, 0x60, 0x50, 0x40, 0x30];
    let config = Config { itm_tcr: 0x310 };
    for before in 0..BYTES {
        let mut bytes = begun(before);
        (0..4).for_each(|_| bytes.extend(stamps));
        let words = words(&mut rng(0), &bytes, FULL);
        let records = assert_equal(&words, config, &format!("{before} bytes before"));
        let last = records.last().map(|record| record.state.local_time);
        assert_eq!(last, Some(64 * 4 * ((1 << 28) - 1 + 6 + 5 + 4 + 3)));
    }
}

#[test]
fn a_word_of_an_itm_comes_out_after_the_latency_in_every_cycle() {
    let mut bench = Bench::new(Config::default(), false);
    let word = Some(Word::default());
    let outputs = (0..100).map(|_| bench.clock(word, false).is_some());
    for (cycle, is_out) in outputs.collect::<Vec<bool>>().into_iter().enumerate() {
        assert_eq!(is_out, cycle + 1 >= LATENCY, "cycle {cycle}");
    }
}

#[test]
fn a_reset_of_the_word_decoder_of_an_itm_begins_again() {
    let bytes = itm_stream(&mut rng(3), 60, None);
    let words = words(&mut rng(3), &bytes, FULL);
    let config = Config::default();
    let mut bench = Bench::new(config, false);
    let mut runs = [(); 2].map(|()| Records::new(config, false));
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
    assert!(runs[0].records.len() > 50);
    assert_eq!(runs[0].records, runs[1].records);
}
