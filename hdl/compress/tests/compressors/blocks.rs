// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks are those of the model, byte for byte, if no event is lost.

use coretrace_abi::compressed::block::HEADER_WORDS;
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_compress::{BlockSettings, BlockWriter};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::bench::{Bench, Input, TRACE_ID};
use crate::compressor::{BLOCK, Compressor, M4, RBase, X1, X2};
use crate::events::{AnyEvents, with_at_most};

/// Where execution begins.
const START: u64 = 0x40_1000;
/// Cycles until the encoder has started.
const IDLE: usize = 600;

/// The blocks of the model.
pub fn model<C: Compressor>(start: u64, inputs: &[Input]) -> Vec<u8> {
    let mut settings = BlockSettings::new(C::encoder(), TRACE_ID, false);
    settings.size = BLOCK;
    let mut writer = BlockWriter::new(settings, start);
    let mut memory = vec![];
    for input in inputs {
        let sink = |block: &[u8]| memory.extend_from_slice(block);
        match input {
            Input::Begin(_) => {}
            Input::Event(event) => writer.event(event, sink),
            Input::Lost(event) => writer.lose(1, event.next(), sink),
            Input::Resume(lost, next) => writer.lose(*lost, *next, sink),
            Input::Flush => writer.flush(sink),
        }
    }
    memory
}

/// Where the blocks differ first: the number of the block, the byte, and what it should be.
pub fn difference(ours: &[u8], model: &[u8]) -> Option<(usize, usize, u8, u8)> {
    let mut bytes = ours.iter().zip(model).enumerate();
    let (at, (&ours, &model)) = bytes.find(|(_, (ours, model))| ours != model)?;
    Some((at / BLOCK, at % BLOCK, ours, model))
}

/// A run: how long, and shares of cycles.
#[derive(Debug)]
struct Run {
    seed: u64,
    cycles: usize,
    gaps: f64,
    ready: f64,
    flushes: f64,
}

/// Compares the blocks of a run with those of the model; how many there are.
fn equals_model<C: Compressor>(run: &Run, mut event: impl FnMut(&mut StdRng) -> Event) -> usize {
    println!("{}, {run:?}", C::NAME);
    let mut rng = StdRng::seed_from_u64(run.seed);
    let mut bench = Bench::<C>::new(0);
    let mut inputs = vec![Input::Begin(START)];
    bench.clock(inputs.last(), true);
    bench.idle(IDLE);
    for _ in 0..run.cycles {
        let is_ready = rng.random_bool(run.ready);
        if rng.random_bool(run.gaps) {
            bench.clock(None, is_ready);
            continue;
        }
        let input = if rng.random_bool(run.flushes) {
            Input::Flush
        } else {
            Input::Event(with_at_most(C::MOST_INSTRUCTIONS, event(&mut rng)))
        };
        inputs.push(input);
        bench.clock(Some(&input), is_ready);
        if matches!(input, Input::Flush) {
            // It waits for a cycle without an event.
            bench.clock(None, is_ready);
        }
    }
    inputs.push(Input::Flush);
    bench.clock(inputs.last(), true);
    bench.drain();
    assert_eq!(bench.lost(), 0, "an event was lost");
    let model = model::<C>(START, &inputs);
    assert_eq!(difference(&bench.memory, &model), None);
    assert_eq!(bench.memory.len(), model.len());
    model.len() / BLOCK
}

/// Any events, at an output that takes a share of the words.
fn any_events<C: Compressor>(seed: u64, cycles: usize, ready: f64) -> usize {
    let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
    let run = Run {
        seed,
        cycles,
        gaps: C::GAPS,
        ready,
        flushes: 0.0,
    };
    equals_model::<C>(&run, |_| any.event())
}

/// A conditional branch that nothing predicts.
fn condition(rng: &mut StdRng) -> Event {
    Event::Branch(Branch {
        address: START,
        kind: BranchKind::CONDITIONAL,
        taken: rng.random(),
        next: START,
        instructions: 1,
    })
}

