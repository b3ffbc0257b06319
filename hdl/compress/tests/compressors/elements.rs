// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XE encoder writes the bits of the model, at any rate, and from any start on.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::item::{Item, Note, SHORT_BYTES, StreamBytes};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::element_bench::{Came, ElementBench};

/// Where programs of A32 and A64 are.
const BASES: [u64; 3] = [0x8000, 0xFFFF_8000_0801_2340, 0x0000_5555_5555_0000];

/// Where the shares of atoms and addresses are from.
#[derive(Clone, Copy)]
struct Shares {
    taken: f64,
    has_address: f64,
    /// Elements of a repeated stretch that are other ones.
    other: f64,
}

const MANY: Shares = Shares {
    taken: 0.7,
    has_address: 0.3,
    other: 0.004,
};

fn atom(taken: bool) -> Came {
    Item::Event(Element {
        taken,
        address: None,
    })
}

fn led(address: u64) -> Came {
    Item::Event(Element {
        taken: true,
        address: Some(address),
    })
}

/// Bytes of packets that are no elements.
pub fn bytes(rng: &mut StdRng) -> Came {
    let count = rng.random_range(1..=SHORT_BYTES);
    let bytes: Vec<u8> = (0..count).map(|_| rng.random()).collect();
    Item::Note {
        instructions: 0,
        note: Note::Bytes(StreamBytes::new(&bytes).expect("a few bytes")),
    }
}

/// An element of a program with few targets; sometimes an address that is new.
fn any(rng: &mut StdRng, shares: Shares) -> Came {
    if !rng.random_bool(shares.taken) {
        return atom(false);
    }
    if !rng.random_bool(shares.has_address) {
        return atom(true);
    }
    let base = BASES[rng.random_range(0..BASES.len())];
    match rng.random_range(0..40) {
        0 => led(rng.random::<u64>() & !3),
        _ => led(base + 64 * rng.random_range(0..5)),
    }
}

/// A stretch again and again; sometimes an element is another one.
fn stretches(rng: &mut StdRng, length: usize, total: usize, shares: Shares) -> Vec<Came> {
    let mut elements: Vec<Came> = (0..length).map(|_| any(rng, shares)).collect();
    while elements.len() < total {
        let again = elements[elements.len() - length];
        let is_other = rng.random_bool(shares.other);
        let other = any(rng, shares);
        elements.push(if is_other { other } else { again });
    }
    elements
}

/// Stretches of all lengths that come again a few times, and new elements between them.
pub fn mixed(rng: &mut StdRng, total: usize) -> Vec<Came> {
    let mut elements = vec![];
    while elements.len() < total {
        let length = rng.random_range(1..100);
        let turns = rng.random_range(1..6);
        elements.extend(stretches(rng, length, turns * length, MANY));
    }
    elements
}

#[test]
fn xe_equals_the_model_on_any_elements() {
    let mut bench = ElementBench::new();
    for seed in 0..6 {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let total = rng.random_range(1..2500);
        let elements = mixed(&mut rng, total);
        let gaps = [0.0, 0.3][rng.random_range(0..2)];
        bench.compare_with_gaps(&mut rng, gaps, &elements);
    }
}

#[test]
fn elements_that_are_near_in_the_tables_of_xe_are_those_of_the_model() {
    // No address: the counters by address have one of few places.
    let mut rng = StdRng::seed_from_u64(10);
    let mut bench = ElementBench::new();
    for taken in [0.02, 0.5, 0.98] {
        let shares = Shares {
            taken,
            has_address: 0.02,
            other: 0.0,
        };
        let elements: Vec<Came> = (0..1500).map(|_| any(&mut rng, shares)).collect();
        bench.compare(&elements);
    }
    // The same element up to four times in a row.
    let elements: Vec<Came> = (0..500)
        .flat_map(|_| {
            let element = any(&mut rng, MANY);
            std::iter::repeat_n(element, rng.random_range(1..5))
        })
        .collect();
    bench.compare(&elements);
}

#[test]
fn a_match_of_elements_at_any_distance_equals_the_model() {
    let mut bench = ElementBench::new();
    for length in [1, 2, 3, 4, 30, 31, 32, 33, 34, 63, 64, 65, 300] {
        println!("length {length}");
        let mut rng = StdRng::seed_from_u64(length as u64);
        let elements = stretches(&mut rng, length, 2 * length + 600, MANY);
        bench.compare(&elements);
    }
}

#[test]
#[ignore = "nightly: minutes"]
fn a_match_as_far_away_as_the_ring_of_xe_equals_the_model() {
    // The ring has 32768 elements.
    let mut bench = ElementBench::new();
    for length in [32_703, 32_704, 32_705, 32_767, 32_768, 32_769] {
        println!("length {length}");
        let mut rng = StdRng::seed_from_u64(length as u64);
        let elements = stretches(&mut rng, length, 2 * length + 600, MANY);
        bench.compare(&elements);
    }
}

#[test]
fn an_element_is_taken_in_a_cycle_and_an_address_in_two() {
    let mut bench = ElementBench::new();
    let atoms: Vec<Came> = (0..1000).map(|number| atom(number % 3 > 0)).collect();
    let addresses = vec![led(BASES[1]); 1000];
    for (elements, cycles) in [(atoms, 1020), (addresses, 2020)] {
        bench.start();
        let before = bench.cycles;
        elements.iter().for_each(|element| bench.put(element));
        let taken = bench.cycles - before;
        assert!(taken <= cycles, "{taken} cycles");
        bench.check(&elements);
    }
}

#[test]
fn the_beat_of_an_atom_comes_23_cycles_later() {
    let mut bench = ElementBench::new();
    bench.start();
    assert_eq!(bench.latency(&atom(false)), 23);
}

#[test]
fn elements_wait_for_records_that_are_longer_than_they_are() {
    // Atoms and addresses that nothing expects.
    let mut rng = StdRng::seed_from_u64(20);
    let mut bench = ElementBench::new();
    let elements: Vec<Came> = (0..800)
        .map(|_| match rng.random() {
            true => led(rng.random::<u64>() & !3),
            false => atom(rng.random()),
        })
        .collect();
    bench.compare(&elements);
}

#[test]
fn bytes_among_elements_of_xe_are_those_of_the_model() {
    let mut bench = ElementBench::new();
    for (seed, share) in [(30, 0.02), (31, 0.3), (32, 1.0)] {
        println!("seed {seed}");
        let mut rng = StdRng::seed_from_u64(seed);
        let elements = mixed(&mut rng, 800);
        let came = elements.iter().map(|element| match rng.random_bool(share) {
            true => bytes(&mut rng),
            false => *element,
        });
        let came: Vec<Came> = came.collect();
        bench.compare_with_gaps(&mut rng, 0.1, &came);
        bench.compare(&came);
    }
}

#[test]
fn bytes_in_front_of_all_elements_are_no_place_to_follow() {
    // The history of N atoms is that of none.
    let mut rng = StdRng::seed_from_u64(33);
    let mut elements = vec![bytes(&mut rng)];
    elements.extend([atom(false); 12]);
    elements.extend((0..60).map(|number| atom(number % 7 == 0)));
    ElementBench::new().compare(&elements);
}

#[test]
fn a_start_forgets_the_elements_before_it() {
    let elements = [led(1 << 32); 12];
    let mut bench = ElementBench::new();
    for _ in 0..3 {
        bench.compare(&elements);
    }
}
