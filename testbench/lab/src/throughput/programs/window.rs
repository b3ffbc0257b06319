// SPDX-License-Identifier: MIT OR Apache-2.0
//! A stretch of a program through the simulated blocks: hops per cycle, and an overload. All of it is
//! measured.

use anyhow::{Context, Result, ensure};
use coretrace_abi::flow_stream::Beat;
use coretrace_abi::flow_table::Widths;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::TraceUnit;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_path::FlowPathSim;
use coretrace_test_simulate::flow_queue::placed_items;

use super::stream::WORD;

/// Bits of a site, of a frame, and of a place in the FIFO, which is a small one: it is full sooner.
const SITE_W: usize = 15;
const FRAME_W: usize = 8;
const PLACES_W: usize = 7;
/// Rows from which on the input is held back. Those of the bytes in flight have room.
const FULL: u64 = 80;
/// Cycles from a full FIFO on.
const CYCLES: u64 = 800;
/// Words of an overload.
const OVERLOAD_WORDS: usize = 300;

type Sim = FlowPathSim<SITE_W, FRAME_W, { FRAME_W + 6 }, PLACES_W, { SITE_W + 1 }, 1, 0>;

/// A stretch of a program.
pub struct Window(FlowCase);

/// What the blocks did with it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured {
    /// Taken branches per cycle out of a full FIFO.
    pub hops_per_cycle: f64,
    /// Atoms of all bytes: of those from the full FIFO on, four in every cycle, some find no room.
    pub walked: u64,
    pub skipped: u64,
    pub dropped: u64,
}

impl Window {
    /// Of a trace in a trace unit.
    ///
    /// # Errors
    /// If there is no program with these branches, or it fits into no table.
    pub fn new(trace: &BranchTrace, unit: &TraceUnit) -> Result<Window> {
        let widths = Widths::new(SITE_W as u32, FRAME_W as u32).context("widths")?;
        let case = FlowCase::of_trace(widths, trace, unit)?;
        Ok(Window(
            case.context("the stretch does not fit into the table")?,
        ))
    }

    /// Fills the FIFO and counts hops; then four bytes come in every cycle.
    ///
    /// # Errors
    /// If the FIFO is never full, an atom is neither walked, skipped nor dropped, or the stream does
    /// not say how many are dropped.
    pub fn measure(&self) -> Result<Measured> {
        let Window(case) = self;
        let mut sim = Sim::new(case, 1);
        let mut words = case.bytes.chunks_exact(WORD as usize);
        let all = words.len();
        let (mut cycles, mut hops) = (0_u64, 0);
        while cycles < CYCLES {
            if sim.level() >= FULL {
                sim.cycle(&[], false);
            } else if let Some(word) = words.next() {
                sim.cycle(word, false);
            } else {
                break;
            }
            if cycles > 0 || sim.level() >= FULL {
                cycles += 1;
                hops += sim.hop("taken");
            }
        }
        ensure!(cycles > CYCLES / 4, "the FIFO is full in {cycles} cycles");
        for word in words.by_ref().take(OVERLOAD_WORDS) {
            sim.cycle(word, false);
        }
        // What comes behind them says whether the last ones were dropped.
        sim.end();
        let bytes = (all - words.len()) * WORD as usize;
        let items = placed_items(&case.source, &case.bytes[..bytes]);
        let sent: u64 = items.iter().map(|it| u64::from(it.item.atoms())).sum();
        let path = &sim.path;
        let dropped = path.dropped_atoms.val().to_u64();
        let skipped = path.skipped.val().to_u64();
        let walked = path.atoms.val().to_u64() - skipped;
        ensure!(
            walked + skipped + dropped == sent,
            "{walked} walked, {skipped} skipped and {dropped} dropped atoms are not {sent}"
        );
        let reported = sim.beats.iter().filter_map(|beat| match beat {
            Beat::Mark { atoms, .. } => Some(u64::from(atoms.dropped)),
            Beat::Site { .. } | Beat::Indirect { .. } | Beat::Hop { .. } | Beat::Cycles { .. } => {
                None
            }
        });
        let reported = reported.max().unwrap_or(0);
        ensure!(
            reported == dropped,
            "{dropped} atoms are dropped, but {reported} are reported"
        );
        Ok(Measured {
            hops_per_cycle: hops as f64 / cycles as f64,
            walked,
            skipped,
            dropped,
        })
    }
}
