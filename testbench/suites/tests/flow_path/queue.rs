// SPDX-License-Identifier: MIT OR Apache-2.0
//! The model of the queues has the rows and the hops of the hardware in each cycle.

use crate::{Hardware, program};
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{Interrupts, TraceUnit};
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_queue::{FlowQueue, QueueItem, Served, placed_items};
use coretrace_test_support::in_parallel;
use rand::RngExt;

/// Cycles of a run.
const CYCLES: usize = 1000;

/// Rows that wait behind each cycle, and what the walker did in it.
#[derive(Default)]
struct Run {
    levels: Vec<u64>,
    served: Vec<Served>,
    dropped: u64,
}

/// A list from the first entry on that is not the first one.
fn from_first_change<T: PartialEq>(list: &[T]) -> &[T] {
    let change = list.iter().position(|entry| *entry != list[0]);
    &list[change.unwrap_or(list.len())..]
}

fn hardware<const A: usize>(case: &FlowCase, words: &[Option<&[u8]>]) -> Run {
    let mut hardware = Hardware::<A, 1, 0>::new(case, 1);
    let mut run = Run::default();
    for word in words {
        hardware.cycle(word.unwrap_or_default(), false);
        run.levels.push(hardware.level());
        run.served
            .push(match (hardware.hop("valid"), hardware.hop("taken")) {
                (0, _) => Served::Nothing,
                (_, 0) => Served::NotTaken,
                _ => Served::Taken,
            });
    }
    run.dropped = hardware.path.dropped_atoms.val().to_u64();
    run
}

fn model<const A: usize>(case: &FlowCase, words: &[Option<&[u8]>]) -> Run {
    let mut items = placed_items(&case.source, &case.bytes)
        .into_iter()
        .peekable();
    let mut queue = FlowQueue::new(A as u32);
    let mut run = Run::default();
    let mut bytes = 0;
    for word in words {
        bytes += word.map_or(0, <[u8]>::len) as u64;
        let row = std::iter::from_fn(|| items.next_if(|placed| placed.byte < bytes));
        let row: Vec<QueueItem> = row.map(|placed| placed.item).collect();
        run.served.push(queue.cycle(&row));
        run.levels.push(queue.level() as u64);
    }
    run.dropped = queue.dropped_atoms();
    run
}

/// Compares a random program under these settings, with a word in so many of 100 cycles. Returns the most
/// rows that waited, and the atoms that were dropped.
fn compare<const A: usize>(seed: u64, unit: &TraceUnit, percent: u32) -> (u64, u64) {
    let case = program(seed, 8 << (seed % 3), 60_000, unit);
    let mut rng = rng(seed);
    let mut bytes = case.bytes.chunks_exact(4);
    let mut words = Vec::new();
    for _ in 0..CYCLES {
        let comes = rng.random_ratio(percent, 100);
        words.push(comes.then(|| bytes.next()).flatten());
    }
    // What has come in reaches the walker.
    words.extend([None; 60]);

    let name = format!("seed {seed}, {percent} %, {unit:?}");
    let want = hardware::<A>(&case, &words);
    let got = model::<A>(&case, &words);
    let same = |got: &[u64], want: &[u64], what: &str| {
        let (got, want) = (from_first_change(got), from_first_change(want));
        let pairs = got.iter().zip(want);
        let differ = pairs.clone().position(|(got, want)| got != want);
        assert_eq!(differ, None, "{name}: {what}, {got:?}\n{want:?}");
        assert!(pairs.len() > CYCLES / 2, "{name}: {what}");
    };
    same(&got.levels, &want.levels, "rows");
    let hops = |run: &Run| -> Vec<u64> {
        let is_dropped = want.dropped > 0;
        let hop = |served: &Served| match served {
            Served::Nothing => 0,
            // Behind a loss an E is skipped, and is no hop of the walk.
            Served::Taken if !is_dropped => 2,
            _ => 1,
        };
        run.served.iter().map(hop).collect()
    };
    same(&hops(&got), &hops(&want), "hops");
    assert_eq!(got.dropped, want.dropped, "{name}");
    let most = want.levels.iter().copied().max().unwrap_or(0);
    (most, want.dropped)
}

/// Trace units whose streams load the blocks in different ways.
fn units() -> [TraceUnit; 5] {
    let off = TraceUnit {
        sync_bytes: Some(300),
        ..TraceUnit::default()
    };
    let stack = TraceUnit {
        return_stack: 15,
        ..off.clone()
    };
    let broadcast = TraceUnit {
        broadcast: true,
        ..off.clone()
    };
    let interrupted = TraceUnit {
        interrupts: Interrupts::Every(100),
        traces_handler: true,
        ..stack.clone()
    };
    let timed = TraceUnit {
        cycle_threshold: Some(4),
        ..stack.clone()
    };
    [off, stack, broadcast, interrupted, timed]
}

#[test]
#[ignore = "nightly: large FIFOs, and the gate has small ones"]
fn the_queues_have_the_rows_and_the_hops_of_the_model() {
    let runs = in_parallel([0, 1], |half| {
        let units = units().into_iter().zip(0..).skip(half).step_by(2);
        units
            .flat_map(|(unit, seed)| [40, 100].map(|percent| compare::<9>(seed, &unit, percent)))
            .collect::<Vec<_>>()
    });
    let runs: Vec<_> = runs.into_iter().flatten().collect();
    let full = runs.iter().filter(|(most, _)| *most > 400).count();
    assert!(full >= 3, "{runs:?}");
}

#[test]
fn a_full_fifo_drops_the_rows_of_the_model() {
    let runs = in_parallel([0, 1], |half| {
        let units = units().into_iter().zip(10..).skip(half).step_by(2);
        units
            .map(|(unit, seed)| compare::<4>(seed, &unit, 80))
            .collect::<Vec<_>>()
    });
    for (most, dropped) in runs.into_iter().flatten() {
        assert!(most == 15 && dropped > 100, "{most} {dropped}");
    }
}
