// SPDX-License-Identifier: MIT OR Apache-2.0
//! `TablePort`: the table registers as writes to the memories of a flow table.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `memory[2:0]`, `index[23:0]`, `word[63:0]` | in | which word, and what it is |
//! | `write` | in | it is written in this cycle |
//! | `page_write[1:0]`, ..., `write_run[5:0]` | out | as [`FlowPath`](coretrace_hdl_flow::FlowPath) takes them |
//!
//! The words are those of `coretrace_abi::flow_table`, with their parity.
//!
//! Latency 1 cycle: the way of a walker to its tables has no logic of the registers in it. Throughput
//! one word per cycle.

use crate::registers::flow::{ROW_W, SITE_W};
use coretrace_abi::flow_table::{SLOT_BITS, TableKind};
use coretrace_hdl_dataflow::{Word, clocked_block};
use coretrace_hdl_flow::{BITMAP_W, EXIT_FLAGS_W, RUN_W};
use rust_hdl::prelude::*;

clocked_block! {
    /// Registers to the ports of memories; see the module text.
    pub struct TablePort;
    inputs TablePortInputs { memory: Bits<3>, index: Bits<24>, word: Bits<64>, write: Bit, }
    lane_inputs {}
    outputs TablePortOutputs {
        page_write: Bits<2>,
        page_slot: Bits<10>,
        page_word: Bits<64>,
        row_write: Bit,
        row: Bits<ROW_W>,
        row_bitmap: Bits<BITMAP_W>,
        row_base: Bits<SITE_W>,
        exit_write: Bit,
        run_write: Bit,
        write_site: Bits<SITE_W>,
        write_exit: Bits<SITE_W>,
        write_flags: Bits<EXIT_FLAGS_W>,
        write_run: Bits<RUN_W>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel table_port;
}

fn table_port<T: Word, const N: usize, const P: usize>(
    i: TablePortInputs<T::Port, N>,
) -> TablePortOutputs<T, N, P> {
    let write = T::field(&i.write, 0, 1);
    let memory = T::field(&i.memory, 0, 3);
    let is = |kind: TableKind| memory.is(kind as u64).and(write);
    let index = T::field(&i.index, 0, 24);
    let word = T::field(&i.word, 0, 64);
    let (site, row) = (SITE_W as u32, ROW_W as u32);
    TablePortOutputs {
        page_write: vec![is(TableKind::Buckets).concat(is(TableKind::Pages))],
        page_slot: vec![index.slice(0, SLOT_BITS)],
        page_word: vec![word],
        row_write: vec![is(TableKind::Rows)],
        row: vec![index.slice(0, row)],
        row_bitmap: vec![word.slice(site, BITMAP_W as u32)],
        row_base: vec![word.slice(0, site)],
        exit_write: vec![is(TableKind::Exits)],
        run_write: vec![is(TableKind::Runs)],
        write_site: vec![index.slice(0, site)],
        write_exit: vec![word.slice(0, site)],
        write_flags: vec![word.slice(site, EXIT_FLAGS_W as u32)],
        write_run: vec![word.slice(0, RUN_W as u32)],
    }
}
