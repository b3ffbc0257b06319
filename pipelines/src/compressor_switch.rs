// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CompressorSwitch`: when a compressor takes events, and when it is in reset.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, of any length |
//! | `enable` | in | events are to be taken |
//! | `event_valid` | in | one comes into the FIFO of the compressor |
//! | `is_idle` | in | no event waits, and no block is open or on its way out |
//! | `is_busy` | out | the compressor is not in reset: its settings keep their values |
//! | `active` | out | events are taken |
//! | `begins` | out | the next event only says where execution goes on |
//! | `flush` | out | for one cycle: the last block is to be closed |
//! | `stops` | out | for one cycle: the last block has left |
//! | `compressor_reset` | out | reset of the compressor |
//!
//! A compressor that is disabled closes its last block, and is in reset from the cycle on in which that has left.

use rust_hdl::prelude::*;

/// What the compressor does.
#[derive(Copy, Clone, Debug, PartialEq, Eq, LogicState)]
enum Phase {
    /// It is in reset.
    Rest,
    /// It takes events.
    Take,
    /// What it took goes out.
    Close,
}

#[derive(LogicBlock, Default)]
pub struct CompressorSwitch {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub event_valid: Signal<In, Bit>,
    pub is_idle: Signal<In, Bit>,
    pub is_busy: Signal<Out, Bit>,
    pub active: Signal<Out, Bit>,
    pub begins: Signal<Out, Bit>,
    pub flush: Signal<Out, Bit>,
    pub stops: Signal<Out, Bit>,
    pub compressor_reset: Signal<Out, Bit>,
    phase: DFF<Phase>,
    /// Cycles of the phase `Close` until the flush is seen, saturating.
    settled: DFF<Bits<2>>,
    is_placed: DFF<Bit>,
    ends: Signal<Local, Bit>,
}

impl Logic for CompressorSwitch {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, phase, settled, is_placed);
        self.ends.next =
            (self.phase.q.val() == Phase::Close) & self.settled.q.val().all() & self.is_idle.val();
        self.is_busy.next = self.phase.q.val() != Phase::Rest;
        self.active.next = self.phase.q.val() == Phase::Take;
        self.begins.next = !self.is_placed.q.val();
        self.flush.next = (self.phase.q.val() == Phase::Close) & !self.settled.q.val().any();
        self.stops.next = self.ends.val();
        self.compressor_reset.next = self.reset.val() | (self.phase.q.val() == Phase::Rest);

        if self.event_valid.val() {
            self.is_placed.d.next = true;
        }
        match self.phase.q.val() {
            Phase::Rest => {
                self.is_placed.d.next = false;
                if self.enable.val() {
                    self.phase.d.next = Phase::Take;
                }
            }
            Phase::Take => {
                self.settled.d.next = 0.into();
                if !self.enable.val() {
                    self.phase.d.next = Phase::Close;
                }
            }
            Phase::Close => {
                if !self.settled.q.val().all() {
                    self.settled.d.next = self.settled.q.val() + 1;
                }
                if self.ends.val() {
                    self.phase.d.next = Phase::Rest;
                }
            }
            _ => {}
        }
        if self.reset.val() {
            self.phase.d.next = Phase::Rest;
        }
    }
}
