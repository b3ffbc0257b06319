// SPDX-License-Identifier: MIT OR Apache-2.0
//! `FlowFront`: items of a trace in, entries for a walker out.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high, for more than 12 cycles: nothing waits; tables stay |
//! | `item` | in | [`Item`](super::Item), in every cycle |
//! | `address[63:0]`, `isa[1:0]`, `space[3:0]` | in | of an address; in its place cycles |
//! | `page_...`, `row_...` | in | tables, see [`Rank`] |
//! | `valid`, `entry` | out | an [`Entry`](super::Entry) |
//! | `counted`, `m_cycles` | out | the entry has cycles, so many |
//! | `has_unit`, `unit_row[RW-1:0]`, `unit[3:0]` | out | of an address, five cycles behind it, see [`Rank`] |
//!
//! ```text
//! item, cycles ─▶ Delay ─┬▶ Merge ─▶ entry
//! address ──────▶ Rank ──┘
//! ```
//!
//! Latency 12 cycles. Throughput one item per cycle.

use super::item::{CYCLES_W, ENTRY_W, ITEM_W};
use super::{BITMAP_W, Merge, RANK_LATENCY, Rank};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_parts::stream::Delay;
use rust_hdl::prelude::*;

#[derive(LogicBlock, Default)]
pub struct FlowFront<const SW: usize, const FW: usize, const RW: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub item: Signal<In, Bus<ITEM_W>>,
    pub address: Signal<In, Bus<64>>,
    pub isa: Signal<In, Bits<2>>,
    pub space: Signal<In, Bits<4>>,
    pub page_write: Signal<In, Bits<2>>,
    pub page_slot: Signal<In, Bits<10>>,
    pub page_word: Signal<In, Bits<64>>,
    pub row_write: Signal<In, Bit>,
    pub row: Signal<In, Bits<RW>>,
    pub row_bitmap: Signal<In, Bits<BITMAP_W>>,
    pub row_base: Signal<In, Bits<SW>>,
    pub valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<ENTRY_W>>,
    pub counted: Signal<Out, Bit>,
    pub m_cycles: Signal<Out, Bus<CYCLES_W>>,
    pub has_unit: Signal<Out, Bit>,
    pub unit_row: Signal<Out, Bits<RW>>,
    pub unit: Signal<Out, Bits<4>>,
    rank: Rank<SW, FW, RW>,
    delay: Delay<ITEM_W, RANK_LATENCY>,
    low: LowCycles<1>,
    cycles: Delay<CYCLES_W, RANK_LATENCY>,
    merge: Merge<SW, 1>,
}

impl<const SW: usize, const FW: usize, const RW: usize> Logic for FlowFront<SW, FW, RW> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, rank, delay, cycles, merge);
        self.rank.address.next = self.address.val();
        self.rank.isa.next = self.isa.val();
        self.rank.space.next = self.space.val();
        self.rank.page_write.next = self.page_write.val();
        self.rank.page_slot.next = self.page_slot.val();
        self.rank.page_word.next = self.page_word.val();
        self.rank.row_write.next = self.row_write.val();
        self.rank.row.next = self.row.val();
        self.rank.row_bitmap.next = self.row_bitmap.val();
        self.rank.row_base.next = self.row_base.val();
        self.has_unit.next = self.rank.has_unit.val();
        self.unit_row.next = self.rank.unit_row.val();
        self.unit.next = self.rank.unit.val();
        self.delay.word.next = self.item.val();
        self.low.address.next = self.address.val();
        self.cycles.word.next = self.low.cycles.val();
        self.merge.reset.next = self.reset.val();
        self.merge.item.next = self.delay.delayed.val();
        self.merge.cycles.next = self.cycles.delayed.val();
        self.merge.loaded.next = self.rank.loaded.val();
        self.merge.damaged.next = self.rank.damaged.val();
        self.merge.site.next = self.rank.site.val();
        self.valid.next = self.merge.valid.val();
        self.entry.next = self.merge.entry.val();
        self.counted.next = self.merge.counted.val();
        self.m_cycles.next = self.merge.m_cycles.val();
    }
}

kernel_block! {
    /// Cycles in the place of an address.
    pub struct LowCycles;
    inputs LowInputs { address: Bus<64>, }
    lane_inputs {}
    outputs LowOutputs { cycles: Bus<CYCLES_W>, }
    lane_outputs {}
    kernel low_cycles;
}

fn low_cycles<T: Word, const N: usize>(i: LowInputs<T::Port, N>) -> LowOutputs<T, N> {
    LowOutputs {
        cycles: vec![T::field(&i.address, 0, CYCLES_W as u32)],
    }
}
