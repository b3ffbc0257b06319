// SPDX-License-Identifier: MIT OR Apache-2.0
//! `EntrySelect`: which entry goes out next, as the words of a beat.
//!
//! | port | dir | meaning |
//! |---|---|---|
//! | `room` | in | an entry may go out |
//! | `trace_id[6:0]` | in | of the source that the sums are of |
//! | `marker`, `marker_kind[3:0]`, `marker_weight[31:0]` | in | an entry that is no sum; it goes first |
//! | `fills_packet` | in | the next entry is the last one that a packet has room for |
//! | `entry_valid[4]`, `entry[4]` | in | [`SumEntry`] of each lane that waits |
//! | `take[4]` | out | which of them goes |
//! | `beat[127:0]`, `beat[128]`, `beat_valid` | out | the entry, four words; a packet ends with it, because it is no sum or the packet is full |
//!
//! Combinational. The first lane that has one goes; the others wait.

use super::events::FIRST_KIND;
use super::sum_step::{SUM_ENTRY_W, SumEntry};
use crate::records::BEAT_W;
use coretrace_hdl_dataflow::{Bus, Word, all, any, kernel_block, priority_mux};
use rust_hdl::prelude::*;

kernel_block! {
    /// The choice of an entry; see the module text.
    pub struct EntrySelect;
    inputs SelectInputs {
        room: Bit,
        trace_id: Bits<7>,
        marker: Bit,
        marker_kind: Bits<4>,
        marker_weight: Bits<32>,
        fills_packet: Bit,
    }
    lane_inputs { entry_valid: Bit, entry: Bus<SUM_ENTRY_W>, }
    outputs SelectOutputs { beat: Bus<BEAT_W>, beat_valid: Bit, }
    lane_outputs { take: Bit, }
    kernel entry_select;
}

fn entry_select<T: Word, const N: usize>(i: SelectInputs<T::Port, N>) -> SelectOutputs<T, N> {
    let bit = |port: &T::Port| T::field(port, 0, 1);
    let (room, marker) = (bit(&i.room), bit(&i.marker));
    let waits: [T; N] = std::array::from_fn(|lane| bit(&i.entry_valid[lane]));
    let entries: [SumEntry<T>; N] = std::array::from_fn(|lane| SumEntry::unpack(&i.entry[lane]));
    let choose = |of: fn(&SumEntry<T>) -> T, of_marker: T| {
        let lanes = waits.iter().zip(&entries).map(|(&w, entry)| (w, of(entry)));
        let cases: Vec<(T, T)> = [(marker, of_marker)].into_iter().chain(lanes).collect();
        priority_mux(&cases, of_marker)
    };
    let zero = |bits| T::constant(0, bits);
    let kind = choose(
        |entry| entry.kind.extend(4).add_const(FIRST_KIND),
        T::field(&i.marker_kind, 0, 4),
    );
    let beat = [
        kind,
        zero(4),
        T::field(&i.trace_id, 0, 7),
        zero(17),
        choose(|entry| entry.sum, T::field(&i.marker_weight, 0, 32)),
        choose(|entry| entry.key, zero(64)),
        marker.or(bit(&i.fills_packet)),
    ];
    let take = std::array::from_fn(|lane| {
        let first = any(&waits[..lane]).not();
        vec![all(&[room, marker.not(), waits[lane], first])]
    });
    SelectOutputs {
        beat: beat.to_vec(),
        beat_valid: vec![room.and(marker.or(any(&waits)))],
        take,
    }
}
