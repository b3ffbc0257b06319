// SPDX-License-Identifier: MIT OR Apache-2.0
//! `HopBranches`: a hop as what it is to the branches of the program.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `hop`, `at[N-1:0]`, ..., `indirect` | in | as [`WalkReport`](super::WalkReport) puts them out; `at` is `hop_ended_at` |
//! | `row_valid`, `row` | out | it has steps, or an address: a [`BranchRow`] |
//! | `loses` | out | the place in the program is lost |
//!
//! Combinational; `N` bits of a site.

use super::item::MOST_SITE_W;
use super::ring_word::one_back;
use super::walk_report::{HOP_W, Hop, INDIRECT_W, IndirectBranch};
use coretrace_abi::flow_table::LostReason;
use coretrace_hdl_dataflow::{Bus, Word, all, any, join, kernel_block, layout, named};
use rust_hdl::prelude::*;

/// Kinds of steps of a row, which come in this order.
pub const ROW_STEPS: usize = 8;

layout! {
    /// Steps of a hop. A bit of `steps` says that there is a step, the first one in bit 0: a return; a loss in
    /// front of a source address; an address; N atoms; an E; a loss; an exception or a Q element; a gap.
    pub struct BranchRow {
        steps: ROW_STEPS,
        /// The address is loaded; it is a source address.
        is_loaded: 1,
        is_source: 1,
        is_q: 1,
        is_trace_on: 1,
        /// There is an address, whether it is a step or not.
        has_address: 1,
        /// The call that the return is of.
        call: MOST_SITE_W,
        /// The first N atom, and the site behind the last one, which the E is of.
        base: MOST_SITE_W,
        at: MOST_SITE_W,
    }
}

/// Bits of a row.
pub const BRANCH_ROW_W: usize = BranchRow::WIDTH;

kernel_block! {
    /// What a hop is to branches; see the module text.
    pub struct HopBranches;
    inputs HopInputs {
        hop: Bus<HOP_W>,
        base: Bits<N>,
        at: Bits<N>,
        indirect: Bus<INDIRECT_W>,
    }
    lane_inputs {}
    outputs HopOutputs { row_valid: Bit, row: Bus<BRANCH_ROW_W>, loses: Bit, }
    lane_outputs {}
    kernel hop_branches;
}

#[named]
fn hop_branches<T: Word, const N: usize>(i: HopInputs<T::Port, N>) -> HopOutputs<T, N> {
    let hop = Hop::<T>::unpack(&i.hop);
    let branch = IndirectBranch::<T>::unpack(&i.indirect);
    let sites = |port: &T::Port| T::field(port, 0, N as u32);
    let (base, at) = (sites(&i.base), sites(&i.at));
    // Where an address came, that is what says where an indirect branch led.
    let returns = branch.valid.and(hop.interrupted.or(hop.has_address.not()));
    let finds = hop.has_source.and(hop.found);
    let steps = [
        returns,
        hop.has_source.and(hop.end_reason.any()),
        hop.has_address.or(finds),
        hop.walks.and(base.eq(at).not()),
        hop.taken,
        hop.reason.any(),
        hop.excepts.or(hop.is_q),
        hop.gap.any(),
    ];
    let has_address = any(&[hop.has_address, hop.has_source, hop.excepts]);
    let call = one_back(branch.target.slice(0, N as u32));
    let wide = |site: T| site.extend(MOST_SITE_W as u32);
    let row = BranchRow {
        steps: join(steps),
        is_loaded: hop.is_loaded,
        is_source: hop.has_source,
        is_q: hop.is_q,
        is_trace_on: hop.gap.is(LostReason::TraceOn as u64),
        has_address,
        call: wide(call),
        base: wide(base),
        at: wide(at),
    };
    HopOutputs {
        row_valid: vec![all(&[hop.valid, any(&steps).or(has_address)])],
        row: row.pack(),
        loses: vec![any(&[
            hop.end_reason.any(),
            hop.reason.any(),
            hop.gap.any(),
        ])],
    }
}
