// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state after the first packet of a word that ends, and after the word.
//!
//! Packets behind the first one lie in the word whole and have two bytes of payload at most, so that one of them
//! at most has a global timestamp.

use super::super::layouts::{Packet, TraceState};
use super::super::table::{Change, change};
use super::super::trace_state::{
    Applied, HIGH_BIT, applied, continued, local_value, registers, set_next, ticks,
};
use super::gather::Gathered;
use crate::input::of_next;
use coretrace_hdl_dataflow::{Word, any, named};

/// Bytes of the payload of a packet that is not the first one of its word.
const LATER_BYTES: u32 = 2;
/// Bits of the sum of their local timestamps.
const SUM_W: u32 = 7 * LATER_BYTES + 1;

/// What the local timestamps of later packets add, and whether an overflow is among them: then the sum is of those
/// behind it.
#[named]
fn local_sum<T: Word>(later: &[Applied<T>]) -> (T, T) {
    let nothing = (T::constant(0, SUM_W), T::constant(0, 1));
    later.iter().fold(nothing, |(sum, clears), later| {
        let value = local_value(&later.packet, LATER_BYTES).mask(later.change.local);
        let sum = sum.add(value.extend(SUM_W));
        let overflow = later.change.overflow;
        (sum.mask(overflow.not()), clears.or(overflow))
    })
}

/// Page and global time after a later packet.
#[named]
fn renewed<T: Word>(before: TraceState<T>, later: &Applied<T>) -> TraceState<T> {
    let Applied { change, packet } = later;
    let value = continued(packet.payload, LATER_BYTES);
    let global = before.global_time;
    let one = packet.len.is(1);
    let low = global.slice(14, HIGH_BIT - 14).concat(
        one.mux(global.slice(7, 7), value.slice(7, 7))
            .concat(value.slice(0, 7)),
    );
    let low = change.global_low.mux(low, global.slice(0, HIGH_BIT));
    let high = global.slice(HIGH_BIT, 64 - HIGH_BIT);
    let high = change.global_high.mux(value.extend(64 - HIGH_BIT), high);
    let sets_page = change.extension.and(packet.len.any().not());
    TraceState {
        page: sets_page.mux(packet.header.slice(4, 3), before.page),
        global_time: high.concat(low),
        is_global_complete: before.is_global_complete.or(change.global_high),
        ..before
    }
}

/// The trace state after the first packet of each word, or after the word. `is_packet` says of each byte that a
/// packet is read there, `ends` that one ends, read or not. Five registers behind the packets.
#[named]
pub fn trace_state<T: Word>(
    gathered: &Gathered<T>,
    is_packet: &[T],
    ends: &[T],
    itm_tcr: T,
    lives: T,
) -> TraceState<T> {
    let changed =
        |packet: &Packet<T>, gate: T| change(packet.header).map(|bit| bit.and(gate).reg());
    let nothing = T::constant(0, 1);
    let reads = ends.iter().zip(is_packet).rev();
    let reads_first = reads.fold(nothing, |later, (&end, &is_packet)| {
        end.mux(is_packet, later)
    });
    let first: Change<T> = changed(&gathered.first, reads_first);
    let now = first.local.stage();
    let later = (1..ends.len()).map(|byte| {
        let packet = gathered.by_byte[byte];
        Applied {
            change: changed(&packet, is_packet[byte].and(any(&ends[..byte]))),
            packet: packet.map(|word| word.at_stage(now)),
        }
    });
    let later: Vec<Applied<T>> = later.collect();
    let packet = gathered.first.map(|word| word.at_stage(now));
    let (sum, clears) = local_sum(&later);
    let later_ticks = ticks(sum.reg(), itm_tcr).reg();
    let clears = clears.reg();
    let value = local_value(&packet, 4).mask(first.local);
    let first_ticks = ticks(value, itm_tcr).reg();
    let [one, others] =
        [first_ticks, later_ticks].map(|ticks| ticks.extend(first_ticks.width() + 1));
    let all_ticks = one.add(others).reg();

    let now = all_ticks.stage();
    let moved = |of: &Applied<T>| Applied {
        change: of.change.map(|bit| bit.at_stage(now)),
        packet: of.packet.map(|word| word.at_stage(now)),
    };
    let later: Vec<Applied<T>> = later.iter().map(moved).collect();
    let first = moved(&Applied {
        change: first,
        packet,
    });
    let (before, next) = registers::<T>(now);
    let added = before.local_time.add(first_ticks.at_stage(now).extend(64));
    let state = TraceState {
        local_time: added.mask(first.change.overflow.not()),
        ..applied(before, &first)
    };
    let cut = clears.at_stage(now).or(first.change.overflow);
    let later_ticks = later_ticks.at_stage(now).extend(64);
    let local_time = cut.mux(later_ticks, before.local_time.add(all_ticks.extend(64)));
    let after = later.iter().fold(state, renewed);
    set_next(
        next,
        TraceState {
            local_time,
            ..after
        },
        of_next(lives, now),
    );
    state
}
