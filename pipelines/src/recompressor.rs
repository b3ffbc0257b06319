// SPDX-License-Identifier: MIT OR Apache-2.0
//! `Recompressor`: words of a trace port in, blocks of a compressed trace of one source's program out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 32 cycles: all that waits is discarded; tables stay |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid`, `s_axis_tuser` | in | words of a trace port in continuous mode, and whether some were lost in front of one; always taken |
//! | `active`, `begins` | in | the source is decoded; for one cycle: it is from now on |
//! | `trace_id[6:0]` | in | the trace ID of the source, and of its blocks; steady |
//! | `source`, `returns`, `ete`, `rules`, `is_a32` | in | as of [`BranchPath`]; steady |
//! | `last_place[12:0]`, `most_cycles[31:0]`, `flush` | in | as of [`HistoryCompressorX2`]; the first two are steady |
//! | `page_...`, `row_...`, `exit_write`, `run_write`, `branch_write`, `calls_write`, `write_...` | in | tables, see [`BranchPath`] |
//! | `m_axis_tdata[127:0]`, `m_axis_tvalid`, `m_axis_tready`, `m_axis_tlast` | | AXI4-Stream: blocks, four words a beat, TLAST at the end of each |
//! | `loses` | out | for one cycle: the place in the program is lost |
//! | `takes`, `loses_event` | out | an event is kept, or lost, in this cycle |
//! | `is_idle` | out | no event waits behind the walk, and no block is open or on its way out |
//! | `level[8:0]`, `atoms[31:0]`, `skipped[31:0]`, `dropped_atoms[31:0]` | out | see [`BranchPath`] |
//!
//! ```text
//! port words ─▶ FrameGenerator ─▶ FrameDecoder ─▶ Demux ─▶ JumpDecoder ─▶ BranchPath ─▶ HistoryCompressor ─▶ WordPairs ─▶
//! ```
//!
//! Nothing makes the trace port wait. What the walk cannot take in time is dropped in front of it, in atoms, and the
//! next event says that the program goes on elsewhere. What the encoder cannot take in time is lost in front of it,
//! in events, and the next block says how many.
//!
//! Throughput four bytes per cycle into the decoder, and one branch per cycle out of the FIFO of 511 rows.
//! The software twin is `BranchUnit` of `coretrace-sites` in front of `BlockWriter` of `coretrace-compress`.

use crate::registers::flow::{FRAME_W, ROW_W, SITE_W};
use coretrace_hdl_compress::{HistoryCompressorX2, PAIR_BITS, PLACE_W, WordPairs};
use coretrace_hdl_coresight::{Demux, FrameDecoder, FrameGenerator};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_flow::{BELOW_FRAME_W, BITMAP_W, BranchPath, EXIT_FLAGS_W, RULES_W, RUN_W};
use rust_hdl::prelude::*;

/// Address bits of the FIFO in front of the walker.
const ROWS_W: usize = 9;
/// Address bits of the commit ring: for every speculation depth up to 255.
const RING_W: usize = 9;
/// Address bits of the FIFO in front of the encoder.
const EVENTS_W: usize = 10;
/// Bits of a word of a site of the branch table.
pub const BRANCH_W: usize = FRAME_W + BELOW_FRAME_W;

#[derive(LogicBlock, Default)]
pub struct Recompressor {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
    pub rules: Signal<In, Bus<RULES_W>>,
    pub is_a32: Signal<In, Bit>,
    pub last_place: Signal<In, Bits<PLACE_W>>,
    pub most_cycles: Signal<In, Bits<32>>,
    pub flush: Signal<In, Bit>,
    pub page_write: Signal<In, Bits<4>>,
    pub page_set: Signal<In, Bits<8>>,
    pub page_word: Signal<In, Bits<64>>,
    pub row_write: Signal<In, Bit>,
    pub row: Signal<In, Bits<ROW_W>>,
    pub row_bitmap: Signal<In, Bits<BITMAP_W>>,
    pub row_base: Signal<In, Bits<SITE_W>>,
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SITE_W>>,
    pub write_exit: Signal<In, Bits<SITE_W>>,
    pub write_flags: Signal<In, Bits<EXIT_FLAGS_W>>,
    pub write_run: Signal<In, Bits<RUN_W>>,
    pub branch_write: Signal<In, Bit>,
    pub write_branch: Signal<In, Bits<BRANCH_W>>,
    pub calls_write: Signal<In, Bit>,
    pub write_calls: Signal<In, Bits<32>>,
    pub m_axis_tdata: Signal<Out, Bus<PAIR_BITS>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    pub loses: Signal<Out, Bit>,
    pub takes: Signal<Out, Bit>,
    pub loses_event: Signal<Out, Bit>,
    pub is_idle: Signal<Out, Bit>,
    pub level: Signal<Out, Bits<ROWS_W>>,
    pub atoms: Signal<Out, Bits<32>>,
    pub skipped: Signal<Out, Bits<32>>,
    pub dropped_atoms: Signal<Out, Bits<32>>,
    frame_generator: FrameGenerator,
    frame_decoder: FrameDecoder,
    demux: Demux<1>,
    decoder: JumpDecoder<4, 2>,
    path: BranchPath<SITE_W, FRAME_W, ROW_W, BRANCH_W, ROWS_W, RING_W>,
    compressor: HistoryCompressorX2<EVENTS_W, PLACE_W>,
    pairs: WordPairs,
}

