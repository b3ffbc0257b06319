// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ItmEntries`: results of `ItmDecoder` as entries.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `clock`, `reset` | in | reset is synchronous, active high |
//! | `s_valid`, `s_discontinuity`, `s_pending[31:0]`, `s_lane`, `s_packet`, `s_state` | in | as from the decoder |
//! | `s_place` | in | [`Place`] of the byte |
//! | `entry`, `entry_valid` | out | [`Entry`]: the records of the byte, if it has any |
//! | `records[1:0]` | out | packets and errors that end in it |
//!
//! The bytes 00 before a byte are counted here: how many of them a sync has.
//! `N` and `P` are 1. Latency 1 cycle. Throughput one byte per cycle.

use super::entry::{ENTRY_W, Entry, saturating_sum};
use super::row::{PLACE_W, Place};
use coretrace_abi::software_stream::ending;
use coretrace_hdl_dataflow::{Bus, Table, Word, all, any, clocked_block, named};
use coretrace_hdl_software::itm::layouts::{
    LANE_RESULT_W, LaneResult, PACKET_W, Packet, TRACE_STATE_W, TraceState,
};
use coretrace_itm::{HEADERS, Kind};
use rust_hdl::prelude::*;
use std::sync::LazyLock;

clocked_block! {
    /// See the module text.
    pub struct ItmEntries;
    inputs EntriesInputs {
        reset: Bit,
        s_valid: Bit,
        s_discontinuity: Bit,
        s_pending: Bits<32>,
        s_lane: Bus<LANE_RESULT_W>,
        s_packet: Bus<PACKET_W>,
        s_state: Bus<TRACE_STATE_W>,
        s_place: Bus<PLACE_W>,
    }
    lane_inputs {}
    outputs EntriesOutputs { entry: Bus<ENTRY_W>, entry_valid: Bit, records: Bits<2>, }
    lane_outputs {}
    pair_outputs {}
    kernel itm_entries;
}

/// Whether a header is that of a global timestamp.
static IS_GLOBAL: LazyLock<Table> = LazyLock::new(|| {
    Table::new(1, |header| {
        let kind = HEADERS[header].kind;
        matches!(kind, Kind::GlobalTimestamp1 | Kind::GlobalTimestamp2).into()
    })
});

#[named]
fn itm_entries<T: Word, const N: usize, const P: usize>(
    i: EntriesInputs<T::Port, N>,
) -> EntriesOutputs<T, N, P> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let lane = LaneResult::<T>::unpack(&i.s_lane);
    let packet = Packet::<T>::unpack(&i.s_packet);
    let state = TraceState::<T>::unpack(&i.s_state);
    let place = Place::<T>::unpack(&i.s_place);
    let (valid, has_loss) = (bit(&i.s_valid), bit(&i.s_discontinuity));
    let pending = T::field(&i.s_pending, 0, 32);
    let before = pending.mask(has_loss.not());
    let has_first = lane.outcome.any();

    let (zeros, next) = T::register(32, valid.stage());
    let zeros = zeros.mask(valid.and(has_loss).not());
    let is_zero = lane.octet.any().not();
    let grown = saturating_sum(zeros, 1).mask(is_zero);
    T::set_next(next, valid.mux(grown, zeros).mask(bit(&i.reset).not()));

    let is_sync = lane.outcome.is(ending::SYNC);
    let is_packet = lane.outcome.is(ending::PACKET);
    let is_global = all(&[is_packet, packet.header.rom(&IS_GLOBAL)]);
    let none = |width: u32| T::constant(0, width);
    let entry = Entry {
        has_loss,
        has_first,
        has_second: none(1),
        loss_length: pending,
        first_ending: lane.outcome,
        first_suspect: lane.is_suspect,
        first_header: packet.header,
        first_last: lane.octet,
        first_length: saturating_sum(before, 1),
        second_ending: none(3),
        second_suspect: none(1),
        second_header: none(8),
        second_last: none(8),
        second_length: none(32),
        size: packet.len.extend(5),
        coding: state.is_global_complete.extend(2),
        master_known: none(1),
        master: state.page.extend(8),
        channel: none(16),
        lane: place.lane,
        data: is_sync.mux(zeros.extend(64), packet.payload.extend(64)),
        time: is_global.mux(state.global_time, state.local_time),
        row: place.row,
    };
    EntriesOutputs {
        entry: entry.pack(),
        entry_valid: vec![valid.and(any(&[has_loss, has_first]))],
        records: vec![has_first.extend(2).mask(valid)],
    }
}
