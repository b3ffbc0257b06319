// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state after the first packet of a word that ends, and after the word.
//!
//! Packets behind the first one lie in the word whole: they replace five nibbles of a timestamp at most, and two
//! of them that do cannot have a VERSION between them.

use super::super::layouts::{COUNT_W, Packet, TraceState, coding};
use super::super::trace_state::{
    Change, applied, parities, registers, replaced, set_next, stamped_nibbles, version,
};
use super::gather::Gathered;
use coretrace_hdl_dataflow::{Word, any, join, named};

/// Nibbles of a timestamp of a packet that is not the first one of its word.
const LATER_NIBBLES: u32 = 5;

/// What the packet of a byte changes, if it is not the first one of its word.
struct Later<T> {
    change: Change<T>,
    packet: Packet<T>,
}

/// All timestamps of later packets as one: how many nibbles they replace, and by what.
#[named]
fn stamp_of<T: Word>(later: &[Later<T>]) -> (T, T) {
    let nothing = (
        T::constant(0, COUNT_W as u32),
        T::constant(0, 4 * LATER_NIBBLES),
    );
    later.iter().fold(nothing, |(nibbles, value), later| {
        let size = later.packet.stamp_nibbles.mask(later.change.timestamp);
        let stamp = later.packet.stamp.extend(32);
        let merged = join((0..LATER_NIBBLES).map(|place| {
            let is_new = T::constant(place.into(), COUNT_W as u32).lt(size);
            is_new.mux(stamp.slice(4 * place, 4), value.slice(4 * place, 4))
        }));
        (nibbles.lt(size).mux(size, nibbles), merged)
    })
}

/// Master, channel and coding after a later packet.
#[named]
fn renamed<T: Word>(before: TraceState<T>, later: &Later<T>) -> TraceState<T> {
    let Later { change, packet } = later;
    let data = packet.data.extend(32);
    let low = data.slice(0, 8);
    let sets_low = any(&[change.channel, change.channel_low, change.clears_channel]);
    let sets_high = change.channel.or(change.clears_channel);
    let keeps = change.clears_channel.not();
    let channel_low = sets_low.mux(low.mask(keeps), before.channel.slice(0, 8));
    let high = data.slice(8, 8).mask(keeps);
    let channel_high = sets_high.mux(high, before.channel.slice(8, 8));
    let sets_master = change.master.or(change.clears_master);
    let is_known = before.is_master_known.and(change.forgets_master.not());
    TraceState {
        master: sets_master.mux(low.mask(change.master), before.master),
        is_master_known: change.master.or(is_known),
        channel: channel_high.concat(channel_low),
        coding: change.coding.mux(version(data), before.coding),
        ..before
    }
}

/// The trace state after the first packet of each word, or after the word. `changes` has what the packet of each
/// byte changes, `ends` whether one ends there. Five registers behind the packets.
#[named]
pub fn trace_state<T: Word>(
    gathered: &Gathered<T>,
    changes: &[Change<T>],
    ends: &[T],
    lives: T,
) -> TraceState<T> {
    let nothing = changes[0].map(|bit| bit.mask(T::constant(0, 1)));
    let first = ends.iter().zip(changes).rev();
    let first = first.fold(nothing, |later, (&end, &change)| {
        Change::mux(end, change, later)
    });
    let later = (1..changes.len()).map(|byte| {
        let is_later = any(&ends[..byte]);
        Later {
            change: changes[byte].map(|bit| bit.and(is_later).reg()),
            packet: gathered.by_byte[byte].map(T::reg),
        }
    });
    let later: Vec<Later<T>> = later.collect();
    let (later_nibbles, later_stamp) = stamp_of(&later);
    let (later_nibbles, later_stamp) = (later_nibbles.reg(), later_stamp.reg());

    let reach = 4 * (LATER_NIBBLES + 1);
    let later_stamp = later_stamp.extend(reach);
    let later_parities = parities(later_stamp);
    let now = later_parities.stage();
    let first_parities = parities(gathered.first.stamp.reg()).at_stage(now);
    let later: Vec<Later<T>> = later
        .iter()
        .map(|later| Later {
            change: later.change.map(|bit| bit.at_stage(now)),
            packet: later.packet.map(|word| word.at_stage(now)),
        })
        .collect();
    let (before, next) = registers::<T>(now);
    let packet = Packet {
        stamp_nibbles: stamped_nibbles(&first, &gathered.first).reg(),
        ..gathered.first.map(|word| word.at_stage(now))
    };
    let first = first.map(|bit| bit.at_stage(now));
    let state = applied(&before, &first, &packet, &first_parities);

    // A VERSION before a later timestamp ends in the byte before the last one.
    let coding_change = &later[later.len() - 2];
    let coding = coding_change
        .change
        .coding
        .mux(version(coding_change.packet.data), state.coding);
    let low = replaced(
        state.timestamp.slice(0, reach),
        later_nibbles.at_stage(now),
        later_stamp.at_stage(now),
        &later_parities,
        coding.is(coding::GRAY),
    );
    let timestamp = state.timestamp.slice(reach, 64 - reach).concat(low);
    let after = later.iter().fold(state, renamed);
    // A reset clears both in the same way, so that fields which no later packet changes have one register.
    let lives = lives.at_stage(now);
    let after = TraceState { timestamp, ..after };
    set_next(next, after.map(|word| word.mask(lives)));
    state.map(|word| word.mask(lives))
}
