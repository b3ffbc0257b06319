// SPDX-License-Identifier: MIT OR Apache-2.0
//! `BranchTablePort`: the table registers as writes to the memories of a branch table.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `memory[2:0]`, `word[63:0]`, `write` | in | as of [`TablePort`](crate::TablePort) |
//! | `branch_write`, `write_branch[46:0]`, `calls_write`, `write_calls[15:0]` | out | as [`BranchPath`](coretrace_hdl_flow::BranchPath) takes them; site and row are those of `TablePort` |
//!
//! The words are those of `coretrace_abi::branch_table`.
//!
//! Latency 1 cycle. Throughput one word per cycle.

use crate::registers::flow::FRAME_W;
use coretrace_abi::flow_table::TableKind;
use coretrace_hdl_dataflow::{Word, clocked_block};
use coretrace_hdl_flow::BELOW_FRAME_W;
use rust_hdl::prelude::*;

/// Bits of a word of a site.
pub const BRANCH_W: usize = FRAME_W + BELOW_FRAME_W;

clocked_block! {
    /// Registers to the ports of memories; see the module text.
    pub struct BranchTablePort;
    inputs BranchPortInputs { memory: Bits<3>, word: Bits<64>, write: Bit, }
    lane_inputs {}
    outputs BranchPortOutputs {
        branch_write: Bit,
        write_branch: Bits<BRANCH_W>,
        calls_write: Bit,
        write_calls: Bits<16>,
    }
    lane_outputs {}
    pair_outputs {}
    kernel branch_table_port;
}

fn branch_table_port<T: Word, const N: usize, const P: usize>(
    i: BranchPortInputs<T::Port, N>,
) -> BranchPortOutputs<T, N, P> {
    let write = T::field(&i.write, 0, 1);
    let memory = T::field(&i.memory, 0, 3);
    let is = |kind: TableKind| memory.is(kind as u64).and(write);
    BranchPortOutputs {
        branch_write: vec![is(TableKind::Branches)],
        write_branch: vec![T::field(&i.word, 0, BRANCH_W as u32)],
        calls_write: vec![is(TableKind::Calls)],
        write_calls: vec![T::field(&i.word, 0, 16)],
    }
}
