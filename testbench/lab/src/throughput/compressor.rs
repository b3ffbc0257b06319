// SPDX-License-Identifier: MIT OR Apache-2.0
//! `trace_compressor` and its variants: what is kept and lost at which rate of events.

use std::fmt::Write;
use std::path::Path;

use anyhow::{Result, ensure};
use coretrace_abi::compressed::block::{SIZES, Trailer};
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::branch_beat::BranchBeat;
use coretrace_pipelines::Preset;
use coretrace_pipelines::sim::CompressorSim;
use coretrace_test_gen::Rng;
use coretrace_test_gen::btr::files::{WORKLOADS, name, read, traces};
use coretrace_test_gen::trace_unit::RandomProgram;
use rand::RngExt;

use etm4_cli::output::Output;
use etm4_cli::progress::Progress;

/// Cycles of four in which an event comes.
const RATES: [usize; 4] = [1, 2, 3, 4];
/// Where all events of the worst cases are.
const PLACE: u64 = 0x40_1000;

/// A table with a row for each program and rate.
///
/// # Errors
/// If a file is no branch trace, or an event is neither kept nor counted as lost.
pub fn compressor_rows(
    preset: Preset,
    out: &mut Output,
    rng: &mut Rng,
    events: usize,
) -> Result<()> {
    writeln!(
        out.text,
        "\n{:<20} {:<24} {:>9} {:>9} {:>9} {:>9} {:>8} {:>9}",
        "preset", "program", "ev/cycle", "events", "kept", "lost", "waiting", "bit/event"
    )?;
    for (program, events) in programs(rng, events)? {
        for rate in RATES {
            row(preset, out, &program, rate, &events)?;
            out.flush();
        }
    }
    Ok(())
}

/// Worst cases, and the first events of branch traces if there are any.
fn programs(rng: &mut Rng, count: usize) -> Result<Vec<(String, Vec<Event>)>> {
    let conditions = (0..count).map(|_| condition(rng)).collect();
    let targets = (0..count).map(|_| new_target(rng)).collect();
    let steps = count as u64;
    let random = RandomProgram { blocks: 40, steps }.trace(rng);
    let mut programs = vec![
        ("any outcomes".to_owned(), conditions),
        ("new targets".to_owned(), targets),
        ("40 blocks".to_owned(), random.events().collect()),
    ];
    if Path::new(WORKLOADS).is_dir() {
        for file in traces(Path::new(WORKLOADS))? {
            let events = read(&file)?.events().take(count).collect();
            programs.push((name(&file), events));
        }
    }
    Ok(programs)
}

/// A conditional branch that nothing predicts.
fn condition(rng: &mut Rng) -> Event {
    branch(BranchKind::CONDITIONAL, rng.random(), PLACE)
}

/// A branch to where none led before.
fn new_target(rng: &mut Rng) -> Event {
    branch(BranchKind::INDIRECT, true, rng.random::<u64>() & !3)
}

fn branch(kind: BranchKind, taken: bool, next: u64) -> Event {
    Event::Branch(Branch {
        address: PLACE,
        kind,
        taken,
        next,
        instructions: 1,
    })
}

fn row(
    preset: Preset,
    out: &mut Output,
    program: &str,
    rate: usize,
    events: &[Event],
) -> Result<()> {
    let [most_cycles, gaps] = [*RATES.last().expect("rates"), RATES.len() - rate];
    let [_, size, _] = SIZES;
    let mut core = CompressorSim::new(preset);
    core.enable(0x10, false, size, 0);
    core.step(
        Some(&BranchBeat::Begin {
            next: PLACE,
            lost: 0,
        }),
        true,
    );
    core.idle(600);
    let mut progress = Progress::new(preset.name(), events.len() as u64);
    for (number, event) in (0..).zip(events) {
        progress.part(number);
        core.step(Some(&BranchBeat::Event(*event)), true);
        // Gaps are spread over the events in front of which they come.
        let before = number as usize * gaps / rate;
        core.idle((number as usize + 1) * gaps / rate - before);
    }
    let waited = core.register("MOST_WAITING");
    core.disable();
    let [kept, lost] = ["EVENTS", "LOST_EVENTS"].map(|name| core.register(name) as usize);
    ensure!(
        kept + lost == events.len(),
        "{program}: {kept} and {lost} are not {} events",
        events.len()
    );
    ensure!(
        core.registers().interrupt_status().loss() == (lost > 0),
        "{program}: a loss is not reported"
    );
    writeln!(
        out.text,
        "{:<20} {:<24} {:>9.2} {:>9} {:>9} {:>9} {:>8} {:>9.3}",
        preset.name(),
        program,
        rate as f64 / most_cycles as f64,
        events.len(),
        kept,
        lost,
        waited,
        bits(&core, size) as f64 / kept as f64
    )?;
    Ok(())
}

/// Bits of records in all blocks: the last word but one of each.
fn bits(core: &CompressorSim, size: usize) -> u64 {
    let blocks = core.memory.chunks_exact(size);
    let word = |block: &[u8]| {
        let place = block.len() - 8;
        u32::from_le_bytes([0, 1, 2, 3].map(|byte| block[place + byte]))
    };
    let bits = blocks.map(|block| Trailer::of_word(word(block)).bits);
    bits.map(u64::from).sum()
}
