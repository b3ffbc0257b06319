// SPDX-License-Identifier: MIT OR Apache-2.0
//! `UnrolledActionProcess`: carries out the action codes of a word and reports every lane.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high: nothing from before it comes out |
//! | `flags`, `octet[N]`, `action[N]` | in | a word, as from the action code |
//! | `valid`, `discontinuity`, `pending`, `keep[N]` | out | as of the decoder |
//! | `result[N]`, `pair[P]` | out | [`LaneResult`] of each lane, [`PairResult`] of each pair |
//!
//! Latency 4 cycles, one word per cycle. A value takes effect with its last byte, so a packet that is
//! cut short leaves nothing half written. Bytes go to their slots first and from there to the
//! registers; each register is one or two multiplexers away from itself.

use super::address::addresses;
use super::layouts::{ACTION_W, Action, WORD_FLAGS_W, WordFlags};
use super::pending::pending;
use super::registers::{Lane, contexts, fields, leads, timestamps};
use crate::layouts::{LANE_RESULT_W, LaneResult, PAIR_RESULT_W, PairResult};
use crate::reset::valid_after_reset;
use coretrace_hdl_dataflow::{Bus, Word, clocked_block, join, latest, named};
use rust_hdl::prelude::*;
use std::array::from_fn;

clocked_block! {
    /// The action process; see the module text.
    pub struct UnrolledActionProcess;
    inputs ProcessInputs { reset: Bit, flags: Bus<WORD_FLAGS_W>, }
    lane_inputs { octet: Bits<8>, action: Bus<ACTION_W>, }
    outputs ProcessOutputs { valid: Bit, discontinuity: Bit, pending: Bits<32>, }
    lane_outputs { keep: Bit, result: Bus<LANE_RESULT_W>, }
    pair_outputs { pair: Bus<PAIR_RESULT_W>, }
    kernel action_process;
}

#[named]
fn action_process<T: Word, const N: usize, const P: usize>(
    i: ProcessInputs<T::Port, N>,
) -> ProcessOutputs<T, N, P> {
    let flags = WordFlags::<T>::unpack(&i.flags);
    let restart = flags.restart;
    let actions: [Action<T>; N] = from_fn(|lane| Action::unpack(&i.action[lane]));
    let lanes: [Lane<T>; N] = from_fn(|lane| Lane {
        octet: T::field(&i.octet[lane], 0, 8),
        action: actions[lane],
    });
    let leads = leads(&lanes, restart);
    let fields = fields(&lanes, restart);
    let timestamps = timestamps(&lanes, &leads, restart);
    let context = contexts(&lanes, restart);
    let addresses = addresses(&actions, &leads, restart);
    let kept = actions.map(|action| action.kept);
    let ends = actions.map(|action| action.outcome.any());
    let pending = pending(&kept, &ends, flags.lost, restart);

    let result = |lane: usize| {
        let action = &actions[lane];
        let result = LaneResult {
            outcome: action.outcome,
            suspect: action.suspect,
            header: action.header,
            octet: lanes[lane].octet,
            field_ends: action.field_ends,
            field_is_short: action.index.any().not(),
            is1: addresses[lane].is1,
            address: addresses[lane].value,
        };
        result.pack()
    };
    let pair = |pair: usize| {
        let lead = &leads[pair];
        let result = PairResult {
            timestamp: timestamps[pair],
            info: context.info[pair],
            vmid: context.vmid[pair],
            cid: context.cid[pair],
            lead_low: join(lead[..8].iter().copied()),
            lead_high: lead[8],
            field: fields[pair],
        };
        result.pack()
    };

    let end = latest(addresses.iter().map(|address| address.value));
    let reset = T::field(&i.reset, 0, 1);
    let valid = valid_after_reset(flags.valid, reset, restart, end);
    ProcessOutputs {
        valid: vec![valid],
        discontinuity: vec![flags.lost],
        pending: vec![pending],
        keep: kept.map(|kept| vec![kept]),
        result: from_fn(result),
        pair: from_fn(pair),
    }
}
