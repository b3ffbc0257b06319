// SPDX-License-Identifier: MIT OR Apache-2.0
//! `SoftwareSwitch`: when a source of software trace is recorded, and when its recorder is in reset.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: the data path is in reset |
//! | `enable` | in | the source is to be recorded |
//! | `moves` | in | the recorder gets a row, or its stream has a beat |
//! | `is_busy` | out | the source is recorded, or records may wait: its settings keep their values |
//! | `active` | out | it is recorded |
//! | `recorder_reset` | out | nothing is recorded, and nothing waits: the next record is in a stream that begins |
//!
//! A source that is disabled is busy until its recorder has rested for 4096 cycles. The rows that a recorder holds take
//! fewer than that, and its last packet ends 512 cycles behind them.
//! A source begins four cycles after its settings are taken.

use rust_hdl::prelude::*;

/// Bits of the count of cycles at rest.
const REST_W: usize = 12;

#[derive(LogicBlock, Default)]
pub struct SoftwareSwitch {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub moves: Signal<In, Bit>,
    pub is_busy: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub recorder_reset: Signal<Out, Bit>,
    records: DFF<Bit>,
    /// Records may wait.
    waits: DFF<Bit>,
    /// Cycles at rest.
    rest: DFF<Bits<REST_W>>,
    /// Cycles since the settings of a source that is to be enabled are taken.
    settled: DFF<Bits<2>>,
    keeps: Signal<Local, Bit>,
}

impl Logic for SoftwareSwitch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, records, waits, rest, settled);
        self.keeps.next = self.records.q.val() | self.waits.q.val();
        self.rest.d.next = self.rest.q.val() + 1;
        if self.rest.q.val().all() & !self.moves.val() {
            self.waits.d.next = false;
        }
        if self.records.q.val() {
            self.waits.d.next = true;
        }
        if self.records.q.val() | self.moves.val() {
            self.rest.d.next = 0.into();
        }
        self.settled.d.next = 0.into();
        if self.enable.val() & !self.keeps.val() {
            self.settled.d.next = self.settled.q.val() + 1;
        }
        self.records.d.next =
            self.enable.val() & (self.records.q.val() | self.settled.q.val().all());
        if self.reset.val() {
            self.records.d.next = false;
            self.waits.d.next = false;
        }
        self.is_busy.next = self.keeps.val();
        self.active.next = self.records.q.val();
        self.recorder_reset.next = !self.keeps.val();
    }
}
