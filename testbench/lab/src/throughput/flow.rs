// SPDX-License-Identifier: MIT OR Apache-2.0
//! `flow_core` and `flow_core_x2`: programs at the full rate of the port, which may be more than the walker takes.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use coretrace_abi::flow_stream::Beat;
use coretrace_abi::flow_table::Widths;
use coretrace_abi::registers::flow_csr;
use coretrace_abi::registers::{FRAME_BITS, SITE_BITS};
use coretrace_coresight::TraceId;
use coretrace_pipelines::Preset;
use coretrace_pipelines::sim::FlowCoreSim;
use coretrace_test_gen::trace_unit::{RandomProgram, TraceUnit};
use coretrace_test_gen::{Framing, Rng, frame_streams};
use coretrace_test_simulate::flow::used_words;
use coretrace_test_simulate::flow_case::FlowCase;

use super::row::words_of;
use etm4_cli::output::Output;
use etm4_cli::progress::Progress;

/// Blocks of the programs: loops of few branches, and more than a loop.
const BLOCKS: [usize; 3] = [4, 20, 100];

/// Words with which a trace begins again, at most, and cycles without a word behind each of them.
const AGAIN: usize = 64;
const PAUSE: usize = 31;

/// A table with a row for each program.
///
/// # Errors
/// If an atom is neither walked, skipped nor dropped.
pub fn flow_rows(
    preset: Preset,
    walkers: usize,
    out: &mut Output,
    rng: &mut Rng,
    bytes: usize,
) -> Result<()> {
    writeln!(
        out.text,
        "\n{:<18} {:<20} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}",
        "preset", "program", "bytes", "cycles", "B/cycle", "walked", "skipped", "dropped", "rows"
    )?;
    for blocks in BLOCKS {
        flow_row(preset.name(), walkers, out, rng, blocks, bytes)?;
    }
    Ok(())
}

fn flow_row(
    preset: &'static str,
    walkers: usize,
    out: &mut Output,
    rng: &mut Rng,
    blocks: usize,
    bytes: usize,
) -> Result<()> {
    // About four branches a byte.
    let steps = 4 * bytes as u64;
    let program = RandomProgram { blocks, steps };
    let unit = TraceUnit {
        sync_bytes: Some(4096),
        ..TraceUnit::default()
    };
    let widths = Widths::new(SITE_BITS, FRAME_BITS).context("widths")?;
    let mut case = FlowCase::of_program(widths, &program, &unit, rng)
        .with_context(|| format!("{blocks} blocks do not fit into the table"))?;
    case.bytes.truncate(bytes);
    let id = TraceId::new(0x10).expect("an ID");
    let port = frame_streams(rng, &[(id, &case.bytes[..])], &Framing::PORT);
    let words = words_of(&port);

    let mut core = FlowCoreSim::new(walkers);
    core.load(used_words(&case.table));
    core.enable(id.value(), &case.source, &case.rules);
    let mut most = 0;
    let name = format!("{blocks} blocks");
    let mut progress = Progress::new(preset, words.len() as u64);
    for (cycle, &word) in (0..).zip(&words) {
        progress.part(cycle);
        core.step(Some(word), true);
        most = most.max(core.waiting());
    }
    drain(&mut core);
    core.snapshot();
    let registers = &mut core.registers();
    let [sent, skipped, dropped] = [
        registers.atoms().count(),
        registers.skipped_atoms().count(),
        registers.dropped_atoms().count(),
    ];
    let lost = flow_csr::InterruptStatus::loss(registers.interrupt_status());
    // A loss is in the stream with the first row behind it, and there may be none: the trace begins again, slowly,
    // for each walker.
    let again = std::iter::repeat_n(&words[..words.len().min(AGAIN)], walkers);
    for &word in again.flatten() {
        core.step(Some(word), true);
        (0..PAUSE).for_each(|_| core.step(None, true));
    }
    drain(&mut core);
    let reported = core
        .beats
        .iter()
        .any(|beat| matches!(beat, Beat::Mark { atoms, .. } if atoms.dropped > 0));
    ensure!(
        dropped == 0 || lost && reported,
        "{name}: a loss is not reported"
    );
    writeln!(
        out.text,
        "{:<18} {:<20} {:>9} {:>9} {:>8.3} {:>9} {:>9} {:>9} {:>8}",
        preset,
        name,
        port.len(),
        words.len(),
        port.len() as f64 / words.len() as f64,
        sent - skipped,
        skipped,
        dropped,
        most
    )?;
    Ok(())
}

/// Steps until nothing waits for a walker, and what it has done is in the stream.
fn drain(core: &mut FlowCoreSim) {
    while core.waiting() > 0 {
        core.step(None, true);
    }
    (0..200).for_each(|_| core.step(None, true));
}
