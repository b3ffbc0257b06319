// SPDX-License-Identifier: MIT OR Apache-2.0
//! Losses: what is lost is counted, and everything else comes out, in blocks that are those of the model.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_replay::Blocks;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::bench::{Bench, Input};
use crate::blocks::{difference, model};
use crate::compressor::{Compressor, M4, RBase, X1, X2};
use crate::program::Program;

/// A run: how long, and shares of cycles.
#[derive(Clone, Copy, Debug)]
struct Run {
    seed: u64,
    cycles: usize,
    gaps: f64,
    /// Of stretches without TREADY.
    stalled: f64,
    /// Of events that are lost, and some more with them, in front of the compressor.
    missed: f64,
}

/// Compares the blocks of a run with those of the model; what came in, and the blocks.
fn equals_model<C: Compressor>(
    run: Run,
    start: u64,
    mut event: impl FnMut() -> Event,
) -> (Vec<Input>, Vec<u8>) {
    println!("{}, {run:?}", C::NAME);
    let mut rng = StdRng::seed_from_u64(run.seed);
    let mut bench = Bench::<C>::new(0);
    let mut inputs = vec![Input::Begin(start)];
    bench.clock(inputs.last(), true);
    let mut is_ready = true;
    for _ in 0..run.cycles {
        if rng.random_bool(0.0005) {
            is_ready = !rng.random_bool(run.stalled);
        }
        if rng.random_bool(run.gaps) {
            bench.clock(None, is_ready);
            continue;
        }
        let event = event();
        if rng.random_bool(run.missed) {
            inputs.push(Input::Resume(rng.random_range(1..1000), event.next()));
            bench.clock(inputs.last(), is_ready);
            continue;
        }
        let before = bench.lost();
        bench.clock(Some(&Input::Event(event)), is_ready);
        let lost = bench.lost() - before;
        assert!(lost <= 1, "an event was counted twice");
        inputs.push(match lost {
            0 => Input::Event(event),
            _ => Input::Lost(event),
        });
    }
    bench.drain();
    inputs.push(Input::Flush);
    bench.clock(inputs.last(), true);
    bench.drain();

    assert_eq!(bench.lost(), inputs.iter().map(lost).sum::<u64>());
    let model = model::<C>(start, &inputs);
    assert_eq!(difference(&bench.memory, &model), None);
    assert_eq!(bench.memory.len(), model.len());
    (inputs, bench.memory)
}

fn is_lost(input: &Input) -> bool {
    matches!(input, Input::Lost(_))
}

/// Events that were lost with an input.
fn lost(input: &Input) -> u64 {
    match input {
        Input::Lost(_) => 1,
        Input::Resume(lost, _) => u64::from(*lost),
        Input::Begin(_) | Input::Event(_) | Input::Flush => 0,
    }
}

/// How many stretches were lost.
fn stretches(inputs: &[Input]) -> usize {
    let begins = |pair: &[Input]| !is_lost(&pair[0]) && is_lost(&pair[1]);
    inputs.windows(2).filter(|pair| begins(pair)).count()
}

/// Replays a program; how many stretches were lost.
fn loses<C: Compressor>(seed: u64, cycles: usize, gaps: f64, stalled: f64) -> usize {
    let mut program = Program::new(StdRng::seed_from_u64(seed + 1000), 60);
    let code = program.code.clone();
    let start = program.address;
    let run = Run {
        seed,
        cycles,
        gaps,
        stalled,
        missed: 0.002,
    };
    let (inputs, memory) = equals_model::<C>(run, start, || program.event());
    let kept = inputs.iter().filter_map(|input| match input {
        Input::Event(event) => Some(*event),
        _ => None,
    });
    let mut out: Vec<Event> = vec![];
    for block in Blocks::new(&memory) {
        assert_eq!(block.skipped, 0, "a block is damaged");
        let events = block.events(&code).expect("an encoder");
        out.extend(events.map(|event| event.expect("a record")));
    }
    assert!(out.iter().copied().eq(kept), "other events came out");
    stretches(&inputs)
}

/// A branch to a place where no branch led before.
fn any_target(rng: &mut StdRng) -> Event {
    Event::Branch(Branch {
        address: 0x40_1000,
        kind: BranchKind::INDIRECT,
        taken: true,
        next: rng.random::<u64>() & !3,
        instructions: 1,
    })
}

#[test]
fn overload_loses_long_stretches_and_says_so() {
    let stretches = loses::<M4>(1, 30_000, 0.0, 0.0);
    assert!((10..200).contains(&stretches), "{stretches} losses");
}

#[test]
fn a_stalled_output_loses_events_and_says_so() {
    let stretches = loses::<M4>(2, 30_000, 0.6, 0.8) + loses::<M4>(3, 30_000, 0.5, 0.7);
    assert!(stretches > 2, "{stretches} losses");
}

#[test]
fn overload_and_stalls_of_rbase_lose_stretches_and_say_so() {
    let stretches = loses::<RBase>(15, 30_000, 0.0, 0.0) + loses::<RBase>(16, 30_000, 0.5, 0.8);
    assert!((2..200).contains(&stretches), "{stretches} losses");
}

#[test]
fn overload_of_x2_loses_long_stretches_and_says_so() {
    let stretches = loses::<X2>(11, 20_000, 0.0, 0.0);
    assert!((4..100).contains(&stretches), "{stretches} losses");
}

#[test]
fn a_stalled_output_of_x_loses_events_and_says_so() {
    let stretches = loses::<X1>(13, 18_000, 0.3, 0.8);
    assert!(stretches > 1, "{stretches} losses");
}

#[test]
fn new_targets_behind_a_stalled_output_stay_whole() {
    let run = Run {
        seed: 14,
        cycles: 16_000,
        gaps: 0.0,
        stalled: 0.7,
        missed: 0.0,
    };
    let mut rng = StdRng::seed_from_u64(1014);
    let (inputs, _) = equals_model::<X2>(run, 0x40_1000, || any_target(&mut rng));
    let stretches = stretches(&inputs);
    assert!(stretches > 1, "{stretches} losses");
}

#[test]
#[ignore = "nightly: minutes"]
fn many_rates_and_stalls_lose_what_they_count() {
    let mut rng = StdRng::seed_from_u64(100);
    for seed in 100..140 {
        let (gaps, stalled) = (rng.random_range(0.0..0.8), rng.random_range(0.0..1.0));
        loses::<M4>(seed, 20_000, gaps, stalled);
        loses::<RBase>(seed, 20_000, gaps, stalled);
    }
}