/// Conditional branches in each cycle.
fn full_rate<C: Compressor>(seed: u64, cycles: usize) -> usize {
    let run = Run {
        seed,
        cycles,
        gaps: 0.0,
        ready: 1.0,
        flushes: 0.0,
    };
    equals_model::<C>(&run, condition)
}

/// Any events, now and then a flush.
fn flushes<C: Compressor>(seed: u64, cycles: usize) -> usize {
    let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
    let run = Run {
        seed,
        cycles,
        gaps: 0.9,
        ready: 1.0,
        flushes: 0.01,
    };
    equals_model::<C>(&run, |_| any.event())
}

fn closes_after_a_time<C: Compressor>() {
    let mut bench = Bench::<C>::new(2000);
    let mut rng = StdRng::seed_from_u64(6);
    let inputs = [
        Input::Begin(START),
        Input::Event(condition(&mut rng)),
        Input::Event(condition(&mut rng)),
        Input::Flush,
    ];
    // The time-out takes the place of the flush.
    inputs[..3]
        .iter()
        .for_each(|input| bench.clock(Some(input), true));
    bench.idle(2000);
    let header = 4 * HEADER_WORDS;
    assert_eq!(bench.memory.len(), header, "a block too early");
    bench.idle(2000);
    assert_eq!(difference(&bench.memory, &model::<C>(START, &inputs)), None);
    assert_eq!(bench.memory.len(), BLOCK);
    // An empty block stays open.
    bench.idle(6000);
    assert_eq!(bench.memory.len(), BLOCK);
}

#[test]
fn blocks_equal_those_of_the_model_with_gaps() {
    let blocks = any_events::<M4>(1, 60_000, 1.0);
    assert!(blocks > 8, "{blocks} blocks");
}

#[test]
fn blocks_of_x_equal_those_of_the_model_with_gaps() {
    let blocks = any_events::<X1>(11, 10_000, 1.0) + any_events::<X2>(12, 15_000, 1.0);
    assert!(blocks > 4, "{blocks} blocks");
}

#[test]
fn blocks_of_rbase_equal_those_of_the_model() {
    let blocks = any_events::<RBase>(8, 30_000, 1.0) + any_events::<RBase>(9, 20_000, 0.6);
    assert!(blocks > 8, "{blocks} blocks");
    let blocks = flushes::<RBase>(52, 20_000);
    assert!(blocks > 10, "{blocks} blocks");
    assert_eq!(full_rate::<RBase>(22, 18_000), 2);
}

#[test]
fn rbase_loses_and_counts_events_with_too_many_instructions() {
    let mut rng = StdRng::seed_from_u64(10);
    let mut any = AnyEvents::new(StdRng::seed_from_u64(1010));
    let mut bench = Bench::<RBase>::new(0);
    let mut inputs = vec![Input::Begin(START)];
    bench.clock(inputs.last(), true);
    bench.idle(IDLE);
    for _ in 0..1_500 {
        let event = any.event();
        let is_lost = event.instructions() > RBase::MOST_INSTRUCTIONS;
        bench.clock(Some(&Input::Event(event)), true);
        bench.idle(rng.random_range(0..30));
        inputs.push(match is_lost {
            true => Input::Lost(event),
            false => Input::Event(event),
        });
    }
    inputs.push(Input::Flush);
    bench.clock(inputs.last(), true);
    bench.drain();
    let is_lost = |input: &&Input| matches!(input, Input::Lost(_));
    let lost = inputs.iter().filter(is_lost).count();
    assert!(lost > 10, "{lost} lost");
    assert_eq!(bench.lost(), lost as u64);
    let model = model::<RBase>(START, &inputs);
    assert_eq!(difference(&bench.memory, &model), None);
    assert_eq!(bench.memory.len(), model.len());
}

#[test]
fn nothing_is_lost_at_full_rate_where_a_block_ends_once() {
    assert_eq!(full_rate::<M4>(2, 18_000), 2);
}

#[test]
fn x2_loses_nothing_at_full_rate_where_a_block_ends_once() {
    assert_eq!(full_rate::<X2>(21, 27_000), 2);
}

