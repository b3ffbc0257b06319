// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4_recompressor`: programs at the full rate of the port, which may be more than its walker and its encoder take.

use std::fmt::Write;

use anyhow::{Result, ensure};
use coretrace_abi::compressed::block::SIZES;
use coretrace_abi::registers::BlockOptions;
use coretrace_coresight::TraceId;
use coretrace_pipelines::Preset;
use coretrace_pipelines::sim::RecompressorSim;
use coretrace_test_gen::{Framing, frame_streams, rng};
use coretrace_test_simulate::branch_case::BranchCase;

use super::row::words_of;
use etm4_cli::output::Output;
use etm4_cli::progress::Progress;

/// Blocks of the programs: loops of few branches, and more than a loop.
const BLOCKS: [usize; 3] = [4, 20, 100];

/// A table with a row for each program.
///
/// # Errors
/// If a loss is not reported.
pub fn recompressor_rows(out: &mut Output, bytes: usize) -> Result<()> {
    writeln!(
        out.text,
        "\n{:<18} {:<20} {:>9} {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}",
        "preset", "program", "bytes", "cycles", "B/cycle", "kept", "lost", "dropped", "rows"
    )?;
    BLOCKS
        .iter()
        .try_for_each(|&blocks| row(out, blocks, bytes))
}

fn row(out: &mut Output, blocks: usize, bytes: usize) -> Result<()> {
    // About four branches a byte.
    let mut case = BranchCase::of_a64(blocks, 4 * bytes as u64);
    case.bytes.truncate(bytes);
    let id = TraceId::new(0x10).expect("an ID");
    let port = frame_streams(&mut rng(1), &[(id, &case.bytes[..])], &Framing::PORT);
    let words = words_of(&port);
    let preset = Preset::Recompressor.name();
    let options = BlockOptions {
        is_a32: false,
        bytes: SIZES[1],
        time_out: 0,
    };
    let mut core = RecompressorSim::default();
    core.load(case.words());
    core.enable(id.value(), &case.source, &case.rules, &options);
    let mut most = 0;
    let name = format!("{blocks} blocks");
    let mut progress = Progress::new(preset, words.len() as u64);
    for (cycle, &word) in (0..).zip(&words) {
        progress.part(cycle);
        core.step(Some(word), true);
        most = most.max(core.waiting());
    }
    core.idle(100);
    core.disable();
    let [kept, lost, dropped] =
        ["EVENTS", "LOST_EVENTS", "DROPPED_ATOMS"].map(|name| core.register(name));
    ensure!(
        core.registers().interrupt_status().loss() || lost + dropped == 0,
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
        kept,
        lost,
        dropped,
        most
    )?;
    Ok(())
}
