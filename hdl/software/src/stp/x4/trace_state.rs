// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state before a word: the loop that all of its packets change.

use super::super::layouts::{TraceState, coding};
use super::super::trace_state::{registers, set_next, version};
use super::changed::Changed;
use super::first::First;
use super::names::Names;
use super::stamps::Stamps;
use super::timestamp::replacement;
use coretrace_hdl_dataflow::{Word, named};

fn change<T: Word>(sets: T, clears: T, value: T) -> Changed<T> {
    Changed {
        changes: sets.or(clears),
        sets,
        value,
    }
}

/// What the first packet of a word that ends changes.
#[named]
fn names_of<T: Word>(first: &First<T>, reads: T) -> Names<T> {
    let opcode = first.opcode.map(|bit| bit.mask(reads));
    let data = first.packet.data;
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
    let of_first = names_of(first, reads);
    let first_coding = of_first.coding;
    let names = of_first.before(later);
    let lacks: Vec<T> = first
        .lacks
        .iter()
        .map(|lacks| lacks.or(reads.not()))
        .collect();
    let nibbles = packet.stamp_nibbles.mask(reads);
    let stamp = replacement(packet.stamp, nibbles, &lacks, stamps);

    let now = stamp.stage();
    let (before, next) = registers::<T>(now);
    let is_gray = |changed: Changed<T>| changed.of(before.coding).is(coding::GRAY);
    let timestamp = stamp.of(
        before.timestamp,
        [first_coding, names.coding_of_stamp].map(is_gray),
    );
    let is_frequency = opcode.is_frequency.and(reads).at_stage(now);
    let frequency = packet.data.slice(0, 32).at_stage(now);
    let channel = |low: u32| before.channel.slice(low, 8);
    let channel_high = names.channel_high.of(channel(8));
    let after = TraceState {
        master: names.master.of(before.master),
        is_master_known: names.is_master_known.of(before.is_master_known),
        channel: channel_high.concat(names.channel_low.of(channel(0))),
        timestamp,
        coding: names.coding.of(before.coding),
        has_frequency: before.has_frequency.or(is_frequency),
        frequency: is_frequency.mux(frequency, before.frequency),
    };
    let lives = lives.at_stage(now);
    set_next(next, after.map(|word| word.mask(lives)));
    before
}
