// SPDX-License-Identifier: MIT OR Apache-2.0
//! `StpEntries`: results of `StpDecoder` as entries.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock` | in | |
//! | `s_valid`, `s_discontinuity`, `s_pending[31:0]`, `s_lane0`, `s_lane1`, `s_packet`, `s_state` | in | as from the decoder |
//! | `s_place` | in | [`Place`] of the byte |
//! | `entry`, `entry_valid` | out | [`Entry`]: the records of the byte, if it has any |
//! | `records[1:0]` | out | packets and errors that end in it |
//!
//! `N` and `P` are 1. Latency 1 cycle. Throughput one byte per cycle.

use super::entry::{ENTRY_W, Entry, saturating_sum};
use super::row::{PLACE_W, Place};
use coretrace_abi::software_stream::coding;
use coretrace_hdl_dataflow::{Bus, Word, any, clocked_block, named};
use coretrace_hdl_software::stp::layouts as stp;
use coretrace_hdl_software::stp::layouts::{
    LANE_RESULT_W, LaneResult, PACKET_W, Packet, TRACE_STATE_W, TraceState,
};
use rust_hdl::prelude::*;

clocked_block! {
    /// See the module text.
    pub struct StpEntries;
    inputs EntriesInputs {
        s_valid: Bit,
        s_discontinuity: Bit,
        s_pending: Bits<32>,
        s_lane0: Bus<LANE_RESULT_W>,
        s_lane1: Bus<LANE_RESULT_W>,
        s_packet: Bus<PACKET_W>,
        s_state: Bus<TRACE_STATE_W>,
        s_place: Bus<PLACE_W>,
    }
    lane_inputs {}
    outputs EntriesOutputs { entry: Bus<ENTRY_W>, entry_valid: Bit, records: Bits<2>, }
    lane_outputs {}
    pair_outputs {}
    kernel stp_entries;
}

// The decoder has the codings of the stream.
const _: () = {
    assert!(stp::coding::UNKNOWN == coding::UNKNOWN && stp::coding::GRAY == coding::GRAY);
    assert!(stp::coding::NATURAL == coding::NATURAL);
};

#[named]
fn stp_entries<T: Word, const N: usize, const P: usize>(
    i: EntriesInputs<T::Port, N>,
) -> EntriesOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let [first, second] = [&i.s_lane0, &i.s_lane1].map(LaneResult::<T>::unpack);
    let packet = Packet::<T>::unpack(&i.s_packet);
    let state = TraceState::<T>::unpack(&i.s_state);
    let place = Place::<T>::unpack(&i.s_place);
    let (valid, has_loss) = (bit(&i.s_valid), bit(&i.s_discontinuity));
    let pending = T::field(&i.s_pending, 0, 32);
    let before = pending.mask(has_loss.not());
    let [has_first, has_second] = [first, second].map(|lane| lane.outcome.any());
    let one = T::constant(1, 32);
    let entry = Entry {
        has_loss,
        has_first,
        has_second,
        loss_length: pending,
        first_ending: first.outcome,
        first_suspect: first.is_suspect,
        first_header: first.row.extend(8),
        first_last: first.nibble.extend(8),
        first_length: saturating_sum(before, 1),
        second_ending: second.outcome,
        second_suspect: second.is_suspect,
        second_header: second.row.extend(8),
        second_last: second.nibble.extend(8),
        second_length: has_first.mux(one, saturating_sum(before, 2)),
        size: packet.stamp_nibbles,
        coding: state.coding,
        master_known: state.is_master_known,
        master: state.master,
        channel: state.channel,
        lane: place.lane,
        data: packet.data,
        time: state.coding.any().mux(state.timestamp, packet.stamp),
        row: place.row,
    };
    EntriesOutputs {
        entry: entry.pack(),
        entry_valid: vec![valid.and(any(&[has_loss, has_first, has_second]))],
        records: vec![has_first.extend(2).add(has_second.extend(2)).mask(valid)],
    }
}
