// SPDX-License-Identifier: MIT OR Apache-2.0
//! `MarkRows`: hops in, out those that the flow stream reports.
//!
//! `last` is where the last flow before the hop ended, or the branch that was taken since; `newest` is that
//! behind the hop. A place that is lost is there.
//!
//! Combinational. A row has all that its beats say, in the order of the beats.

use super::item::{MOST_SITE_W, REASON_W};
use super::walk_report::{HOP_W, Hop};
use coretrace_hdl_dataflow::{Bus, Word, any, kernel_block, layout};
use rust_hdl::prelude::*;

layout! {
    /// A hop at which the place is lost or found, or the counters are read.
    pub struct MarkRow {
        /// The place is lost at `left_at`, for this reason; 0 if it is not.
        end_reason: REASON_W,
        /// The place is known again: a flow begins at `base`.
        found: 1,
        /// The place is lost at `ended_at`, for these reasons; 0 if it is not.
        reason: REASON_W,
        gap: REASON_W,
        reads_out: 1,
        /// Rows in front of this one were left out.
        missed: 1,
        left_at: MOST_SITE_W,
        base: MOST_SITE_W,
        ended_at: MOST_SITE_W,
        /// Atoms so far, those of them that were skipped, those that were dropped.
        atoms: 32,
        skipped: 32,
        dropped: 32,
    }
}

/// Bits of a row.
pub const MARK_ROW_W: usize = MarkRow::WIDTH;

kernel_block! {
    /// Rows of hops; see the module text. `N` bits of a site.
    pub struct MarkRows;
    inputs MarkInputs {
        hop: Bus<HOP_W>,
        at: Bits<N>,
        base: Bits<N>,
        left_at: Bits<N>,
        ended_at: Bits<N>,
        last: Bits<N>,
        atoms: Bits<32>,
        skipped: Bits<32>,
        dropped: Bits<32>,
        missed: Bit,
    }
    lane_inputs {}
    outputs MarkOutputs { newest: Bits<N>, is_some: Bit, loses: Bit, reads_out: Bit, row: Bus<MARK_ROW_W>, }
    lane_outputs {}
    kernel mark_rows;
}

fn mark_rows<T: Word, const N: usize>(i: MarkInputs<T::Port, N>) -> MarkOutputs<T, N> {
    let hop = Hop::<T>::unpack(&i.hop);
    let count = |port: &T::Port| T::field(port, 0, 32);
    let loses = any(&[hop.end_reason.any(), hop.reason.any(), hop.gap.any()]);
    let is_some = any(&[loses, hop.found, hop.reads_out]);
    let site = |port: &T::Port| T::field(port, 0, N as u32);
    let left_at = hop.left.mux(site(&i.left_at), site(&i.last));
    let taken_at = hop.taken.mux(site(&i.at), left_at);
    let newest = hop.leaves.mux(site(&i.ended_at), taken_at);
    let wide = |site: T| site.extend(MOST_SITE_W as u32);
    let row = MarkRow {
        end_reason: hop.end_reason,
        found: hop.found,
        reason: hop.reason,
        gap: hop.gap,
        reads_out: hop.reads_out,
        missed: T::field(&i.missed, 0, 1),
        left_at: wide(left_at),
        base: wide(site(&i.base)),
        ended_at: wide(newest),
        atoms: count(&i.atoms),
        skipped: count(&i.skipped),
        dropped: count(&i.dropped),
    };
    MarkOutputs {
        newest: vec![newest],
        is_some: vec![hop.valid.and(is_some)],
        loses: vec![hop.valid.and(loses)],
        reads_out: vec![hop.valid.and(hop.reads_out)],
        row: row.pack(),
    }
}
