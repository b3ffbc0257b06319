// SPDX-License-Identifier: MIT OR Apache-2.0
//! `CycleQueue`: cycles wait for the walk, and get the site of the newest branch.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing waits |
//! | `valid`, `cycles` | in | cycles of an entry; there is no TREADY |
//! | `fills_up` | out | no more may come, but those of the items in flight |
//! | `counted`, `has_newest`, `newest[SW-1:0]` | in | as [`WalkReport`](super::WalkReport) puts them out: the oldest cycles go |
//! | `m_cycles` | out | in the same cycle, [`SiteCycles`] |
//!
//! Entries stay in order, so that their cycles need not go through the walk.
//!
//! `QW` bits of a place. Combinational from `counted` on. Throughput one count per cycle.

use super::item::{CYCLES_W, MOST_SITE_W};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::stream::SyncFifo;
use rust_hdl::prelude::*;

layout! {
    /// Cycles up to the newest branch that was walked.
    pub struct SiteCycles {
        valid: 1,
        /// The branch.
        site: MOST_SITE_W,
        cycles: CYCLES_W,
    }
}

/// Bits of the cycles of a site.
pub const SITE_CYCLES_W: usize = SiteCycles::WIDTH;

#[derive(LogicBlock, Default)]
pub struct CycleQueue<const SW: usize, const QW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub valid: Signal<In, Bit>,
    pub cycles: Signal<In, Bus<CYCLES_W>>,
    pub fills_up: Signal<Out, Bit>,
    pub counted: Signal<In, Bit>,
    pub has_newest: Signal<In, Bit>,
    pub newest: Signal<In, Bits<SW>>,
    pub m_cycles: Signal<Out, Bus<SITE_CYCLES_W>>,
    fifo: SyncFifo<CYCLES_W, QW>,
    joined: JoinCycles<SW>,
}

impl<const SW: usize, const QW: usize> Logic for CycleQueue<SW, QW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fifo);
        self.fifo.reset.next = self.reset.val();
        self.fifo.write_valid.next = self.valid.val();
        self.fifo.write_data.next = self.cycles.val();
        self.fifo.m_axis_tready.next = self.counted.val();
        self.fills_up.next = self.fifo.fills_up.val();
        self.joined.counted.next = self.counted.val();
        self.joined.has_newest.next = self.has_newest.val();
        self.joined.newest.next = self.newest.val();
        self.joined.cycles.next = self.fifo.m_axis_tdata.val();
        self.m_cycles.next = self.joined.m_cycles.val();
    }
}

kernel_block! {
    /// Cycles and the site that they are of; `N` bits of a site.
    pub struct JoinCycles;
    inputs JoinInputs {
        counted: Bit,
        has_newest: Bit,
        newest: Bits<N>,
        cycles: Bus<CYCLES_W>,
    }
    lane_inputs {}
    outputs JoinOutputs { m_cycles: Bus<SITE_CYCLES_W>, }
    lane_outputs {}
    kernel join_cycles;
}

fn join_cycles<T: Word, const N: usize>(i: JoinInputs<T::Port, N>) -> JoinOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let cycles = SiteCycles {
        valid: bit(&i.counted).and(bit(&i.has_newest)),
        site: T::field(&i.newest, 0, N as u32).extend(MOST_SITE_W as u32),
        cycles: T::field(&i.cycles, 0, CYCLES_W as u32),
    };
    JoinOutputs {
        m_cycles: cycles.pack(),
    }
}
