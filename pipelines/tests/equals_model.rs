// SPDX-License-Identifier: MIT OR Apache-2.0
//! The simulated decoders give the model's records on random bytes, legal or not.

use coretrace_decode::{Decoder, Policy};
use coretrace_etm::header::{EXCEPTION, TIMESTAMP};
use coretrace_etm::{
    ASYNC_END, ASYNC_ZEROS, ArchProfile, Config, HEADERS, Protocol, Record, Registers, SourceConfig,
};
use coretrace_pipelines::sim::DRAIN_CYCLES;
use coretrace_pipelines::sim::{InputWord, ResultDecoder, SourceSim};
use coretrace_pipelines::{Etm4Byte, Etm4X4};
use coretrace_pipelines::{Etm4JumpX4, Etm4JumpX8, Etm4JumpX16};
use coretrace_pipelines::{Etm4OnehotX4, Etm4OnehotX8};
use coretrace_test_gen::rounds;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Registers over the whole configuration space.
fn random_source(rng: &mut impl Rng) -> SourceConfig {
    let pick = |rng: &mut dyn Rng, values: &[u32]| values[rng.random_range(0..values.len())];
    let registers = Registers::from_values(&[
        pick(rng, &[0x1, 0xC1, 0x1_0703, 0x8D9]),
        pick(rng, &[0x2800_0EA1, 0x0801_8EF9, 0x0800_0EA1, 0x2801_8EF9]),
        0x4100_F403 | pick(rng, &[0x00, 0x10, 0x20, 0x30, 0x60]),
        pick(rng, &[0x488, 0x1000_1088, 0x0600_0888, 0, 0x80]),
        20,
        0x4770_5A13 | pick(rng, &[0x1_0000, 0x3_0000]),
    ]);
    let protocol = if rng.random() {
        Protocol::Etm4
    } else {
        Protocol::Ete
    };
    let profile = [ArchProfile::A, ArchProfile::M7, ArchProfile::M8][rng.random_range(0..3)];
    SourceConfig {
        protocol,
        profile,
        registers,
        lenient: rng.random(),
    }
}

/// Bytes that look like packets: headers that exist, payloads with few continuation bits, zero
/// runs around the length of an A-Sync.
fn random_stream(rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = Vec::new();
    for _ in 0..rng.random_range(20..60) {
        match rng.random_range(0..10) {
            0 => {
                let zeros = rng.random_range(9..14);
                bytes.resize(bytes.len() + zeros, 0);
                bytes.push(0x80);
                bytes.extend([1, 0x0F, 1, 2, 3, 4]);
            }
            1 => bytes.push(rng.random()),
            _ => {
                let header = rng.random::<u8>();
                if HEADERS[usize::from(header)].gate == coretrace_etm::Gate::Never
                    && rng.random_bool(0.9)
                {
                    continue;
                }
                bytes.push(header);
                for _ in 0..rng.random_range(0..12) {
                    let byte: u8 = rng.random();
                    bytes.push(if rng.random_bool(0.5) {
                        byte & 0x7F
                    } else {
                        byte
                    });
                }
            }
        }
    }
    bytes
}

/// A stream cut into words with any keep masks, gaps between them and losses in it.
fn words(rng: &mut impl Rng, lanes: usize, bytes: &[u8]) -> Vec<Option<InputWord>> {
    let mut rest = bytes;
    let mut words = Vec::new();
    while !rest.is_empty() {
        if rng.random_bool(0.1) {
            words.push(None);
            continue;
        }
        let mut word = InputWord {
            discontinuity: rng.random_bool(0.02),
            ..InputWord::default()
        };
        let mask: u32 = if rng.random_bool(0.6) {
            u32::MAX
        } else {
            rng.random()
        };
        for lane in 0..lanes {
            let byte = match rest.split_first() {
                Some((&byte, more)) if mask >> lane & 1 == 1 => {
                    rest = more;
                    word.keep |= 1 << lane;
                    byte
                }
                _ => rng.random(),
            };
            word.data |= u128::from(byte) << (8 * lane);
        }
        words.push(Some(word));
    }
    words
}

fn model(source: &SourceConfig, words: &[Option<InputWord>]) -> Vec<Record> {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let policy = if source.lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    };
    let mut decoder = Decoder::new(config, policy);
    let mut list = Vec::new();
    for word in words.iter().flatten() {
        if word.discontinuity {
            decoder.discontinuity(|record| list.push(*record));
        }
        for lane in (0..16).filter(|lane| word.keep >> lane & 1 == 1) {
            let byte = (word.data >> (8 * lane)) as u8;
            decoder.feed(&[byte], |record| list.push(*record));
        }
    }
    decoder.finish(|record| list.push(*record));
    list
}

