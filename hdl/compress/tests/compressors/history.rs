// SPDX-License-Identifier: MIT OR Apache-2.0
//! The X encoders write the bits of the model, at any rate, and from any start on.

use coretrace_abi::compressed::branch::Event;
use coretrace_hdl_compress::{HistoryEncoderX0, HistoryEncoderX1, HistoryEncoderX2};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::events::AnyEvents;
use crate::history_bench::Bench;
use crate::history_events::{loops, outcome, stretches, target};

/// Where programs of A32 and A64 are.
const BASES: [u64; 3] = [0x8000, 0xFFFF_8000_0801_2340, 0x0000_5555_5555_0000];

fn rng(seed: u64) -> StdRng {
    println!("seed {seed}");
    StdRng::seed_from_u64(seed)
}

macro_rules! any_events {
    ($encoder:ty, $seeds:expr, $blocks:expr) => {
        for seed in $seeds {
            let mut rng = rng(seed);
            let gaps = [0.0, 0.3][rng.random_range(0..2)];
            let mut bench = Bench::new(<$encoder>::default());
            let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
            for _ in 0..$blocks {
                bench.compare(&mut rng, gaps, || any.event());
            }
        }
    };
}

#[test]
fn x0_equals_the_model_on_any_events() {
    any_events!(HistoryEncoderX0, 0..2, 3);
}

#[test]
fn x1_equals_the_model_on_any_events() {
    any_events!(HistoryEncoderX1, 10..12, 3);
}

#[test]
fn x2_equals_the_model_on_any_events() {
    any_events!(HistoryEncoderX2, 20..22, 3);
}

#[test]
fn counters_of_branches_in_flight_are_those_of_the_model() {
    // Six branches at one of three places each.
    let mut rng = rng(30);
    let mut bench = Bench::new(HistoryEncoderX0::default());
    bench.start();
    let mut events = vec![];
    for _ in 0..600 {
        for _ in 0..6 {
            events.push(outcome(
                BASES[0],
                rng.random_range(0..3),
                rng.random_bool(0.8),
            ));
        }
        if rng.random_bool(0.1) {
            bench.pause(rng.random_range(1..5));
        }
        events[events.len() - 6..]
            .iter()
            .for_each(|event| bench.put(event));
    }
    bench.check(&events);
}

macro_rules! again {
    ($encoder:ty, $lengths:expr, $has_targets:expr) => {
        let mut bench = Bench::new(<$encoder>::default());
        for (number, length) in $lengths.into_iter().enumerate() {
            println!("length {length}");
            let mut rng = rng(number as u64);
            let base = BASES[number % BASES.len()];
            let total = (2 * length).max(600) + 500;
            let events = stretches(&mut rng, base, length, total, $has_targets);
            bench.start();
            events.iter().for_each(|event| bench.put(event));
            bench.check(&events);
        }
    };
}

#[test]
fn a_match_at_any_distance_is_followed_as_in_the_model() {
    again!(
        HistoryEncoderX0,
        [1, 2, 3, 30, 31, 32, 33, 34, 63, 64, 65],
        false
    );
    // The ring has 1024 outcomes.
    again!(
        HistoryEncoderX0,
        [958, 959, 960, 961, 962, 1023, 1024, 1025],
        false
    );
}

#[test]
fn targets_in_a_match_are_those_of_the_model() {
    again!(
        HistoryEncoderX0,
        [1, 2, 3, 5, 30, 40, 64, 200, 320, 330, 700],
        true
    );
    again!(HistoryEncoderX1, [4, 40, 500], true);
}

#[test]
fn a_run_that_is_too_long_for_ones_equals_the_model() {
    let mut bench = Bench::new(HistoryEncoderX1::default());
    bench.start();
    let events: Vec<_> = (0..4000)
        .map(|number| outcome(BASES[0], 1, ![400, 420, 2500, 3990].contains(&number)))
        .collect();
    events.iter().for_each(|event| bench.put(event));
    bench.check(&events);
}

#[test]
fn a_branch_is_taken_in_a_cycle_and_a_new_target_in_two() {
    let mut rng = rng(40);
    let mut bench = Bench::new(HistoryEncoderX1::default());
    let outcomes: Vec<_> = (0..1000)
        .map(|_| outcome(BASES[1], rng.random_range(0..1 << 20), rng.random()))
        .collect();
    let targets: Vec<_> = (0..1000)
        .map(|_| {
            target(
                BASES[1],
                rng.random_range(0..1 << 20),
                rng.random::<u64>() & !3,
            )
        })
        .collect();
    for (events, cycles) in [(outcomes, 1000), (targets, 2000)] {
        bench.start();
        let before = bench.cycles;
        events.iter().for_each(|event| bench.put(event));
        assert!(
            bench.cycles - before <= cycles,
            "{} cycles",
            bench.cycles - before
        );
        bench.check(&events);
    }
}

#[test]
fn the_beat_of_a_branch_comes_23_cycles_later() {
    let mut bench = Bench::new(HistoryEncoderX1::default());
    bench.start();
    assert_eq!(bench.latency(&outcome(BASES[0], 1, true)), 23);
    // A target that is new is a record and a literal, and waits for a cycle at first.
    assert_eq!(bench.latency(&target(BASES[0], 1, BASES[1])), 25);
}

#[test]
fn a_target_that_is_not_written_yet_is_that_of_the_model() {
    // The ring has 64 targets; a block with fewer is behind one with more.
    let mut rng = rng(50);
    let mut bench = Bench::new(HistoryEncoderX0::default());
    for total in [9000, 4000] {
        let events = loops(&mut rng, BASES[2], total);
        bench.start();
        events.iter().for_each(|event| bench.put(event));
        bench.check(&events);
    }
}

#[test]
fn a_start_forgets_the_target_before_it() {
    // The path to each of these targets is the same.
    let events = [target(BASES[0], 1, 1 << 32); 6];
    let mut bench = Bench::new(HistoryEncoderX1::default());
    for _ in 0..3 {
        bench.start();
        events.iter().for_each(|event| bench.put(event));
        bench.check(&events);
    }
}

#[test]
fn events_wait_for_records_that_are_longer_than_they_are() {
    // A discontinuity takes two cycles, its record has seven beats.
    let mut rng = rng(60);
    let mut bench = Bench::new(HistoryEncoderX0::default());
    let any = |number| match number % 40 {
        0..10 => outcome(BASES[0], number, rng.random()),
        _ => Event::Discontinuity {
            instructions: rng.random::<u32>() >> rng.random_range(0..32),
            next: rng.random::<u64>() & !3,
        },
    };
    let events: Vec<Event> = (0..400).map(any).collect();
    bench.start();
    let before = bench.cycles;
    events.iter().for_each(|event| bench.put(event));
    assert!(bench.cycles - before > 7 * 290, "no event waited");
    bench.check(&events);
}
