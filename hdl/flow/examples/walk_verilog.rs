// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of one walker and its parts, for 4096 sites and 64 pages.
//!
//! `cargo run -p coretrace-hdl-flow --example walk_verilog -- unit` prints it; the names are front, tables, lane, sums,
//! walk and unit. `cargo xtask report --verilog FILE --top NAME --no-route` estimates it.

use coretrace_hdl_dataflow::{Bus, Word, kernel_block};
use coretrace_hdl_flow::{
    BITMAP_W, ENTRY_W, FlowFront, FlowUnit, HOP_W, ITEM_W, SITE_CYCLES_W, SUM_W, SiteSums,
    WalkLane, WalkTables, WholeSegment,
};
use coretrace_hdl_verilog::verilog;
use rust_hdl::prelude::*;

/// Bits of a site, of a frame, of a row and of a place of a counter.
const SW: usize = 12;
const FW: usize = 6;
const RW: usize = 12;
const CW: usize = 13;

/// Rank, merge, walker and counters: a [`FlowUnit`] without the FIFO before the walker, and without what counts cycles,
/// atoms and targets of indirect branches.
#[derive(LogicBlock, Default)]
struct Walk {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub returns: Signal<In, Bit>,
    pub ete: Signal<In, Bit>,
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
    pub exit_write: Signal<In, Bit>,
    pub run_write: Signal<In, Bit>,
    pub write_site: Signal<In, Bits<SW>>,
    pub write_exit: Signal<In, Bits<SW>>,
    pub write_flags: Signal<In, Bits<6>>,
    pub write_run: Signal<In, Bits<8>>,
    pub entry_valid: Signal<Out, Bit>,
    pub entry: Signal<Out, Bus<ENTRY_W>>,
    pub s_entry_valid: Signal<In, Bit>,
    pub s_entry: Signal<In, Bus<ENTRY_W>>,
    pub s_entry_ready: Signal<Out, Bit>,
    pub begins: Signal<In, Bit>,
    pub room: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    pub sum_valid: Signal<Out, Bit>,
    pub sum_site: Signal<Out, Bits<SW>>,
    pub sum_taken: Signal<Out, Bus<SUM_W>>,
    pub sum_entered: Signal<Out, Bus<SUM_W>>,
    pub sum_left: Signal<Out, Bus<SUM_W>>,
    pub fills: Signal<Out, Bit>,
    pub hop: Signal<Out, Bus<HOP_W>>,
    pub hop_at: Signal<Out, Bits<SW>>,
    pub hop_base: Signal<Out, Bits<SW>>,
    front: FlowFront<SW, FW, RW>,
    segment: WholeSegment<1>,
    lane: WalkLane<SW>,
    tables: WalkTables<SW>,
    sums: SiteSums<SW, CW>,
    no_cycles: NoCycles<1>,
}

impl Logic for Walk {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, front, lane, tables, sums);
        self.front.reset.next = self.reset.val();
        self.front.item.next = self.item.val();
        self.front.address.next = self.address.val();
        self.front.isa.next = self.isa.val();
        self.front.space.next = self.space.val();
        self.front.page_write.next = self.page_write.val();
        self.front.page_slot.next = self.page_slot.val();
        self.front.page_word.next = self.page_word.val();
        self.front.row_write.next = self.row_write.val();
        self.front.row.next = self.row.val();
        self.front.row_bitmap.next = self.row_bitmap.val();
        self.front.row_base.next = self.row_base.val();
        self.entry_valid.next = self.front.valid.val();
        self.entry.next = self.front.entry.val();

        self.segment.entry.next = self.s_entry.val();
        self.lane.reset.next = self.reset.val();
        self.lane.returns.next = self.returns.val();
        self.lane.ete.next = self.ete.val();
        self.lane.segment_valid.next = self.s_entry_valid.val();
        self.lane.segment.next = self.segment.segment.val();
        self.s_entry_ready.next = self.lane.segment_ready.val();
        self.lane.pause.next = self.sums.pause.val();
        self.lane.holds.next = false;
        self.lane.aims.next = false;
        self.lane.aim.next = 0.into();
        self.tables.exit_site.next = self.lane.exit_site.val();
        self.tables.exit_read.next = self.lane.exit_read.val();
        self.lane.exit.next = self.tables.exit.val();
        self.lane.flags.next = self.tables.flags.val();
        self.tables.run_site.next = self.lane.run_site.val();
        self.lane.run_word.next = self.tables.run_word.val();
        self.tables.exit_write.next = self.exit_write.val();
        self.tables.run_write.next = self.run_write.val();
        self.tables.write_site.next = self.write_site.val();
        self.tables.write_exit.next = self.write_exit.val();
        self.tables.write_flags.next = self.write_flags.val();
        self.tables.write_run.next = self.write_run.val();
        self.hop.next = self.lane.hop.val();
        self.hop_at.next = self.lane.hop_at.val();
        self.hop_base.next = self.lane.hop_base.val();

        self.sums.reset.next = self.reset.val();
        self.sums.hop.next = self.lane.hop.val();
        self.sums.at.next = self.lane.hop_at.val();
        self.sums.base.next = self.lane.hop_base.val();
        self.sums.left_at.next = self.lane.hop_left_at.val();
        self.sums.ended_at.next = self.lane.hop_ended_at.val();
        self.no_cycles.hop.next = self.lane.hop.val();
        self.sums.cycles.next = self.no_cycles.cycles.val();
        self.sums.begins.next = self.begins.val();
        self.sums.room.next = self.room.val();
        self.done.next = self.sums.done.val();
        self.sum_valid.next = self.sums.sum_valid.val();
        self.sum_site.next = self.sums.sum_site.val();
        self.sum_taken.next = self.sums.sum_taken.val();
        self.sum_entered.next = self.sums.sum_entered.val();
        self.sum_left.next = self.sums.sum_left.val();
        self.fills.next = self.sums.fills.val();
    }
}

kernel_block! {
    /// No cycles of any hop.
    pub struct NoCycles;
    inputs NoCyclesInputs { hop: Bus<HOP_W>, }
    lane_inputs {}
    outputs NoCyclesOutputs { cycles: Bus<SITE_CYCLES_W>, }
    lane_outputs {}
    kernel no_cycles;
}

fn no_cycles<T: Word, const N: usize>(_: NoCyclesInputs<T::Port, N>) -> NoCyclesOutputs<T, N> {
    NoCyclesOutputs {
        cycles: vec![T::constant(0, SITE_CYCLES_W as u32)],
    }
}

fn main() -> Result<(), String> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let text = match name.as_str() {
        "front" => verilog(FlowFront::<SW, FW, RW>::default(), &name),
        "tables" => verilog(WalkTables::<SW>::default(), &name),
        "lane" => verilog(WalkLane::<SW>::default(), &name),
        "sums" => verilog(SiteSums::<SW, CW>::default(), &name),
        "walk" => verilog(Walk::default(), &name),
        "unit" => verilog(FlowUnit::<SW, FW, RW, 6, CW>::default(), &name),
        _ => return Err("there are front, tables, lane, sums, walk and unit".to_string()),
    };
    let text = text.map_err(|findings| format!("{findings:#?}"))?;
    print!("{text}");
    Ok(())
}
