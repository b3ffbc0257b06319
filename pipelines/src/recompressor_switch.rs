// SPDX-License-Identifier: MIT OR Apache-2.0
//! `RecompressorSwitch`: when a source is decoded, when its events are taken, and what is in reset.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, of any length |
//! | `enable` | in | the source is to be decoded |
//! | `waits` | in | something waits on the way from the decoder to the compressor |
//! | `event_valid`, `is_idle` | in | as of [`CompressorSwitch`] |
//! | `is_busy` | out | the source is decoded, or what came of it is not out yet: settings keep their values |
//! | `active`, `begins`, `path_reset` | out | as of [`SourceSwitch`] |
//! | `path_flush` | out | for one cycle: no result comes any more |
//! | `places`, `flush`, `stops`, `compressor_reset` | out | as of [`CompressorSwitch`], where `places` is `begins` |
//!
//! A source that is disabled is not decoded any more. When nothing has been on the way for 127 cycles, its last atoms
//! are flushed; when nothing has been for as many again, its last events have come, and the last block is closed. The source can be enabled again when that block has left.

use crate::{CompressorSwitch, SourceSwitch};
use rust_hdl::prelude::*;

/// Bits of the count of cycles in which nothing is on the way.
const QUIET_W: usize = 7;

#[derive(LogicBlock, Default)]
pub struct RecompressorSwitch {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub waits: Signal<In, Bit>,
    pub event_valid: Signal<In, Bit>,
    pub is_idle: Signal<In, Bit>,
    pub is_busy: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub path_reset: Signal<Out, Bit>,
    pub path_flush: Signal<Out, Bit>,
    pub places: Signal<Out, Bit>,
    pub flush: Signal<Out, Bit>,
    pub stops: Signal<Out, Bit>,
    pub compressor_reset: Signal<Out, Bit>,
    source: SourceSwitch,
    compressor: CompressorSwitch,
    /// The source was disabled, and its last block has not left yet.
    ends: DFF<Bit>,
    /// Cycles since something was on the way, saturating.
    quiet: DFF<Bits<QUIET_W>>,
    /// The last atoms have been flushed.
    flushed: DFF<Bit>,
    wanted: Signal<Local, Bit>,
    is_quiet: Signal<Local, Bit>,
    flushes: Signal<Local, Bit>,
}

impl Logic for RecompressorSwitch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, ends, quiet, flushed);
        clock!(self, clock, source, compressor);
        self.source.reset.next = self.reset.val();
        self.compressor.reset.next = self.reset.val();
        self.wanted.next = self.enable.val() & !self.ends.q.val();
        self.source.enable.next = self.wanted.val() & self.compressor.active.val();
        self.is_quiet.next = self.quiet.q.val().all();
        self.flushes.next = self.ends.q.val() & self.is_quiet.val() & !self.flushed.q.val();
        // After a reset the source is busy, and its settings are not taken yet.
        self.compressor.enable.next = (self.wanted.val() & !self.source.is_busy.val())
            | (self.compressor.active.val()
                & (self.wanted.val() | !self.is_quiet.val() | !self.flushed.q.val()));
        self.compressor.event_valid.next = self.event_valid.val();
        self.compressor.is_idle.next = self.is_idle.val();

        if !self.is_quiet.val() {
            self.quiet.d.next = self.quiet.q.val() + 1;
        }
        if self.flushes.val() {
            self.flushed.d.next = true;
        }
        if self.flushes.val()
            | self.waits.val()
            | self.event_valid.val()
            | self.source.is_busy.val()
        {
            self.quiet.d.next = 0.into();
        }
        if self.compressor.active.val() & !self.enable.val() {
            self.ends.d.next = true;
        }
        if !self.compressor.is_busy.val() {
            self.ends.d.next = false;
            self.flushed.d.next = false;
        }
        self.is_busy.next = self.source.is_busy.val() | self.compressor.is_busy.val();
        self.active.next = self.source.active.val();
        self.begins.next = self.source.begins.val();
        self.path_reset.next = self.source.path_reset.val();
        self.path_flush.next = self.flushes.val();
        self.places.next = self.compressor.begins.val();
        self.flush.next = self.compressor.flush.val();
        self.stops.next = self.compressor.stops.val();
        self.compressor_reset.next = self.compressor.compressor_reset.val();
    }
}