#[test]
fn blocks_equal_those_of_the_model_with_any_tready() {
    let blocks = any_events::<M4>(3, 20_000, 0.6) + any_events::<M4>(4, 20_000, 0.8);
    assert!(blocks > 4, "{blocks} blocks");
}

#[test]
fn blocks_of_x_equal_those_of_the_model_with_any_tready() {
    let blocks = any_events::<X2>(31, 10_000, 0.6);
    assert!(blocks > 1, "{blocks} blocks");
}

#[test]
fn short_blocks_equal_those_of_the_model() {
    let blocks = flushes::<M4>(5, 20_000);
    assert!(blocks > 10, "{blocks} blocks");
}

#[test]
fn short_blocks_of_x_equal_those_of_the_model() {
    let blocks = flushes::<X2>(51, 20_000);
    assert!(blocks > 10, "{blocks} blocks");
}

#[test]
fn a_block_that_is_open_for_long_is_closed() {
    closes_after_a_time::<M4>();
    closes_after_a_time::<RBase>();
    closes_after_a_time::<X1>();
}

#[test]
fn a_reset_in_flight_leaves_nothing_behind() {
    let mut rng = StdRng::seed_from_u64(7);
    let mut any = AnyEvents::new(StdRng::seed_from_u64(1007));
    let mut bench = Bench::<M4>::new(0);
    for _ in 0..20 {
        bench.reset();
        let mut inputs = vec![Input::Begin(START)];
        bench.clock(inputs.last(), true);
        (0..IDLE).for_each(|_| bench.clock(None, true));
        for _ in 0..rng.random_range(1..400) {
            inputs.push(Input::Event(any.event()));
            bench.clock(inputs.last(), true);
        }
        if rng.random() {
            continue;
        }
        inputs.push(Input::Flush);
        bench.clock(inputs.last(), true);
        (0..3000).for_each(|_| bench.clock(None, true));
        let model = model::<M4>(START, &inputs);
        assert_eq!(difference(&bench.memory, &model), None);
        assert_eq!(bench.memory.len(), model.len());
    }
}

/// Resets in each cycle while a short block ends; the first words of the next one are those of the model.
fn resets_at_the_end_of_a_block<C: Compressor>() {
    let mut any = AnyEvents::new(StdRng::seed_from_u64(8));
    let mut bench = Bench::<C>::new(0);
    for cycles in 8..32 {
        let mut inputs = vec![];
        for _ in 0..2 {
            bench.reset();
            inputs = vec![Input::Begin(START)];
            let events = (0..8).map(|_| with_at_most(C::MOST_INSTRUCTIONS, any.event()));
            inputs.extend(events.map(Input::Event));
            inputs.push(Input::Flush);
            bench.clock(inputs.first(), true);
            bench.idle(IDLE);
            for input in &inputs[1..] {
                bench.clock(Some(input), true);
            }
            bench.idle(cycles);
        }
        bench.idle(200);
        let words = bench.memory.len() / 8;
        assert!(words > 100, "{words} words");
        let model = model::<C>(START, &inputs);
        let difference = difference(&bench.memory, &model);
        assert_eq!(difference, None, "{}, {cycles} cycles", C::NAME);
    }
}

#[test]
fn a_reset_at_the_end_of_a_block_leaves_nothing_behind() {
    resets_at_the_end_of_a_block::<M4>();
    resets_at_the_end_of_a_block::<RBase>();
    resets_at_the_end_of_a_block::<X1>();
}

#[test]
#[ignore = "nightly: minutes"]
fn many_runs_equal_those_of_the_model() {
    for seed in 100..140 {
        let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
        let run = Run {
            seed,
            cycles: 20_000,
            gaps: 0.7,
            ready: StdRng::seed_from_u64(seed).random_range(0.5..1.0),
            flushes: 0.001,
        };
        equals_model::<M4>(&run, |_| any.event());
        equals_model::<X2>(&run, |_| any.event());
        // Of any events it makes more bits than such an output takes.
        let fewer = Run { gaps: 0.85, ..run };
        equals_model::<RBase>(&fewer, |_| any.event());
    }
}
