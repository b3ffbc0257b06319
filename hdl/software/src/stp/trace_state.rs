// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state: master, channel, timestamp, coding, frequency. The software twin is `coretrace_stm::State`.

use super::layouts::{COUNT_W, Packet, Role, TraceState, coding, outcome};
use coretrace_hdl_dataflow::{Table, Word, all, any, join, layout, mux_tree, named};
use coretrace_stm::{Kind, OPCODES};
use std::sync::LazyLock;

layout! {
    /// What a packet changes.
    struct Change {
        master: 1,
        channel_low: 1,
        channel: 1,
        clears_master: 1,
        clears_channel: 1,
        forgets_master: 1,
        frequency: 1,
        coding: 1,
        timestamp: 1,
    }
}

/// By the number of the opcode.
static CHANGES: LazyLock<Table> = LazyLock::new(|| {
    Change::table(|row| {
        let opcode = OPCODES.get(row);
        let is = |kinds: &[Kind]| opcode.is_some_and(|it| kinds.contains(&it.kind));
        Change {
            master: is(&[Kind::Master]),
            channel_low: is(&[Kind::Channel8]),
            channel: is(&[Kind::Channel16]),
            clears_master: is(&[Kind::GlobalError, Kind::Version]),
            clears_channel: is(&[
                Kind::Master,
                Kind::MasterError,
                Kind::GlobalError,
                Kind::Version,
            ]),
            forgets_master: is(&[Kind::GlobalError]),
            frequency: is(&[Kind::Frequency]),
            coding: is(&[Kind::Version]),
            timestamp: opcode.is_some_and(|it| it.is_stamped),
        }
    })
});

/// What the packet of a byte changes. Only the first nibble that ends a record counts: a second one ends a NULL
/// or an ASYNC.
#[named]
fn change<T: Word>(roles: &[Role<T>]) -> Change<T> {
    let mut which = (T::constant(0, 1), roles[0].row);
    for role in roles.iter().rev() {
        let is_packet = role.outcome.is(outcome::PACKET);
        let ends = role.outcome.any();
        which = (ends.mux(is_packet, which.0), ends.mux(role.row, which.1));
    }
    let (is_packet, row) = which;
    Change::split(row.extend(8).rom(&CHANGES)).map(|bit| bit.and(is_packet))
}

/// The value of a timestamp as if it were Gray code: each bit is the parity of those from it upwards. Two
/// registers.
#[named]
fn parities<T: Word>(value: T) -> T {
    let fold = |value: T, by: u32| value.xor(value.slice(by, 64 - by).extend(64));
    let near = fold(fold(fold(value, 1), 2), 4).reg();
    fold(fold(fold(near, 8), 16), 32).reg()
}

/// A timestamp whose low nibbles are replaced in its coding. In Gray code, the bits above stay as they are in
/// natural binary too, and each bit below is its parity up to there and the lowest bit above.
#[named]
fn replaced<T: Word>(old: T, nibbles: T, value: T, parities: T, is_gray: T) -> T {
    let lowest: Vec<T> = (0..16).map(|nibble| old.bit(4 * nibble)).collect();
    let is_whole = nibbles.bit(4);
    let above = mux_tree(&lowest, nibbles.slice(0, 4), 4).and(is_whole.not());
    let flips = above.and(is_gray);
    let new = is_gray.mux(parities, value);
    join((0..16).map(|nibble: u32| {
        let is_new = T::constant(nibble.into(), COUNT_W as u32).lt(nibbles);
        let flipped = new.slice(4 * nibble, 4).xor(join([flips; 4]));
        is_new.mux(flipped, old.slice(4 * nibble, 4))
    }))
}

/// The trace state after each byte, two registers behind the packet.
#[named]
pub(super) fn trace_state<T: Word>(
    roles: &[Role<T>],
    packet: Packet<T>,
    lives: T,
) -> TraceState<T> {
    let parities = parities(packet.stamp);
    let now = parities.stage();
    let change = change(roles).map(|bit| bit.at_stage(now));
    let packet = Packet {
        data: packet.data.at_stage(now),
        stamp_nibbles: packet.stamp_nibbles.at_stage(now),
        stamp: packet.stamp.at_stage(now),
    };
    let lives = lives.at_stage(now);
    let register = |width: usize| T::register(width as u32, now);
    let (master, next_master) = register(8);
    let (is_master_known, next_known) = register(1);
    let (channel, next_channel) = register(16);
    let (timestamp, next_timestamp) = register(64);
    let (coding, next_coding) = register(2);
    let (has_frequency, next_has_frequency) = register(1);
    let (frequency, next_frequency) = register(32);

    let low = |width: u32| packet.data.slice(0, width);
    let is_gray = coding.is(coding::GRAY);
    let stamped = replaced(
        timestamp,
        packet.stamp_nibbles,
        packet.stamp,
        parities,
        is_gray,
    );
    let channel_low = channel.slice(8, 8).concat(low(8));
    let new_channel = change
        .channel
        .mux(low(16), change.channel_low.mux(channel_low, channel));
    let version = packet.data.bit(2).concat(packet.data.bit(0));
    let state = TraceState {
        master: change
            .master
            .mux(low(8), master.mask(change.clears_master.not())),
        is_master_known: any(&[
            change.master,
            all(&[is_master_known, change.forgets_master.not()]),
        ]),
        channel: new_channel.mask(change.clears_channel.not()),
        timestamp: change.timestamp.mux(stamped, timestamp),
        coding: change.coding.mux(version, coding),
        has_frequency: has_frequency.or(change.frequency),
        frequency: change.frequency.mux(low(32), frequency),
    };
    T::set_next(next_master, state.master.mask(lives));
    T::set_next(next_known, state.is_master_known.and(lives));
    T::set_next(next_channel, state.channel.mask(lives));
    T::set_next(next_timestamp, state.timestamp.mask(lives));
    T::set_next(next_coding, state.coding.mask(lives));
    T::set_next(next_has_frequency, state.has_frequency.and(lives));
    T::set_next(next_frequency, state.frequency.mask(lives));
    state
}
