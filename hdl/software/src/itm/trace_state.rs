// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state: page, local and global time. The software twin is `coretrace_itm::State`.

use super::layouts::{LEN_W, Packet, TraceState};
use super::table::change;
use coretrace_hdl_dataflow::{Word, all, any, join, mux4, named};

/// The lowest bit of the high part of a global timestamp.
const HIGH_BIT: u32 = 26;

/// 7 bits of each of so many bytes of a payload.
fn continued<T: Word>(payload: T, bytes: u32) -> T {
    join((0..bytes).map(|byte| payload.slice(8 * byte, 7)))
}

/// The ticks of a local timestamp, times the prescaler of ITM_TCR.
fn ticks<T: Word>(packet: &Packet<T>, itm_tcr: T) -> T {
    let in_header = packet.header.slice(4, 3).extend(28);
    let is_short = packet.len.any().not();
    let value = is_short.mux(in_header, continued(packet.payload, 4));
    let times = |shift: u32| {
        let value = value.extend(34 - shift);
        if shift == 0 {
            value
        } else {
            value.concat(T::constant(0, shift))
        }
    };
    let scale = itm_tcr.slice(8, 2).mask(itm_tcr.bit(4));
    mux4(scale, [0, 2, 4, 6].map(times)).extend(64)
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

/// The trace state after each byte; `ends` says that a packet does, one register behind it.
#[named]
pub(super) fn trace_state<T: Word>(
    ends: T,
    packet: Packet<T>,
    itm_tcr: T,
    lives: T,
) -> TraceState<T> {
    let change = change(packet.header).map(|bit| bit.and(ends).reg());
    let ticks = ticks(&packet, itm_tcr).reg();
    let packet = packet.map(T::reg);
    let lives = lives.reg();
    let now = ends.stage() + 1;
    let (page, next_page) = T::register(3, now);
    let (local_time, next_local) = T::register(64, now);
    let (global_time, next_global) = T::register(64, now);
    let (is_complete, next_complete) = T::register(1, now);

    let high = continued(packet.payload, 6).slice(0, 64 - HIGH_BIT);
    let with_high = high.concat(global_time.slice(0, HIGH_BIT));
    let with_low = low_time(global_time, &packet);
    let wraps = all(&[
        change.global_low,
        packet.len.is(4),
        packet.payload.bit(3 * 8 + 6),
    ]);
    let sets_page = change.extension.and(packet.len.any().not());
    let added = change.local.mux(local_time.add(ticks), local_time);
    let state = TraceState {
        page: sets_page.mux(packet.header.slice(4, 3), page),
        local_time: added.mask(change.overflow.not()),
        global_time: change
            .global_high
            .mux(with_high, change.global_low.mux(with_low, global_time)),
        is_global_complete: any(&[change.global_high, is_complete.and(wraps.not())]),
    };
    T::set_next(next_page, state.page.mask(lives));
    T::set_next(next_local, state.local_time.mask(lives));
    T::set_next(next_global, state.global_time.mask(lives));
    T::set_next(next_complete, state.is_global_complete.and(lives));
    state
}
