// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every packet at every place of a word, in the Verilog of every preset of more than one lane.
//!
//! A stream is made of pieces: an A-Sync, padding up to the wanted lane, the bytes under test, and
//! single-byte packets that show where the decoder continues. The first word has any number of
//! bytes and all others are full, so the lanes of the input differ from those after the gearbox.
//!
//! `frames` does the same for places in a frame. The sixteen lanes come at night.
//!
//! The Rust simulation is compared with the same Verilog in `testbench/blocks/tests/cosim`
//! and with the model in `pipelines/tests/equals_model.rs`.

mod frames;

use coretrace_etm::{emit, layout};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::InputWord;
use coretrace_test_gen::{ASYNC, RegisterSet, Rng, random_packet, rng, rounds};
use coretrace_test_simulate::Backend;
use coretrace_test_support::{DecoderSetup, in_parallel, source_presets};
use coretrace_test_verilog::preset::PresetEngine;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;

/// Atom packets and such: bit 7 set and clear, none of them zero.
const SINGLES: [u8; 8] = [0xF7, 0x71, 0xC1, 0x04, 0x90, 0x92, 0xFF, 0x70];
/// Headers with every kind of payload.
const LONG_HEADERS: [u8; 27] = [
    0x00, 0x01, 0x02, 0x03, 0x06, 0x09, 0x0C, 0x0D, 0x0E, 0x0F, 0x2D, 0x2F, 0x6C, 0x81, 0x82, 0x85,
    0x86, 0x95, 0x96, 0x9A, 0x9D, 0xA2, 0xA5, 0xAA, 0xB4, 0xB6, 0xB9,
];
/// Headers that move the address registers.
const SHORT_HEADERS: [u8; 4] = [0x90, 0x91, 0x92, 0xB2];

/// Words under construction.
struct Words {
    lanes: usize,
    words: Vec<Option<InputWord>>,
    /// Bytes of the last word.
    fill: usize,
    /// Bytes since the start, or since the last loss.
    count: usize,
}

impl Words {
    /// Words after a first one of `first` bytes.
    fn new(lanes: usize, first: usize) -> Words {
        let mut words = Words {
            lanes,
            words: Vec::new(),
            fill: lanes,
            count: 0,
        };
        words.extend(&SINGLES.repeat(2)[..first]);
        words.end_word();
        words
    }

    fn push(&mut self, byte: u8) {
        if self.fill == self.lanes {
            self.words.push(Some(InputWord::default()));
            self.fill = 0;
        }
        if let Some(Some(word)) = self.words.last_mut() {
            word.data |= u128::from(byte) << (8 * self.fill);
            word.keep |= 1 << self.fill;
        }
        self.fill += 1;
        self.count += 1;
    }

    fn extend(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.push(byte));
    }

    /// Starts a new word.
    fn end_word(&mut self) {
        self.fill = self.lanes;
    }

    /// A loss before the next byte. The word that reports it may be empty.
    fn lose(&mut self, has_bytes: bool) {
        self.words.push(Some(InputWord {
            discontinuity: true,
            ..InputWord::default()
        }));
        self.fill = if has_bytes { 0 } else { self.lanes };
        self.count = 0;
    }

    fn idle(&mut self, cycles: usize) {
        self.words.resize(self.words.len() + cycles, None);
        self.end_word();
    }

    /// Bytes with a pause before byte number `cut`.
    fn extend_with_pause(&mut self, bytes: &[u8], cut: usize, cycles: usize) {
        let (before, after) = bytes.split_at(cut);
        self.extend(before);
        self.idle(cycles);
        self.extend(after);
    }

    /// An A-Sync, and padding until the next byte is at lane `phase` of a gapless word.
    fn begin_piece(&mut self, rng: &mut Rng, phase: usize) {
        self.extend(&ASYNC);
        let single = SINGLES[rng.random_range(0..SINGLES.len())];
        while self.count % self.lanes != phase {
            self.push(single);
        }
    }
}

/// Bytes that follow a header: legal ones, the ends of the range, and any.
fn payloads(rng: &mut Rng, header: u8, set: &RegisterSet) -> Vec<Vec<u8>> {
    let config = set.config();
    let mut payloads = vec![
        vec![0x00; 8],
        vec![0xFF; 16],
        vec![0x80; 16],
        vec![0x7F; 16],
    ];
    payloads.extend((0..3).map(|_| (0..16).map(|_| rng.random()).collect()));
    if config.allows(layout(header, &config).gate) {
        payloads.extend((0..3).map(|_| {
            let packet = random_packet(rng, header, &config);
            emit(&packet, &config).as_slice()[1..].to_vec()
        }));
    }
    payloads
}

