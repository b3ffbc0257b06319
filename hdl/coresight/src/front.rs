// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TpiuFront`: trace port to the bytes of four sources.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_axis_tdata[31:0]`, `s_axis_tvalid` | in | a word of the trace port in continuous mode; always taken |
//! | `s_axis_tuser` | in | with a word: words were lost before it |
//! | `enables[3:0]`, `ids[4]` | in | which sources to pass on, and their trace IDs |
//! | `m_axis_tdata[4]`, `m_axis_tkeep[4]`, `m_axis_tvalid[4]`, `m_axis_tuser[4]` | out | bytes of each source; `tuser`: bytes were lost before them |
//! | `m_axis_place[31:0]` | out | place of the row in the port, see [`RowPlace`]; the same for all sources |
//! | `sts_in_sync`, `sts_sync_losses`, `sts_sync_acquisitions` | out | of the frame generator |
//! | `sts_null_drops`, `sts_reserved_drops`, `sts_unclaimed_drops` | out | of the demux |
//!
//! Throughput one word per cycle on any input; nothing can make it wait.

use crate::{Demux, FrameDecoder, FrameGenerator, RowPlace};
use rust_hdl::prelude::*;

/// Sources that can be decoded at a time.
pub const SOURCES: usize = 4;

/// Trace port to bytes of sources; see the module text.
#[derive(LogicBlock, Default)]
pub struct TpiuFront {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<32>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tuser: Signal<In, Bit>,
    pub enables: Signal<In, Bits<4>>,
    pub ids: [Signal<In, Bits<7>>; 4],
    pub m_axis_tdata: [Signal<Out, Bits<32>>; 4],
    pub m_axis_tkeep: [Signal<Out, Bits<4>>; 4],
    pub m_axis_tvalid: [Signal<Out, Bit>; 4],
    pub m_axis_tuser: [Signal<Out, Bit>; 4],
    pub m_axis_place: Signal<Out, Bits<32>>,
    pub sts_in_sync: Signal<Out, Bit>,
    pub sts_sync_losses: Signal<Out, Bits<32>>,
    pub sts_sync_acquisitions: Signal<Out, Bits<32>>,
    pub sts_null_drops: Signal<Out, Bits<32>>,
    pub sts_reserved_drops: Signal<Out, Bits<32>>,
    pub sts_unclaimed_drops: Signal<Out, Bits<32>>,
    frame_generator: FrameGenerator,
    frame_decoder: FrameDecoder,
    demux: Demux<4>,
    row_place: RowPlace,
}

impl Logic for TpiuFront {
    #[hdl_gen]
    fn update(&mut self) {
        self.frame_generator.clock.next = self.clock.val();
        self.frame_generator.reset.next = self.reset.val();
        self.frame_generator.s_axis_tdata.next = self.s_axis_tdata.val();
        self.frame_generator.s_axis_tvalid.next = self.s_axis_tvalid.val();
        self.frame_generator.s_axis_tuser.next = self.s_axis_tuser.val();
        self.frame_generator.clear.next = false;
        self.sts_in_sync.next = self.frame_generator.in_sync.val();
        self.sts_sync_losses.next = self.frame_generator.sync_losses.val();
        self.sts_sync_acquisitions.next = self.frame_generator.sync_acquisitions.val();

        self.frame_decoder.clock.next = self.clock.val();
        self.frame_decoder.reset.next = self.reset.val();
        self.frame_decoder.s_frame_tdata.next = self.frame_generator.m_frame_tdata.val();
        self.frame_decoder.s_frame_tvalid.next = self.frame_generator.m_frame_tvalid.val();
        self.frame_decoder.s_frame_discontinuity.next =
            self.frame_generator.m_frame_discontinuity.val();

        self.row_place.clock.next = self.clock.val();
        self.row_place.reset.next = self.reset.val();
        self.row_place.s_axis_tvalid.next = self.frame_decoder.m_axis_tvalid.val();
        self.m_axis_place.next = self.row_place.place.val();

        self.demux.clock.next = self.clock.val();
        self.demux.reset.next = self.reset.val();
        self.demux.s_axis_tdata.next = self.frame_decoder.m_axis_tdata.val();
        self.demux.s_axis_tid.next = self.frame_decoder.m_axis_tid.val();
        self.demux.s_axis_tkeep.next = self.frame_decoder.m_axis_tkeep.val();
        self.demux.s_axis_tvalid.next = self.frame_decoder.m_axis_tvalid.val();
        self.demux.s_axis_discontinuity.next = self.frame_decoder.m_axis_discontinuity.val();
        self.demux.clear.next = false;
        self.demux.enables.next = self.enables.val();
        self.sts_null_drops.next = self.demux.null_drops.val();
        self.sts_reserved_drops.next = self.demux.reserved_drops.val();
        self.sts_unclaimed_drops.next = self.demux.unclaimed_drops.val();
        for i in 0..4 {
            self.demux.ids[i].next = self.ids[i].val();
            self.m_axis_tdata[i].next = self.demux.m_axis_tdata[i].val();
            self.m_axis_tkeep[i].next = self.demux.m_axis_tkeep[i].val();
            self.m_axis_tvalid[i].next = self.demux.m_axis_tvalid[i].val();
            self.m_axis_tuser[i].next = self.demux.m_axis_discontinuity[i].val();
        }
    }
}
