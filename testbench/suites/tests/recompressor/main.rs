// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_recompressor`: a trace port in, blocks of a compressed trace out. The blocks are those of the models, and a
//! reader that has the memory of the program finds in them what was executed.
//!
//! | module | what it holds |
//! |---|---|
//! | `model` | what the models say of the trace of a program |
//! | `hardware` | how the core is driven |
//! | `stretches` | what was executed |
//! | `life` | sources that are enabled again, resets, registers and interrupts |
//! | `losses` | what is lost is reported, and what comes behind it is right |

mod hardware;
mod life;
mod losses;
mod model;
mod stretches;

use coretrace_test_gen::trace_unit::{RandomProgram, TracedRange, random_unit};
use coretrace_test_gen::{GoldenStream, rng, rounds};
use coretrace_test_simulate::branch_case::BranchCase;
use coretrace_test_support::{in_parallel, shared_dir};
use hardware::{TRACE_ID, follow, started};
use model::{code, is_sent};
use rand::RngExt;
use std::collections::BTreeMap;
use stretches::Stretches;

/// Demands that the blocks of a trace are those of the models, and returns them with the number of their events.
fn compare(case: &BranchCase, name: &str) -> (Vec<u8>, usize) {
    let mut core = started(case);
    follow(&mut core, case, TRACE_ID);
    for lost in ["LOST_EVENTS", "DROPPED_ATOMS", "LOST_WORDS"] {
        assert_eq!(core.register(lost), 0, "{name}, {lost}");
    }
    let events = is_sent(&core.memory, case, TRACE_ID, name);
    assert_eq!(core.register("EVENTS"), events as u32, "{name}");
    (core.memory, events)
}

/// The streams of real programs.
fn golden_streams() -> Option<Vec<GoldenStream>> {
    Some(GoldenStream::all(&shared_dir()?.join("workloads/own")).expect("streams"))
}

/// Compares streams of real programs with their walks.
fn compare_golden(streams: &[&GoldenStream]) {
    let threads = 2;
    in_parallel(0..threads, |first| {
        for stream in streams.iter().skip(first).step_by(threads) {
            let case = BranchCase::golden(stream);
            let (memory, events) = compare(&case, &stream.name);
            let walk = Stretches::of_walk(&stream.ranges().expect("ranges"));
            Stretches::of_blocks(&memory, &code(&case)).check(&walk, 2, &stream.name);
            println!("{}: {events} events, {} bytes", stream.name, memory.len());
        }
    });
}

#[test]
fn blocks_of_real_programs_have_what_was_executed() {
    let Some(streams) = golden_streams() else {
        return;
    };
    let names = rounds(&["fft.a32.irq"][..], &["adpcm.a64.retstack", "fft.a32.irq"]);
    let chosen = streams
        .iter()
        .filter(|stream| names.contains(&&*stream.name));
    let chosen: Vec<&GoldenStream> = chosen.collect();
    assert_eq!(chosen.len(), names.len());
    compare_golden(&chosen);
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn blocks_of_each_program_have_what_was_executed() {
    let Some(streams) = golden_streams() else {
        return;
    };
    // The others have the same branches.
    let kinds = ["retstack", "mixed", "irq", "irq_kernel", "irq_kernel_bb"];
    let mut programs: BTreeMap<&str, Vec<&GoldenStream>> = BTreeMap::new();
    for stream in &streams {
        if let Some((program, kind)) = stream.name.rsplit_once('.')
            && kinds.contains(&kind)
        {
            programs.entry(program).or_default().push(stream);
        }
    }
    // Programs of A32 and of A64 take turns; every kind has its turn in both.
    let programs = programs.values().enumerate();
    let chosen = programs.map(|(number, streams)| streams[number / 2 % streams.len()]);
    let chosen: Vec<&GoldenStream> = chosen.collect();
    assert!(chosen.len() > 1, "only {} streams", chosen.len());
    compare_golden(&chosen);
}

#[test]
fn blocks_of_random_programs_have_what_was_executed() {
    let mut all = 0;
    for seed in 0..rounds(3, 60) {
        let mut random = rng(seed);
        let program = RandomProgram {
            blocks: 2 << random.random_range(0..6),
            steps: 300,
        };
        let unit = random_unit(&mut random, seed);
        let mut ranges: Vec<TracedRange> = Vec::new();
        let Some(case) = BranchCase::random(&program, &unit, &mut random, &mut ranges) else {
            continue;
        };
        let name = format!("seed {seed}");
        let (memory, events) = compare(&case, &name);
        if events > 0 {
            let mut executed = Stretches::default();
            for range in &ranges {
                executed.add(range.start, range.end);
            }
            // What a trace unit may still take back at the end is not followed.
            let speculative = unit.speculation.map_or(0, |it| it.max_spec as usize);
            Stretches::of_blocks(&memory, &code(&case)).check(&executed, 2 + speculative, &name);
        }
        all += events;
    }
    assert!(all > rounds(400, 1000), "only {all} events");
}
