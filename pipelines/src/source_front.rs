// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SourceFront`: words of a trace port in, results of one source out, and what a core counts on the way.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `clear` | in | all counts begin again |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid`, `s_axis_tuser` | in | words of a trace port in continuous mode, and whether some were lost in front of one; always taken |
//! | `active`, `begins` | in | the source is decoded; for one cycle: it is from now on, see [`SourceSwitch`](crate::SourceSwitch) |
//! | `trace_id[6:0]`, `source` | in | of the source; steady |
//! | `m_valid`, `m_discontinuity`, `m_pending[31:0]`, `m_keep[4]`, `m_lane[4]`, `m_pair[2]` | out | results, see [`JumpDecoder`]; a source that begins has a discontinuity |
//! | `loses` | out | for one cycle: words of the port or frames were lost |
//! | `in_sync` | out | the port is synchronised to frames |
//! | `frames[31:0]`, `sync_losses[31:0]`, `sync_acquisitions[31:0]`, `null_drops[31:0]`, `reserved_drops[31:0]`, `unclaimed_drops[31:0]`, `bytes[31:0]`, `losses[31:0]` | out | saturating counts, as of the registers |
//!
//! ```text
//! words ─▶ FrameGenerator ─▶ FrameDecoder ─▶ Demux ─▶ JumpDecoder ─▶
//! ```
//!
//! Throughput four bytes per cycle.

use coretrace_hdl_coresight::{Demux, FrameDecoder, FrameGenerator};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_etm::SOURCE_SETTINGS_W;
use coretrace_hdl_etm::jump::JumpDecoder;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_parts::stream::SaturatingCounter;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct SourceFront {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub clear: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub active: Signal<In, Bit>,
    pub begins: Signal<In, Bit>,
    pub trace_id: Signal<In, Bits<7>>,
    pub source: Signal<In, Bus<SOURCE_SETTINGS_W>>,
    pub m_valid: Signal<Out, Bit>,
    pub m_discontinuity: Signal<Out, Bit>,
    pub m_pending: Signal<Out, Bits<32>>,
    pub m_keep: [Signal<Out, Bit>; 4],
    pub m_lane: [Signal<Out, Bus<LANE_RESULT_W>>; 4],
    pub m_pair: [Signal<Out, Bus<PAIR_RESULT_W>>; 2],
    pub loses: Signal<Out, Bit>,
    pub in_sync: Signal<Out, Bit>,
    pub frames: Signal<Out, Bits<32>>,
    pub sync_losses: Signal<Out, Bits<32>>,
    pub sync_acquisitions: Signal<Out, Bits<32>>,
    pub null_drops: Signal<Out, Bits<32>>,
    pub reserved_drops: Signal<Out, Bits<32>>,
    pub unclaimed_drops: Signal<Out, Bits<32>>,
    pub bytes: Signal<Out, Bits<32>>,
    pub losses: Signal<Out, Bits<32>>,
    frame_generator: FrameGenerator,
    frame_decoder: FrameDecoder,
    demux: Demux<1>,
    decoder: JumpDecoder<4, 2>,
    keep_s1: DFF<Bits<4>>,
    frame_count: SaturatingCounter,
    byte_count: SaturatingCounter,
    loss_count: SaturatingCounter,
    frame_loss: Signal<Local, Bit>,
}

impl Logic for SourceFront {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(
            self,
            clock,
            frame_generator,
            frame_decoder,
            demux,
            decoder,
            frame_count,
            byte_count,
            loss_count
        );
        self.keep_s1.clock.next = self.clock.val();
        self.frame_generator.reset.next = self.reset.val();
        self.frame_generator.clear.next = self.clear.val();
        self.frame_generator.s_axis_tdata.next = self.s_axis_tdata.val();
        self.frame_generator.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.frame_generator.s_axis_tuser.next = self.s_axis_tuser.val();
        self.frame_decoder.reset.next = self.reset.val();
        self.frame_decoder.s_frame_tdata.next = self.frame_generator.m_frame_tdata.val();
        self.frame_decoder.s_frame_tvalid.next = self.frame_generator.m_frame_tvalid.val();
        self.frame_decoder.s_frame_discontinuity.next =
            self.frame_generator.m_frame_discontinuity.val();
        self.demux.reset.next = self.reset.val();
        self.demux.clear.next = self.clear.val();
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

        // A source that begins does not go on where the one before was.
        self.m_valid.next = self.decoder.m_valid.val() | self.begins.val();
        self.m_discontinuity.next = self.decoder.m_discontinuity.val() | self.begins.val();
        self.m_pending.next = self.decoder.m_pending.val();
        for i in 0..4 {
            self.decoder.s_octet[i].next = self.demux.m_axis_tdata[0].val().get_bits::<8>(8 * i);
            self.decoder.s_keep[i].next = self.demux.m_axis_tkeep[0].val().get_bit(i);
            self.m_keep[i].next = self.decoder.m_keep[i].val() & self.decoder.m_valid.val();
            self.m_lane[i].next = self.decoder.m_lane[i].val();
        }
        for i in 0..2 {
            self.m_pair[i].next = self.decoder.m_pair[i].val();
        }

        self.keep_s1.d.next = 0.into();
        if self.demux.m_axis_tvalid[0].val() {
            self.keep_s1.d.next = self.demux.m_axis_tkeep[0].val();
        }
        // The next word reports lost words, the next frame lost frames.
        self.frame_loss.next =
            self.demux.m_axis_tvalid[0].val() & self.demux.m_axis_discontinuity[0].val();
        self.loses.next =
            (self.s_axis_tvalid.val() & self.s_axis_tuser.val()) | self.frame_loss.val();
        self.frame_count.reset.next = self.reset.val();
        self.frame_count.clear.next = self.clear.val();
        self.frame_count.amount.next = bits::<3>(0) + self.frame_generator.m_frame_tvalid.val();
        self.byte_count.reset.next = self.reset.val();
        self.byte_count.clear.next = self.clear.val();
        self.byte_count.amount.next = bits::<3>(0)
            + self.keep_s1.q.val().get_bit(0)
            + self.keep_s1.q.val().get_bit(1)
            + self.keep_s1.q.val().get_bit(2)
            + self.keep_s1.q.val().get_bit(3);
        self.loss_count.reset.next = self.reset.val();
        self.loss_count.clear.next = self.clear.val();
        self.loss_count.amount.next = bits::<3>(0) + self.frame_loss.val();
        self.in_sync.next = self.frame_generator.in_sync.val();
        self.frames.next = self.frame_count.count.val();
        self.sync_losses.next = self.frame_generator.sync_losses.val();
        self.sync_acquisitions.next = self.frame_generator.sync_acquisitions.val();
        self.null_drops.next = self.demux.null_drops.val();
        self.reserved_drops.next = self.demux.reserved_drops.val();
        self.unclaimed_drops.next = self.demux.unclaimed_drops.val();
        self.bytes.next = self.byte_count.count.val();
        self.losses.next = self.loss_count.count.val();
    }
}