/// Every header at every phase with every payload.
fn headers(rng: &mut Rng, set: &RegisterSet, words: &mut Words) {
    for header in 0..=255 {
        for phase in 0..words.lanes {
            for payload in payloads(rng, header, set) {
                words.begin_piece(rng, phase);
                words.push(header);
                words.extend(&payload);
                words.extend(&SINGLES[..rng.random_range(0..4)]);
            }
        }
    }
}

/// A packet that is legal, if the header is; otherwise any byte after the header.
fn packet(rng: &mut Rng, header: u8, set: &RegisterSet) -> Vec<u8> {
    let config = set.config();
    if config.allows(layout(header, &config).gate) {
        let packet = random_packet(rng, header, &config);
        emit(&packet, &config).as_slice().to_vec()
    } else {
        vec![header, rng.random()]
    }
}

/// Every kind of packet after every other one: the bytes of one must not leak into another that
/// ends in the same lanes.
fn pairs(rng: &mut Rng, set: &RegisterSet, words: &mut Words) {
    let headers = || LONG_HEADERS.into_iter().chain(SHORT_HEADERS);
    for first in headers() {
        for second in headers() {
            for phase in 0..words.lanes {
                words.begin_piece(rng, phase);
                words.extend(&packet(rng, first, set));
                words.extend(&packet(rng, second, set));
                let third = LONG_HEADERS[rng.random_range(0..LONG_HEADERS.len())];
                words.extend(&packet(rng, third, set));
                words.extend(&SINGLES[..rng.random_range(0..4)]);
            }
        }
    }
}

/// A pause in or after every kind of packet after every other one: the word is decoded
/// provisionally before it is complete, and this must leave no state behind.
fn pauses(rng: &mut Rng, set: &RegisterSet, words: &mut Words) {
    let headers = || LONG_HEADERS.into_iter().chain(SHORT_HEADERS);
    for first in headers() {
        for second in headers() {
            for phase in 0..words.lanes {
                words.begin_piece(rng, phase);
                let mut bytes = packet(rng, first, set);
                bytes.extend(packet(rng, second, set));
                bytes.extend([0x92, 0x91, 0x90]);
                let cut = rng.random_range(1..bytes.len());
                words.extend_with_pause(&bytes, cut, rng.random_range(1..3));
            }
        }
    }
}

/// A pause after every byte of every kind of packet, and of exact matches after it.
fn pauses_everywhere(rng: &mut Rng, set: &RegisterSet, words: &mut Words) {
    for header in LONG_HEADERS.into_iter().chain(SHORT_HEADERS) {
        for phase in 0..words.lanes {
            let mut bytes = packet(rng, header, set);
            bytes.extend([0x92, 0x91, 0x90]);
            for cut in 1..bytes.len() {
                words.begin_piece(rng, phase);
                words.extend_with_pause(&bytes, cut, 1);
            }
        }
    }
}

/// Timestamps of eight to eleven bytes with bit 7, and an end; of nine bytes at most.
fn timestamps(rng: &mut Rng, _: &RegisterSet, words: &mut Words) {
    for phase in 0..words.lanes {
        for header in [0x02, 0x03] {
            for length in 7..=11 {
                for last in [0x00, 0x01, 0x7F, 0x80, 0xFF] {
                    words.begin_piece(rng, phase);
                    words.push(header);
                    (0..length).for_each(|_| words.push(rng.random::<u8>() | 0x80));
                    words.push(last);
                    words.extend(&SINGLES);
                }
            }
        }
    }
}

/// Zeros around the length of an A-Sync, and the bytes after them.
fn zero_runs(rng: &mut Rng, _: &RegisterSet, words: &mut Words) {
    for phase in 0..words.lanes {
        for zeros in 9..=13 {
            for end in [0x80, 0x81, 0x00, 0x03, 0x05, 0xF7] {
                words.begin_piece(rng, phase);
                (0..zeros).for_each(|_| words.push(0));
                words.push(end);
                words.extend(&SINGLES[..4]);
            }
        }
    }
}

