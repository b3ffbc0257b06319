// SPDX-License-Identifier: MIT OR Apache-2.0
//! The three address registers, pair of lanes by pair.
//!
//! Of two lanes at most one completes an address or clears the registers, since both take a packet of
//! two or more bytes; the other one may name a register. So each register after a pair is one of
//! four values: the three registers before it, and the address of the pair. Bits that an address
//! writes under the same conditions are a group, and each group has its own selects.
//! Source of the formats: Arm IHI 0064, Address instruction trace packets.

use super::layouts::Action;
use coretrace_hdl_dataflow::{Word, any, join, latest, named, priority_mux};

/// Widths of the groups, lowest bits first. Bits 8 and 16 are groups of their own: a short address
/// with IS1 ends one bit lower. The IS bit is a bit above the address.
const WIDTHS: [u32; 7] = [8, 1, 7, 1, 15, 32, 1];
/// Number of groups.
const GROUPS: usize = WIDTHS.len();

/// Select of the address that the pair completes; below it are the three registers.
const COMPLETED: u64 = 3;

/// Whether an address writes the group.
#[named]
fn writes<T: Word>(group: usize, action: &Action<T>) -> T {
    let (two, long, long64) = (
        action.index.bit(0),
        action.index.bit(1),
        action.index.bit(2),
    );
    let is0 = action.is1.not();
    match group {
        1 => two.or(is0),
        2 => two,
        3 => long.or(two.and(is0)),
        4 => long,
        5 => long64,
        _ => T::constant(1, 1),
    }
}

/// Sources of a group of the three registers, newest first.
type Sources<T> = [T; 3];

/// The sources after a lane.
#[named]
fn after_lane<T: Word>(before: Sources<T>, group: usize, action: &Action<T>) -> Sources<T> {
    let completed = T::constant(COMPLETED, 2);
    let written = any(&[
        action.address.and(writes(group, action)),
        action.zero,
        action.clear,
    ]);
    let pushes = any(&[action.address, action.zero, action.exact]);
    let named = |bit: u32| action.exact.and(action.header.bit(bit));
    let newest = priority_mux(&[(named(1), before[2]), (named(0), before[1])], before[0]);
    let older = |index: usize| {
        let moved = pushes.mux(before[index - 1], before[index]);
        action.clear.mux(completed, moved)
    };
    [written.mux(completed, newest), older(1), older(2)]
}

/// Selects of a group for a pair of lanes: the newest register after each lane, the two older ones
/// after the pair.
struct Selects<T> {
    newest: Vec<T>,
    older: [T; 2],
}

#[named]
fn selects<T: Word>(group: usize, pair: &[Action<T>]) -> Selects<T> {
    let mut sources: Sources<T> = [0, 1, 2].map(|index| T::constant(index, 2));
    let mut newest = Vec::new();
    for action in pair {
        sources = after_lane(sources, group, action).map(T::reg);
        newest.push(sources[0]);
    }
    Selects {
        newest,
        older: [sources[1], sources[2]],
    }
}

/// The address of a pair in groups, 0 if the pair clears or pushes the address 0. `lead` are the
/// bytes of the lead after the pair.
#[named]
fn completed<T: Word>(pair: &[Action<T>], lead: &[T]) -> [T; GROUPS] {
    let last = pair.last().expect("a lane");
    let is1 = last.address.mux(last.is1, pair[0].is1).reg();
    let long = last.address.mux(last.index, pair[0].index).bit(1).reg();
    let is_zero = any(&pair.iter().map(|a| a.zero.or(a.clear)).collect::<Vec<_>>()).reg();
    let zero = |width| T::constant(0, width);
    let b = |index: usize, low: u32, width: u32| lead[index].slice(low, width);
    [
        is1.mux(b(0, 0, 7).concat(zero(1)), b(0, 0, 6).concat(zero(2))),
        is1.mux(b(1, 0, 1), b(0, 6, 1)),
        is1.mux(b(1, 1, 7), b(1, 0, 7)),
        long.mux(b(2, 0, 1), b(1, 7, 1)),
        b(3, 0, 8).concat(b(2, 1, 7)),
        join([4, 5, 6, 7].map(|index| b(index, 0, 8))),
        is1,
    ]
    .map(|bits| is_zero.mux(zero(bits.width()), bits).reg())
}

/// An address: IS bit and value.
#[derive(Clone, Copy)]
pub(super) struct Address<T> {
    pub is1: T,
    pub value: T,
}

/// The newest address register after each lane. `lead[pair]` are the bytes of the lead after each
/// pair.
#[named]
pub(super) fn addresses<T: Word>(
    actions: &[Action<T>],
    lead: &[Vec<T>],
    restart: T,
) -> Vec<Address<T>> {
    let completed: Vec<[T; GROUPS]> = actions
        .chunks(2)
        .zip(lead)
        .map(|(pair, lead)| completed(pair, lead))
        .collect();
    let groups: Vec<Vec<T>> = (0..GROUPS)
        .map(|group| {
            let selects: Vec<Selects<T>> =
                actions.chunks(2).map(|pair| selects(group, pair)).collect();
            let values: Vec<T> = completed.iter().map(|pair| pair[group]).collect();
            after_lanes(WIDTHS[group], &selects, &values, restart)
        })
        .collect();
    (0..actions.len())
        .map(|lane| Address {
            is1: groups[GROUPS - 1][lane],
            value: join(groups[..GROUPS - 1].iter().map(|group| group[lane])),
        })
        .collect()
}

/// One group of the newest register after each lane.
#[named]
fn after_lanes<T: Word>(width: u32, selects: &[Selects<T>], completed: &[T], restart: T) -> Vec<T> {
    let flags = selects.iter().flat_map(|pair| pair.older.iter());
    let now = latest(flags.chain(completed).copied());
    let (held, handles): (Vec<T>, Vec<T::RegisterHandle>) =
        (0..3).map(|_| T::register(width, now)).unzip();
    let mut registers = [held[0], held[1], held[2]];
    let mut list = Vec::new();
    for (pair, &completed) in selects.iter().zip(completed) {
        let value = |select: T| {
            let low = select.bit(0).mux(registers[1], registers[0]);
            let high = select.bit(0).mux(completed, registers[2]);
            select.bit(1).mux(high, low)
        };
        let newest: Vec<T> = pair.newest.iter().map(|&select| value(select)).collect();
        let next = [
            newest[newest.len() - 1],
            value(pair.older[0]),
            value(pair.older[1]),
        ];
        list.extend(newest);
        registers = next;
    }
    let zero = T::constant(0, width);
    for (handle, next) in handles.into_iter().zip(registers) {
        T::set_next(handle, restart.mux(zero, next));
    }
    list
}