impl Logic for Recompressor {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            frame_generator,
            frame_decoder,
            demux,
            decoder,
            path,
            compressor,
            pairs
        );
        self.frame_generator.reset.next = self.reset.val();
        self.frame_generator.clear.next = false;
        self.frame_generator.s_axis_tdata.next = self.s_axis_tdata.val();
        self.frame_generator.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.frame_generator.s_axis_tuser.next = self.s_axis_tuser.val();
        self.frame_decoder.reset.next = self.reset.val();
        self.frame_decoder.s_frame_tdata.next = self.frame_generator.m_frame_tdata.val();
        self.frame_decoder.s_frame_tvalid.next = self.frame_generator.m_frame_tvalid.val();
        self.frame_decoder.s_frame_discontinuity.next =
            self.frame_generator.m_frame_discontinuity.val();
        self.demux.reset.next = self.reset.val();
        self.demux.clear.next = false;
        self.demux.ids[0].next = self.trace_id.val();
        self.demux.enables.next = self.active.val().into();
        self.demux.s_axis_tdata.next = self.frame_decoder.m_axis_tdata.val();
        self.demux.s_axis_tid.next = self.frame_decoder.m_axis_tid.val();
        self.demux.s_axis_tkeep.next = self.frame_decoder.m_axis_tkeep.val();
        self.demux.s_axis_tvalid.next = self.frame_decoder.m_axis_tvalid.val();
        self.demux.s_axis_discontinuity.next = self.frame_decoder.m_axis_discontinuity.val();
        self.decoder.reset.next = !self.active.val();
        self.decoder.settings.next = self.source.val();
        self.decoder.s_valid.next = self.demux.m_axis_tvalid[0].val();
        self.decoder.s_discontinuity.next = self.demux.m_axis_discontinuity[0].val();

        self.path.reset.next = self.reset.val();
        self.path.source.next = self.source.val();
        self.path.returns.next = self.returns.val();
        self.path.ete.next = self.ete.val();
        self.path.rules.next = self.rules.val();
        self.path.is_a32.next = self.is_a32.val();
        // A source that begins does not go on where the one before was.
        self.path.s_valid.next = self.decoder.m_valid.val() | self.begins.val();
        self.path.s_discontinuity.next = self.decoder.m_discontinuity.val() | self.begins.val();
        self.path.s_pending.next = self.decoder.m_pending.val();
        for i in 0..4 {
            self.decoder.s_octet[i].next = self.demux.m_axis_tdata[0].val().get_bits::<8>(8 * i);
            self.decoder.s_keep[i].next = self.demux.m_axis_tkeep[0].val().get_bit(i);
            self.path.s_keep[i].next = self.decoder.m_keep[i].val() & self.decoder.m_valid.val();
            self.path.s_lane[i].next = self.decoder.m_lane[i].val();
        }
        for i in 0..2 {
            self.path.s_pair[i].next = self.decoder.m_pair[i].val();
        }
        self.path.page_write.next = self.page_write.val();
        self.path.page_set.next = self.page_set.val();
        self.path.page_word.next = self.page_word.val();
        self.path.row_write.next = self.row_write.val();
        self.path.row.next = self.row.val();
        self.path.row_bitmap.next = self.row_bitmap.val();
        self.path.row_base.next = self.row_base.val();
        self.path.exit_write.next = self.exit_write.val();
        self.path.run_write.next = self.run_write.val();
        self.path.write_site.next = self.write_site.val();
        self.path.write_exit.next = self.write_exit.val();
        self.path.write_flags.next = self.write_flags.val();
        self.path.write_run.next = self.write_run.val();
        self.path.branch_write.next = self.branch_write.val();
        self.path.write_branch.next = self.write_branch.val();
        self.path.calls_write.next = self.calls_write.val();
        self.path.write_calls.next = self.write_calls.val();
        self.loses.next = self.path.loses.val();
        self.level.next = self.path.level.val();
        self.atoms.next = self.path.atoms.val();
        self.skipped.next = self.path.skipped.val();
        self.dropped_atoms.next = self.path.dropped_atoms.val();

        self.compressor.reset.next = self.reset.val();
        self.compressor.trace_id.next = self.trace_id.val();
        self.compressor.is_a32.next = self.is_a32.val();
        self.compressor.last_place.next = self.last_place.val();
        self.compressor.most_cycles.next = self.most_cycles.val();
        self.compressor.flush.next = self.flush.val();
        self.compressor.event_valid.next = self.path.branch_valid.val();
        self.compressor.begins.next = self.path.begins.val();
        self.compressor.pc.next = self.path.pc.val();
        self.compressor.next_pc.next = self.path.next_pc.val();
        self.compressor.kind.next = self.path.kind.val();
        self.compressor.taken.next = self.path.taken_branch.val();
        self.compressor.is_discontinuity.next = self.path.is_discontinuity.val();
        self.compressor.instructions.next = self.path.instructions.val();
        self.takes.next = self.compressor.takes.val();
        self.loses_event.next = self.compressor.loses.val();
        self.is_idle.next = self.compressor.is_idle.val();

        self.pairs.reset.next = self.reset.val();
        self.pairs.s_axis_tdata.next = self.compressor.m_axis_tdata.val();
        self.pairs.s_axis_tvalid.next = self.compressor.m_axis_tvalid.val();
        self.compressor.m_axis_tready.next = self.pairs.s_axis_tready.val();
        self.pairs.s_axis_tlast.next = self.compressor.m_axis_tlast.val();
        self.m_axis_tdata.next = self.pairs.m_axis_tdata.val();
        self.m_axis_tvalid.next = self.pairs.m_axis_tvalid.val();
        self.pairs.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axis_tlast.next = self.pairs.m_axis_tlast.val();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_hdl_verilog::verilog;

    #[test]
    fn its_verilog_has_no_finding() {
        let text = verilog(Recompressor::default(), "recompressor").expect("no finding");
        assert!(text.contains("module recompressor"));
    }
}
