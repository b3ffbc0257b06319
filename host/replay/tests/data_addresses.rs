// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of loads and stores through their encoder and back.

use std::path::Path;

use coretrace_capture::read_xz_text;
use coretrace_compress::{DataAddresses, DataTrace};
use coretrace_replay::{DataAddressReplay, Reader};
use coretrace_test_support::shared_dir;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// Address of an instruction, and where it loads or stores.
type Access = (u64, u64);

/// Bits of an address.
const WIDTHS: [u64; 2] = [32, 64];

/// The bits of accesses, from which they come back.
fn there_and_back(is_wide: bool, accesses: &[Access]) -> u64 {
    let mut encoder = DataAddresses::new(is_wide);
    for &(pc, address) in accesses {
        encoder.access(pc, address);
    }
    let DataTrace {
        accesses: count,
        hits,
        misses,
    } = encoder.finish();
    assert_eq!(count, accesses.len() as u64);
    let lengths = [hits.len(), misses.len()];
    let strings = [hits, misses].map(coretrace_compress::Bits::into_bytes);
    let reader = |number: usize| Reader::new(&strings[number], lengths[number]).expect("bits");
    let mut replay = DataAddressReplay::new(is_wide, reader(0), reader(1));
    for (number, &(pc, address)) in accesses.iter().enumerate() {
        assert_eq!(replay.access(pc), Ok(address), "access {number}");
    }
    // Only zeros that fill a byte may be left.
    assert!((0..8).any(|_| replay.access(0).is_err()));
    lengths[0] + lengths[1]
}

/// The accesses of a recorded program of a PowerPC.
fn recorded(path: &Path) -> Vec<Access> {
    let text = read_xz_text(path).expect("a trace");
    let number = |field: &str| u64::from_str_radix(field, 16).expect("a number");
    let mut accesses = Vec::new();
    for line in text.lines() {
        let mut fields = line.split(' ');
        let pc = number(fields.next().expect("an address"));
        let of_memory = fields.skip(1).map(|access| access.split(':').nth(1));
        accesses.extend(of_memory.map(|address| (pc, number(address.expect("an address")))));
    }
    accesses
}

/// The recorded programs, with their accesses and the bits of these per bit that is left, in hundredths.
const RECORDED: [(&str, usize, u64); 5] = [
    ("base", 89_698, 223),
    ("dec", 75_980, 225),
    ("snoop", 72_707, 226),
    ("prefetch", 73_105, 229),
    ("all", 76_746, 228),
];

#[test]
fn accesses_of_recorded_programs_come_back_from_less_than_half() {
    let Some(shared) = shared_dir() else { return };
    for (name, count, ratio) in RECORDED {
        let path = shared.join("nstrace").join(name).join("trace.txt.xz");
        let accesses = recorded(&path);
        let bits = there_and_back(false, &accesses);
        let hundredths = 100 * WIDTHS[0] * accesses.len() as u64 / bits;
        assert_eq!((accesses.len(), hundredths), (count, ratio), "{name}");
    }
}

#[test]
fn random_accesses_with_and_without_strides_come_back() {
    for seed in 0..60 {
        let mut rng = StdRng::seed_from_u64(seed);
        let is_wide = seed % 2 == 1;
        let above = 64 - WIDTHS[usize::from(is_wide)];
        let mut address = rng.random::<u64>() >> above;
        let stride = rng.random_range(-200..200_i64);
        let irregular = [0.0, 0.01, 0.3][seed as usize % 3];
        let mut access = || {
            address = match rng.random_bool(irregular) {
                true => rng.random(),
                false => address.wrapping_add_signed(stride),
            };
            address = address << above >> above;
            (4 * rng.random_range(0..3_u64), address)
        };
        let accesses: Vec<Access> = (0..10_000).map(|_| access()).collect();
        there_and_back(is_wide, &accesses);
    }
}

#[test]
fn one_stride_takes_less_than_a_hundredth_of_a_bit_per_access() {
    let accesses: Vec<Access> = (0..1_000_000)
        .map(|number| (8, 0x1000 + 8 * number))
        .collect();
    assert!(there_and_back(false, &accesses) < 10_000);
}

#[test]
fn any_bits_give_addresses_or_an_error() {
    for seed in 0..500 {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut bytes = || (0..rng.random_range(0..50)).map(|_| rng.random()).collect();
        let (hits, misses): (Vec<u8>, Vec<u8>) = (bytes(), bytes());
        let reader = |bytes| Reader::new(bytes, 8 * bytes.len() as u64).expect("bits");
        let mut replay = DataAddressReplay::new(true, reader(&hits), reader(&misses));
        let read = (0..100_000).take_while(|number| replay.access(4 * number).is_ok());
        assert!(read.count() <= 8 * 256 * 50);
    }
}
