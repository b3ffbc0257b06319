// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SourceSwitch`: when a source is decoded, and when the path behind the trace port is in reset.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, of any length |
//! | `enable` | in | the source is to be decoded |
//! | `is_busy` | out | it is being decoded, or results are in flight: its settings keep their values |
//! | `active` | out | it is being decoded |
//! | `begins` | out | for one cycle: it is from now on |
//! | `path_reset` | out | the data path is in reset: until nothing is in flight, for 64 cycles |
//!
//! Results in flight when a source is disabled leave before it can be enabled again: 64 cycles.
//! It begins four cycles after its settings are taken.

use rust_hdl::prelude::*;

/// Bits of the count of quiet cycles before a source is enabled.
const QUIET_W: usize = 6;

#[derive(LogicBlock, Default)]
pub struct SourceSwitch {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub is_busy: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub path_reset: Signal<Out, Bit>,
    decodes: DFF<Bit>,
    starts: DFF<Bit>,
    /// Cycles since it was not decoded, saturating.
    quiet: DFF<Bits<QUIET_W>>,
    /// Cycles since the settings of a source that is to be enabled are taken.
    settled: DFF<Bits<2>>,
    /// A reset came, and what was in flight has not left yet.
    flushes: DFF<Bit>,
    resets: DFF<Bit>,
    is_quiet: Signal<Local, Bit>,
    keeps: Signal<Local, Bit>,
}

impl Logic for SourceSwitch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, decodes, starts, quiet, settled, flushes, resets
        );
        self.is_quiet.next = self.quiet.q.val().all();
        if !self.is_quiet.val() {
            self.quiet.d.next = self.quiet.q.val() + 1;
        }
        if self.decodes.q.val() {
            self.quiet.d.next = 0.into();
        }
        self.keeps.next = self.decodes.q.val() | !self.is_quiet.val();
        self.settled.d.next = 0.into();
        if self.enable.val() & !self.keeps.val() {
            self.settled.d.next = self.settled.q.val() + 1;
        }
        self.decodes.d.next =
            self.enable.val() & (self.decodes.q.val() | self.settled.q.val().all());
        self.starts.d.next = self.enable.val() & !self.decodes.q.val() & self.settled.q.val().all();
        self.flushes.d.next = self.flushes.q.val() & !self.is_quiet.val();
        self.resets.d.next = self.reset.val() | self.flushes.q.val();
        if self.reset.val() {
            self.flushes.d.next = true;
            self.decodes.d.next = false;
            self.starts.d.next = false;
            self.quiet.d.next = 0.into();
        }
        self.is_busy.next = self.keeps.val();
        self.active.next = self.decodes.q.val();
        self.begins.next = self.starts.q.val();
        self.path_reset.next = self.resets.q.val();
    }
}
