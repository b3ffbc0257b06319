// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state: master, channel, timestamp, coding, frequency. The software twin is `coretrace_stm::State`.

use super::layouts::{COUNT_W, Packet, Role, TraceState, coding, outcome};
use coretrace_hdl_dataflow::{Table, Word, all, any, join, layout, mux_tree, named};
use coretrace_stm::{Kind, OPCODES, Opcode};
use std::sync::LazyLock;

layout! {
    /// What a packet changes.
    pub struct Change {
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

/// What a packet of this opcode changes.
pub(super) fn change_of(opcode: Option<Opcode>) -> Change<u64> {
    let is = |kinds: &[Kind]| opcode.is_some_and(|it| kinds.contains(&it.kind)).into();
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
        timestamp: opcode.is_some_and(|it| it.is_stamped).into(),
    }
}

/// By the number of the opcode.
static CHANGES: LazyLock<Table> =
    LazyLock::new(|| Change::table(|row| change_of(OPCODES.get(row).copied())));

/// What the packet of a byte changes, by the outcome and the row of each nibble. Only the first nibble that ends a
/// record counts: a second one ends a NULL or an ASYNC.
#[named]
pub(super) fn change<T: Word>(nibbles: &[(T, T)]) -> Change<T> {
    let mut which = (T::constant(0, 1), nibbles[0].1);
    for &(outcome, row) in nibbles.iter().rev() {
        let is_packet = outcome.is(outcome::PACKET);
        let ends = outcome.any();
        which = (ends.mux(is_packet, which.0), ends.mux(row, which.1));
    }
    let (is_packet, row) = which;
    Change::split(row.extend(8).rom(&CHANGES)).map(|bit| bit.and(is_packet))
}

/// Whether a nibble has an odd number of ones.
pub(super) fn parity<T: Word>(nibble: T) -> T {
    let bits = (0..4).map(|bit| nibble.bit(bit));
    bits.reduce(T::xor).expect("a bit")
}

/// For each nibble of a value the parity of all nibbles above it, by the parity of each. Two registers.
#[named]
pub(super) fn parities_above<T: Word>(parities: T) -> T {
    let places = parities.width();
    let above = parities.reg().slice(1, places - 1).extend(places);
    let fold = |value: T, by: u32| value.xor(value.slice(by, places - by).extend(places));
    [1, 2, 4, 8].into_iter().fold(above, fold).reg()
}

/// A nibble in natural binary. In Gray code each bit is the parity of those from it upwards; `above` is the parity of
/// those above the nibble.
pub(super) fn natural<T: Word>(nibble: T, above: T, is_gray: T) -> T {
    let bits = (0..4).map(|from| {
        let upwards = (from..4).map(|bit| nibble.bit(bit));
        upwards.reduce(T::xor).expect("a bit").xor(above)
    });
    is_gray.mux(join(bits), nibble)
}

/// For each nibble of a timestamp whether a packet with so many of them lacks it.
pub(super) fn lacked<T: Word>(nibbles: T) -> Vec<T> {
    let counts = 1..=16;
    counts
        .map(|count| nibbles.lt(T::constant(count, COUNT_W as u32)))
        .collect()
}

/// The lowest bit of a timestamp above so many nibbles.
pub(super) fn lowest_above<T: Word>(timestamp: T, nibbles: T) -> T {
    let lowest: Vec<T> = (0..16).map(|nibble| timestamp.bit(4 * nibble)).collect();
    let lowest = mux_tree(&lowest, nibbles.slice(0, 4), 4);
    lowest.and(nibbles.bit(4).not())
}

/// The registers of a trace state that is read at a stage.
#[named]
pub(super) fn registers<T: Word>(stage: u32) -> (TraceState<T>, TraceState<T::RegisterHandle>) {
    let register = |width: u32| T::register(width, stage);
    let (master, next_master) = register(8);
    let (is_master_known, next_known) = register(1);
    let (channel, next_channel) = register(16);
    let (timestamp, next_timestamp) = register(64);
    let (coding, next_coding) = register(2);
    let (has_frequency, next_has_frequency) = register(1);
    let (frequency, next_frequency) = register(32);
    let state = TraceState {
        master,
        is_master_known,
        channel,
        timestamp,
        coding,
        has_frequency,
        frequency,
    };
    let next = TraceState {
        master: next_master,
        is_master_known: next_known,
        channel: next_channel,
        timestamp: next_timestamp,
        coding: next_coding,
        has_frequency: next_has_frequency,
        frequency: next_frequency,
    };
    (state, next)
}

/// Sets the next value of these registers.
pub(super) fn set_next<T: Word>(registers: TraceState<T::RegisterHandle>, next: TraceState<T>) {
    T::set_next(registers.master, next.master);
    T::set_next(registers.is_master_known, next.is_master_known);
    T::set_next(registers.channel, next.channel);
    T::set_next(registers.timestamp, next.timestamp);
    T::set_next(registers.coding, next.coding);
    T::set_next(registers.has_frequency, next.has_frequency);
    T::set_next(registers.frequency, next.frequency);
}

/// The nibbles that a packet replaces of a timestamp: none of one that has no timestamp of its own.
pub(super) fn stamped_nibbles<T: Word>(change: &Change<T>, packet: &Packet<T>) -> T {
    packet.stamp_nibbles.mask(change.timestamp)
}

/// The trace state after a packet; its nibbles are those of [`stamped_nibbles`], its parities those of
/// [`parities_above`].
#[named]
pub(super) fn applied<T: Word>(
    before: &TraceState<T>,
    change: &Change<T>,
    packet: &Packet<T>,
    parities: T,
) -> TraceState<T> {
    let low = |width: u32| packet.data.slice(0, width);
    let nibbles = packet.stamp_nibbles;
    let above = lowest_above(before.timestamp, nibbles);
    let is_gray = before.coding.is(coding::GRAY);
    let stamped = (0..).zip(lacked(nibbles)).map(|(place, stays)| {
        let nibble = |of: T| of.slice(4 * place, 4);
        // The bits above stay as they are in natural binary too.
        let new = natural(
            nibble(packet.stamp),
            above.xor(parities.bit(place)),
            is_gray,
        );
        stays.mux(nibble(before.timestamp), new)
    });
    let channel_low = before.channel.slice(8, 8).concat(low(8));
    let new_channel = change
        .channel
        .mux(low(16), change.channel_low.mux(channel_low, before.channel));
    let kept_master = before.master.mask(change.clears_master.not());
    TraceState {
        master: change.master.mux(low(8), kept_master),
        is_master_known: any(&[
            change.master,
            all(&[before.is_master_known, change.forgets_master.not()]),
        ]),
        channel: new_channel.mask(change.clears_channel.not()),
        timestamp: join(stamped),
        coding: change.coding.mux(version(packet.data), before.coding),
        has_frequency: before.has_frequency.or(change.frequency),
        frequency: change.frequency.mux(low(32), before.frequency),
    }
}

/// The coding of a legal VERSION, by its data.
pub(super) fn version<T: Word>(data: T) -> T {
    data.bit(2).concat(data.bit(0))
}

/// The trace state after each byte, two registers behind the packet.
#[named]
pub(super) fn trace_state<T: Word>(
    roles: &[Role<T>],
    packet: Packet<T>,
    lives: T,
) -> TraceState<T> {
    let parities = (0..16).map(|place| parity(packet.stamp.slice(4 * place, 4)));
    let parities = parities_above(join(parities));
    let now = parities.stage();
    let nibbles: Vec<(T, T)> = roles.iter().map(|it| (it.outcome, it.row)).collect();
    let change = change(&nibbles).map(|bit| bit.at_stage(now));
    let packet = Packet {
        stamp_nibbles: stamped_nibbles(&change, &packet),
        ..packet.map(|word| word.at_stage(now))
    };
    let (before, next) = registers::<T>(now);
    let state = applied(&before, &change, &packet, parities);
    let lives = lives.at_stage(now);
    let state = state.map(|word| word.mask(lives));
    set_next(next, state);
    state
}
