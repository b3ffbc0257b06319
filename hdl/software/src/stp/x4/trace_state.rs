// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state before a word: the loop that all of its packets change.

use super::super::layouts::{TraceState, coding};
use super::super::trace_state::{
    lowest, lowest_above, parities, registers, replaced, set_next, version,
};
use super::changed::Changed;
use super::first::First;
use super::names::Names;
use super::stamps::Stamps;
use coretrace_hdl_dataflow::{Word, named, priority_mux};

/// What all packets of a word change, by the first one that ends and those that lie in the word whole.
#[named]
fn names_of<T: Word>(first: &First<T>, reads: T, later: Names<T>) -> Names<T> {
    let opcode = first.opcode.map(|bit| bit.mask(reads));
    let data = first.packet.data;
    let change = |sets: T, clears: T, value: T| Changed {
        changes: sets.or(clears),
        sets,
        value,
    };
    let one = T::constant(1, 1);
    let (low, high) = (data.slice(0, 8), data.slice(8, 8));
    let coding = change(opcode.is_version, opcode.is_version, version(data));
    Names {
        master: change(opcode.sets_master, opcode.clears_master, low),
        is_master_known: change(opcode.sets_master, opcode.forgets_master, one),
        channel_low: change(opcode.sets_channel, opcode.clears_channel, low),
        channel_high: change(opcode.sets_high, opcode.clears_channel, high),
        coding,
        coding_of_stamp: coding,
    }
    .before(later)
}

/// The trace state before each word. `reads` says whether the first packet that ends is read.
#[named]
pub fn trace_state<T: Word>(
    first: &First<T>,
    reads: T,
    later: Names<T>,
    stamps: &Stamps<T>,
    lives: T,
) -> TraceState<T> {
    let First { packet, opcode, .. } = first;
    let reads = reads.at_stage(packet.data.stage());
    let names = names_of(first, reads, later);
    let stays = |lacks: &T| reads.mux(*lacks, T::constant(1, 1)).reg();
    let lacks: Vec<T> = first.lacks.iter().map(stays).collect();
    let first_parities = parities(packet.stamp);
    let later_parities = parities(stamps.value);

    let now = first_parities.stage().max(later_parities.stage());
    let at_now = |words: &[T]| words.iter().map(|it| it.at_stage(now)).collect::<Vec<T>>();
    let (before, next) = registers::<T>(now);
    let nibbles = packet.stamp_nibbles.at_stage(now);
    let timestamp = replaced(
        before.timestamp,
        &at_now(&lacks),
        lowest_above(before.timestamp, nibbles),
        packet.stamp.at_stage(now),
        &first_parities.at_stage(now),
        before.coding.is(coding::GRAY),
    );
    let lacks = at_now(&stamps.lacks);
    let reach = 4 * lacks.len() as u32;
    let above: Vec<(T, T)> = lacks.iter().copied().zip(lowest(timestamp)).collect();
    let low = replaced(
        timestamp.slice(0, reach),
        &lacks,
        priority_mux(&above, timestamp.bit(reach)),
        stamps.value.at_stage(now),
        &later_parities.at_stage(now),
        names.coding_of_stamp.of(before.coding).is(coding::GRAY),
    );
    let is_frequency = opcode.is_frequency.and(reads).at_stage(now);
    let frequency = packet.data.slice(0, 32).at_stage(now);
    let channel = |low: u32| before.channel.slice(low, 8);
    let channel_high = names.channel_high.of(channel(8));
    let after = TraceState {
        master: names.master.of(before.master),
        is_master_known: names.is_master_known.of(before.is_master_known),
        channel: channel_high.concat(names.channel_low.of(channel(0))),
        timestamp: timestamp.slice(reach, 64 - reach).concat(low),
        coding: names.coding.of(before.coding),
        has_frequency: before.has_frequency.or(is_frequency),
        frequency: is_frequency.mux(frequency, before.frequency),
    };
    let lives = lives.at_stage(now);
    set_next(next, after.map(|word| word.mask(lives)));
    before
}
