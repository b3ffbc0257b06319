// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state: page, local and global time. The software twin is `coretrace_itm::State`.

use super::layouts::{LEN_W, Packet, TraceState};
use super::table::{Change, change};
use coretrace_hdl_dataflow::{Word, all, any, join, mux4, named};

/// The lowest bit of the high part of a global timestamp.
pub(super) const HIGH_BIT: u32 = 26;

/// 7 bits of each of so many bytes of a payload.
pub(super) fn continued<T: Word>(payload: T, bytes: u32) -> T {
    join((0..bytes).map(|byte| payload.slice(8 * byte, 7)))
}

/// The value of a local timestamp of at most so many bytes of payload.
pub(super) fn local_value<T: Word>(packet: &Packet<T>, bytes: u32) -> T {
    let in_header = packet.header.slice(4, 3).extend(7 * bytes);
    let is_short = packet.len.any().not();
    is_short.mux(in_header, continued(packet.payload, bytes))
}

/// The ticks of a value of local timestamps, by the prescaler of ITM_TCR.
pub(super) fn ticks<T: Word>(value: T, itm_tcr: T) -> T {
    let width = value.width() + 6;
    let times = |shift: u32| {
        let value = value.extend(width - shift);
        if shift == 0 {
            value
        } else {
            value.concat(T::constant(0, shift))
        }
    };
    let scale = itm_tcr.slice(8, 2).mask(itm_tcr.bit(4));
    mux4(scale, [0, 2, 4, 6].map(times))
}

/// The low bits of the global timestamp: of as many bytes as the packet has.
fn low_time<T: Word>(old: T, packet: &Packet<T>) -> T {
    let value = continued(packet.payload, 4);
    let part = |byte: u32| {
        let (low, width) = (7 * byte, 7u32.min(HIGH_BIT - 7 * byte));
        let is_new = T::constant(byte.into(), LEN_W as u32).lt(packet.len);
        is_new.mux(value.slice(low, width), old.slice(low, width))
    };
    old.slice(HIGH_BIT, 64 - HIGH_BIT)
        .concat(join((0..4).map(part)))
}

/// What a packet changes, and the parts of it.
#[derive(Clone, Copy)]
pub(super) struct Applied<T> {
    pub change: Change<T>,
    pub packet: Packet<T>,
}

/// Page and global time after a packet; the local time is left alone.
#[named]
pub(super) fn applied<T: Word>(before: TraceState<T>, of: &Applied<T>) -> TraceState<T> {
    let Applied { change, packet } = of;
    let high = continued(packet.payload, 6).slice(0, 64 - HIGH_BIT);
    let with_high = high.concat(before.global_time.slice(0, HIGH_BIT));
    let with_low = low_time(before.global_time, packet);
    let global_time = change.global_low.mux(with_low, before.global_time);
    let wraps = all(&[
        change.global_low,
        packet.len.is(4),
        packet.payload.bit(3 * 8 + 6),
    ]);
    let sets_page = change.extension.and(packet.len.any().not());
    TraceState {
        page: sets_page.mux(packet.header.slice(4, 3), before.page),
        global_time: change.global_high.mux(with_high, global_time),
        is_global_complete: any(&[
            change.global_high,
            before.is_global_complete.and(wraps.not()),
        ]),
        ..before
    }
}

/// The registers of a trace state that is read at a stage.
#[named]
pub(super) fn registers<T: Word>(stage: u32) -> (TraceState<T>, TraceState<T::RegisterHandle>) {
    let (page, next_page) = T::register(3, stage);
    let (local_time, next_local) = T::register(64, stage);
    let (global_time, next_global) = T::register(64, stage);
    let (is_global_complete, next_complete) = T::register(1, stage);
    let state = TraceState {
        page,
        local_time,
        global_time,
        is_global_complete,
    };
    let next = TraceState {
        page: next_page,
        local_time: next_local,
        global_time: next_global,
        is_global_complete: next_complete,
    };
    (state, next)
}

/// Sets the next value of these registers; 0 in a reset.
pub(super) fn set_next<T: Word>(
    registers: TraceState<T::RegisterHandle>,
    state: TraceState<T>,
    lives: T,
) {
    let next = state.map(|word| word.mask(lives));
    T::set_next(registers.page, next.page);
    T::set_next(registers.local_time, next.local_time);
    T::set_next(registers.global_time, next.global_time);
    T::set_next(registers.is_global_complete, next.is_global_complete);
}

/// The trace state after each byte; `ends` says that a packet does, one register behind it.
#[named]
pub(super) fn trace_state<T: Word>(
    ends: T,
    packet: Packet<T>,
    itm_tcr: T,
    lives: T,
) -> TraceState<T> {
    let change = change(packet.header).map(|bit| bit.and(ends).reg());
    let ticks = ticks(local_value(&packet, 4), itm_tcr).extend(64).reg();
    let packet = packet.map(T::reg);
    let lives = lives.reg();
    let (before, next) = registers::<T>(ends.stage() + 1);
    let added = change
        .local
        .mux(before.local_time.add(ticks), before.local_time);
    let state = TraceState {
        local_time: added.mask(change.overflow.not()),
        ..applied(before, &Applied { change, packet })
    };
    set_next(next, state, lives);
    state
}
