// SPDX-License-Identifier: MIT OR Apache-2.0
//! `WalkLane`: segments in, what there is to count and to report out: a walker without its tables.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the place in the program is not known, counts begin again |
//! | `returns`, `ete` | in | of the trace unit, see [`Walker`]; steady |
//! | `segment_valid`, `segment`, `segment_ready`, `pause`, `holds` | | see [`Serializer`] |
//! | `exit_...`, `flags[6:0]`, `run_...`, `aims`, `aim[SW-1:0]` | | tables, see [`Walker`] |
//! | `hop`, `hop_at[SW-1:0]`, ..., `indirect`, `counted`, `has_newest`, `newest[SW-1:0]`, `atoms[31:0]`, `skipped[31:0]` | out | see [`WalkReport`] |
//!
//! ```text
//! segment ─▶ Serializer ─▶ Walker ─▶ WalkReport ─▶ hop
//! ```
//!
//! Latency 7 cycles. Throughput one E per cycle.

use super::item::RUN_W;
use super::segment::SEGMENT_W;
use super::walk_report::{HOP_W, INDIRECT_W};
use super::walker::FLAGS_W;
use super::{Serializer, WalkReport, Walker};
use coretrace_hdl_dataflow::Bus;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct WalkLane<const SW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub segment_valid: Signal<In, Bit>,
    pub segment: Signal<In, Bus<SEGMENT_W>>,
    pub segment_ready: Signal<Out, Bit>,
    pub pause: Signal<In, Bit>,
    pub holds: Signal<In, Bit>,
    pub exit_site: Signal<Out, Bits<SW>>,
    pub exit_read: Signal<Out, Bit>,
    pub exit: Signal<In, Bits<SW>>,
    pub flags: Signal<In, Bits<FLAGS_W>>,
    pub run_site: Signal<Out, Bits<SW>>,
    pub run_word: Signal<In, Bits<RUN_W>>,
    pub aims: Signal<In, Bit>,
    pub aim: Signal<In, Bits<SW>>,
    pub hop: Signal<Out, Bus<HOP_W>>,
    pub hop_at: Signal<Out, Bits<SW>>,
    pub hop_base: Signal<Out, Bits<SW>>,
    pub hop_left_at: Signal<Out, Bits<SW>>,
    pub hop_ended_at: Signal<Out, Bits<SW>>,
    pub indirect: Signal<Out, Bus<INDIRECT_W>>,
    pub counted: Signal<Out, Bit>,
    pub has_newest: Signal<Out, Bit>,
    pub newest: Signal<Out, Bits<SW>>,
    pub atoms: Signal<Out, Bits<32>>,
    pub skipped: Signal<Out, Bits<32>>,
    serializer: Serializer<SW>,
    walker: Walker<SW>,
    report: WalkReport<SW, 1>,
}

impl<const SW: usize> Logic for WalkLane<SW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, serializer, walker, report);
        self.serializer.reset.next = self.reset.val();
        self.serializer.segment_valid.next = self.segment_valid.val();
        self.serializer.segment.next = self.segment.val();
        self.segment_ready.next = self.serializer.segment_ready.val();
        self.serializer.pause.next = self.pause.val();
        self.serializer.holds.next = self.holds.val();

        self.walker.reset.next = self.reset.val();
        self.walker.returns.next = self.returns.val();
        self.walker.ete.next = self.ete.val();
        self.walker.token_valid.next = self.serializer.token_valid.val();
        self.walker.token.next = self.serializer.token.val();
        self.walker.has_site.next = self.serializer.has_site.val();
        self.walker.site.next = self.serializer.site.val();
        self.walker.end_site.next = self.serializer.end_site.val();
        self.exit_site.next = self.walker.exit_site.val();
        self.exit_read.next = self.walker.exit_read.val();
        self.walker.exit.next = self.exit.val();
        self.walker.flags.next = self.flags.val();
        self.run_site.next = self.walker.run_site.val();
        self.walker.run_word.next = self.run_word.val();
        self.walker.aims.next = self.aims.val();
        self.walker.aim.next = self.aim.val();

        self.report.reset.next = self.reset.val();
        self.report.step.next = self.walker.step.val();
        self.report.passes.next = self.walker.passes.val();
        self.report.goes_back.next = self.walker.goes_back.val();
        self.report.run_fails.next = self.walker.run_fails.val();
        self.report.run.next = self.walker.run.val();
        self.report.run_damaged.next = self.walker.run_damaged.val();
        self.report.trigger_at.next = self.walker.trigger_at.val();
        self.report.trigger_behind.next = self.walker.trigger_behind.val();
        self.report.is_end.next = self.walker.is_end.val();
        self.report.exit_damaged.next = self.walker.exit_damaged.val();
        self.report.reached.next = self.walker.reached.val();
        self.report.at.next = self.walker.at.val();
        self.report.base.next = self.walker.base.val();
        self.report.left_at.next = self.walker.left_at.val();
        self.hop.next = self.report.hop.val();
        self.hop_at.next = self.report.hop_at.val();
        self.hop_base.next = self.report.hop_base.val();
        self.hop_left_at.next = self.report.hop_left_at.val();
        self.hop_ended_at.next = self.report.hop_ended_at.val();
        self.indirect.next = self.report.indirect.val();
        self.counted.next = self.report.counted.val();
        self.has_newest.next = self.report.has_newest.val();
        self.newest.next = self.report.newest.val();
        self.atoms.next = self.report.atoms.val();
        self.skipped.next = self.report.skipped.val();
    }
}