/// A-Syncs in every byte of packets of every kind, some of them one zero too short or too long.
fn asyncs_inside(rng: &mut Rng, _: &RegisterSet, words: &mut Words) {
    for phase in 0..words.lanes {
        for header in LONG_HEADERS {
            for place in 0..=10 {
                words.begin_piece(rng, phase);
                words.push(header);
                let bit_7 = if rng.random() { 0x80 } else { 0 };
                (0..place).for_each(|_| words.push(rng.random::<u8>() | bit_7));
                let zeros = [11, 11, 10, 12][rng.random_range(0..4)];
                (0..zeros).for_each(|_| words.push(0));
                words.push(0x80);
                words.extend(&SINGLES[..rng.random_range(1..8)]);
            }
        }
    }
}

/// Losses in every byte of packets of every kind, reported by a word with bytes or without, at once
/// or after a pause. Another packet, an A-Sync or the end of one follows.
fn losses(rng: &mut Rng, _: &RegisterSet, words: &mut Words) {
    for phase in 0..words.lanes {
        for header in LONG_HEADERS {
            for place in 0..=10 {
                words.begin_piece(rng, phase);
                words.push(header);
                (0..place).for_each(|_| words.push(rng.random()));
                if rng.random() {
                    words.idle(rng.random_range(1..3));
                }
                words.lose(rng.random());
                if rng.random_bool(0.2) {
                    words.lose(rng.random());
                }
                match rng.random_range(0..4) {
                    0 => words.extend(&ASYNC[rng.random_range(0..3)..]),
                    1 => words.push(LONG_HEADERS[rng.random_range(0..LONG_HEADERS.len())]),
                    2 => words.idle(1),
                    _ => {}
                }
                words.extend(&SINGLES[..rng.random_range(1..8)]);
            }
        }
    }
}

/// Makes a stream.
type Pieces = fn(&mut Rng, &RegisterSet, &mut Words);

/// Trace units that send all kinds of packets.
const LARGE: [&str; 2] = ["v46-all", "ete"];
/// Trace units that send fewer kinds of packets.
const SMALL: [&str; 2] = ["v8m", "a53"];

/// As [`check_sets`], for trace units that send all kinds of packets.
fn check(pieces: Pieces) {
    check_sets(pieces, LARGE);
}

/// Runs pieces through every preset of several lanes except the one-hot ones, which share all parts
/// but the chain with the others, one trace unit after the other under resync and lenient.
fn check_sets(pieces: Pieces, sets: [&str; 2]) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let widths = 2..=rounds(8, 16);
    let several_lanes = |preset: &DecoderTop| {
        widths.contains(&preset.bytes_per_cycle()) && !preset.name().contains("onehot")
    };
    in_parallel(source_presets().filter(several_lanes), |preset| {
        let lanes = preset.bytes_per_cycle();
        let backend = Backend::Verilog(PresetEngine::new(preset).expect("the preset compiles"));
        for (number, name) in sets.into_iter().enumerate() {
            let set = RegisterSet::by_name(name).expect("a named set");
            let mut rng = rng(number as u64);
            let lenient = number % 2 == 1;
            let mut words = Words::new(lanes, rng.random_range(0..lanes));
            pieces(&mut rng, &set, &mut words);
            DecoderSetup { set, lenient }.check(&backend, &words.words, name);
        }
    });
}

#[test]
fn every_header_is_read_in_every_lane() {
    check(headers);
}

#[test]
fn every_kind_of_packet_follows_every_other_in_every_lane() {
    check(pairs);
}

#[test]
fn a_pause_in_any_packet_changes_nothing_in_every_lane() {
    check(pauses);
}

#[test]
fn a_pause_behind_every_byte_changes_nothing_in_every_lane() {
    check(pauses_everywhere);
}

#[test]
fn a_timestamp_ends_with_its_ninth_byte_in_every_lane() {
    check(timestamps);
}

#[test]
fn eleven_zeros_or_more_make_an_async_in_every_lane() {
    check(zero_runs);
}

#[test]
fn an_async_is_found_inside_any_packet_in_every_lane() {
    check(asyncs_inside);
}

#[test]
fn a_loss_is_reported_in_every_lane_of_any_packet() {
    check(losses);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn small_trace_units_are_read_in_every_lane() {
    for pieces in [
        headers,
        pairs,
        pauses,
        pauses_everywhere,
        timestamps,
        zero_runs,
        asyncs_inside,
        losses,
    ] {
        check_sets(pieces, SMALL);
    }
}