fn simulated<S: SourceSim>(
    source: &SourceConfig,
    words: &[Option<InputWord>],
    bytes: &[u8],
) -> Vec<Record> {
    let mut sim = S::start(source);
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let mut result_decoder = ResultDecoder::new(config, source.lenient);
    let mut list = Vec::new();
    let drain = [None; DRAIN_CYCLES];
    for word in words.iter().chain(&drain) {
        if let Some(result) = sim.step(word.as_ref()) {
            result_decoder.word(&result, |record| list.push(*record));
        }
    }
    result_decoder.finish(|offset| bytes[offset as usize], |record| list.push(*record));
    list
}

/// Checks the records of a stream against the model's; `place` names it.
fn check_words<S: SourceSim>(
    source: &SourceConfig,
    words: &[Option<InputWord>],
    bytes: &[u8],
    place: &str,
) {
    let want = model(source, words);
    let got = simulated::<S>(source, words, bytes);
    for (want, got) in want.iter().zip(&got) {
        let bytes = &bytes[want.offset as usize..][..want.len as usize];
        assert_eq!(got, want, "{place}, {source:?}, {bytes:02x?}");
    }
    assert_eq!(got.len(), want.len(), "{place}");
}

fn check<S: SourceSim>(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let source = random_source(&mut rng);
        let bytes = random_stream(&mut rng);
        let words = words(&mut rng, S::LANES, &bytes);
        check_words::<S>(&source, &words, &bytes, &format!("seed {seed}"));
    }
}

/// What random bytes seldom hold: every number of an exception, with and without a second byte,
/// header 0x00 with what may follow it, and timestamps of every length and beyond.
fn rare_packets() -> Vec<u8> {
    let sync = [[0; ASYNC_ZEROS].as_slice(), &[ASYNC_END]].concat();
    let mut bytes = Vec::new();
    for number in 0..32 {
        bytes.extend([EXCEPTION, number << 1, 0x95, 0x12]);
        bytes.extend([EXCEPTION, 0x80 | number << 1, 0x05, 0x95, 0x12]);
    }
    for second in 0..8 {
        bytes.extend([0x00, second, 0xF7]);
    }
    for length in 0..12 {
        bytes.extend(&sync);
        bytes.push(TIMESTAMP);
        bytes.resize(bytes.len() + length, 0x83);
        bytes.extend([0x11, 0xF7]);
    }
    [sync, bytes].concat()
}

/// Decodes the rare packets from every lane on, as an ETMv4 and as an ETE.
fn check_rare_packets<S: SourceSim>() {
    for protocol in [Protocol::Etm4, Protocol::Ete] {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let source = SourceConfig {
            protocol,
            lenient: true,
            ..random_source(&mut rng)
        };
        for lane in 0..S::LANES {
            let bytes = [vec![0xF7; lane], rare_packets()].concat();
            let word = |bytes: &[u8]| {
                let mut word = InputWord::default();
                for (lane, &byte) in bytes.iter().enumerate() {
                    word.keep |= 1 << lane;
                    word.data |= u128::from(byte) << (8 * lane);
                }
                Some(word)
            };
            let words: Vec<_> = bytes.chunks(S::LANES).map(word).collect();
            check_words::<S>(&source, &words, &bytes, &format!("from lane {lane} on"));
        }
    }
}

#[test]
fn the_byte_decoder_equals_the_model_on_any_bytes() {
    check::<Etm4Byte>(0..rounds(100, 200));
}

#[test]
fn the_four_byte_decoder_equals_the_model_on_any_bytes_and_masks() {
    check::<Etm4X4>(0..rounds(200, 400));
}

#[test]
fn the_jump_decoder_of_four_bytes_equals_the_model_on_any_bytes_and_masks() {
    check::<Etm4JumpX4>(0..rounds(70, 150));
}

#[test]
fn jump_x8_equals_the_model_on_any_bytes_and_masks() {
    check::<Etm4JumpX8>(0..rounds(50, 100));
}

#[test]
fn jump_x16_equals_the_model_on_any_bytes_and_masks() {
    check::<Etm4JumpX16>(0..rounds(30, 60));
}

#[test]
fn the_one_hot_decoders_equal_the_model_on_any_bytes_and_masks() {
    check::<Etm4OnehotX4>(0..rounds(30, 100));
    check::<Etm4OnehotX8>(0..rounds(20, 60));
}

#[test]
fn rare_packets_from_every_lane_on_equal_the_model() {
    check_rare_packets::<Etm4Byte>();
    check_rare_packets::<Etm4X4>();
    check_rare_packets::<Etm4JumpX4>();
    check_rare_packets::<Etm4JumpX8>();
}
