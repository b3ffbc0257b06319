// SPDX-License-Identifier: MIT OR Apache-2.0
//! The address registers of a word.
//!
//! Bits that are written under the same conditions are a group. For each group and each register
//! a *source* is carried from lane to lane: one of the three registers before the word, zero, or
//! the address that a run of lanes has completed. The registers themselves take part in one
//! multiplexer only.
//! Source of the formats: Arm IHI 0064, Address instruction trace packets.

use super::lane::Byte;
use super::lane_registers::WordControl;
use super::payload;
use coretrace_hdl_dataflow::{Word, any, latest, mux_tree, mux4, named, priority_mux};

/// The groups, lowest bits first: 8 bits, 1, 7, 1, 15, 16 and 16, and how many lanes there are in a
/// run in which at most one packet writes them. Bits 8 and 16 stand alone: a short address with
/// IS1 ends one bit lower.
const RUNS: [usize; 7] = [2, 2, 2, 2, 4, 8, 8];
/// The last byte of a lead that is in the group.
const LAST_BYTES: [usize; RUNS.len()] = [0, 1, 1, 2, 3, 5, 7];

/// An address: IS bit and value.
#[derive(Clone, Copy)]
pub(super) struct Address<T> {
    pub is1: T,
    pub value: T,
}

/// Source codes of a group: the registers, zero, then slots behind a flag.
#[derive(Clone, Copy)]
struct Codes {
    width: u32,
}

impl Codes {
    const ZERO: u64 = 3;

    fn new(lanes: usize, run: usize) -> Codes {
        let slots = lanes.div_ceil(run).next_power_of_two();
        Codes {
            width: 1 + slots.ilog2().max(2),
        }
    }

    fn slot<T: Word>(self, slot: usize) -> T {
        self.code(1 << (self.width - 1) | slot as u64)
    }

    fn code<T: Word>(self, code: u64) -> T {
        T::constant(code, self.width)
    }
}

/// Where the bits of a group come from, decoded: one of the registers or a slot, or none.
#[derive(Clone, Copy)]
struct Select<T> {
    /// 0 to 2 for a register, 3 for a slot.
    register: T,
    slot: T,
    zero: T,
}

#[named]
fn decode<T: Word>(codes: Codes, source: T) -> Select<T> {
    let is_slot = source.bit(codes.width - 1);
    let low = source.slice(0, 2);
    Select {
        register: is_slot.mux(T::constant(3, 2), low).reg(),
        slot: source.slice(0, codes.width - 1).reg(),
        zero: is_slot.not().and(low.is(Codes::ZERO)).reg(),
    }
}

/// The selects of all groups: of the newest register after each lane, and of the two older ones
/// after the word.
pub(super) struct Selects<T> {
    newest: Vec<Vec<Select<T>>>,
    older: Vec<[Select<T>; 2]>,
}

#[named]
impl<T: Word> Selects<T> {
    pub(super) fn stage(&self) -> u32 {
        latest(self.newest.iter().flatten().map(|select| select.register))
    }
}

/// Whether the byte writes the group, if it completes an address.
#[named]
fn writes<T: Word>(group: usize, byte: &Byte<T>) -> T {
    let two = byte.index.bit(0);
    let long = byte.index.bit(1);
    let is0 = byte.is1.not();
    match group {
        0 => T::constant(1, 1),
        1 => two.or(is0),
        2 => two,
        3 => long.or(two.and(is0)),
        4 => long,
        _ => byte.index.bit(2),
    }
}

/// The selects of a word. `clear` marks where all registers become 0.
#[named]
pub(super) fn selects<T: Word>(bytes: &[Byte<T>], clear: &[T]) -> Selects<T> {
    let two = |value: u64| T::constant(value, 2);
    // What all groups do that no address writes: control, take the second or third, clear.
    let others: Vec<T> = bytes
        .iter()
        .zip(clear)
        .map(|(byte, &clear)| {
            let named = byte.exact.mux(byte.octet.slice(0, 2), two(0));
            priority_mux(&[(byte.zero.or(clear), two(Codes::ZERO))], named).reg()
        })
        .collect();
    let pushes: Vec<T> = bytes
        .iter()
        .map(|byte| any(&[byte.exact, byte.zero, byte.address]).reg())
        .collect();
    let clears: Vec<T> = clear.iter().map(|clear| clear.reg()).collect();
    let mut selects = Selects {
        newest: Vec::new(),
        older: Vec::new(),
    };
    for (group, &run) in RUNS.iter().enumerate() {
        let codes = Codes::new(bytes.len(), run);
        let zero = codes.code(Codes::ZERO);
        let mut now: [T; 3] = [0, 1, 2].map(|index| codes.code(index));
        let mut newest = Vec::new();
        for (lane, byte) in bytes.iter().enumerate() {
            let written = byte.address.and(writes(group, byte)).reg();
            let other = mux4(others[lane], [now[0], now[1], now[2], zero]);
            let older = |index: usize| {
                let moved = pushes[lane].mux(now[index - 1], now[index]);
                clears[lane].mux(zero, moved)
            };
            let first = written.mux(codes.slot(lane / run), other);
            now = [first, older(1), older(2)];
            newest.push(decode(codes, first));
            // A cycle for every two lanes.
            if lane % 2 == 1 && lane + 1 < bytes.len() {
                now = now.map(T::reg);
            }
        }
        selects.newest.push(newest);
        selects
            .older
            .push([decode(codes, now[1]), decode(codes, now[2])]);
    }
    selects
}

/// The bits of each group of the address that a pair of lanes completes.
#[named]
fn completed<T: Word>(pair: &[Byte<T>], lead: &[T]) -> [T; RUNS.len()] {
    let second = pair[1].address;
    let is1 = second.mux(pair[1].is1, pair[0].is1).reg();
    let long = second.mux(pair[1].index, pair[0].index).bit(1).reg();
    let b = |index: usize, low: u32, width: u32| lead[index].slice(low, width);
    let zero = |width| T::constant(0, width);
    let low = is1.mux(b(0, 0, 7).concat(zero(1)), b(0, 0, 6).concat(zero(2)));
    [
        is1.concat(low),
        is1.mux(b(1, 0, 1), b(0, 6, 1)),
        is1.mux(b(1, 1, 7), b(1, 0, 7)),
        long.mux(b(2, 0, 1), b(1, 7, 1)),
        lead[3].concat(b(2, 1, 7)),
        lead[5].concat(lead[4]),
        lead[7].concat(lead[6]),
    ]
}

/// The bits of a group that a run of lanes completes. Its pairs have the same bytes, or those of
/// its first half have and those of its second.
#[named]
fn slot<T: Word>(group: usize, pairs: &[[T; RUNS.len()]], lanes: &[Byte<T>]) -> T {
    let (first, last) = (pairs[0][group], pairs[pairs.len() - 1][group]);
    let same = payload::run(LAST_BYTES[group]);
    if lanes.len() <= same {
        return first;
    }
    let completes = |byte: &Byte<T>| byte.address.and(writes(group, byte));
    let in_first: Vec<T> = lanes[..same].iter().map(completes).collect();
    any(&in_first).reg().mux(first, last)
}

/// The newest address register after each lane. `lead` are the bytes of leads after each pair of
/// lanes.
#[named]
pub(super) fn newest<T: Word>(
    bytes: &[Byte<T>],
    lead: &[Vec<T>],
    selects: &Selects<T>,
    control: WordControl<T>,
) -> Vec<Address<T>> {
    let completed: Vec<[T; RUNS.len()]> = bytes
        .chunks(2)
        .zip(lead)
        .map(|(pair, lead)| completed(pair, lead))
        .collect();
    let groups: Vec<Vec<T>> = RUNS
        .iter()
        .enumerate()
        .map(|(group, &run)| {
            let slots: Vec<T> = completed
                .chunks(run / 2)
                .zip(bytes.chunks(run))
                .map(|(pairs, lanes)| slot(group, pairs, lanes))
                .collect();
            after_lanes(
                &slots,
                &selects.newest[group],
                &selects.older[group],
                run,
                control,
            )
        })
        .collect();
    (0..bytes.len())
        .map(|lane| {
            let low = groups[0][lane];
            let rest = groups[1..].iter().map(|group| group[lane]);
            Address {
                is1: low.bit(8),
                value: rest.fold(low.slice(0, 8), |low, high| high.concat(low)),
            }
        })
        .collect()
}

/// One group of the newest register after each lane.
#[named]
fn after_lanes<T: Word>(
    slots: &[T],
    newest: &[Select<T>],
    older: &[Select<T>; 2],
    run: usize,
    control: WordControl<T>,
) -> Vec<T> {
    let width = slots[0].width();
    let controls = newest.iter().chain(older).map(|select| select.register);
    let now = latest(controls.chain(slots.iter().copied()));
    let (before, held): (Vec<T>, Vec<T::RegisterHandle>) =
        (0..3).map(|_| T::register(width, now)).unzip();
    let value = |select: &Select<T>, slots: &[T]| {
        let bits = slots.len().next_power_of_two().ilog2();
        let slot = mux_tree(slots, select.slot, bits);
        mux4(select.register, [before[0], before[1], before[2], slot])
    };
    let next = [&newest[newest.len() - 1], &older[0], &older[1]];
    for ((held, select), &before) in held.into_iter().zip(next).zip(&before) {
        control.set_next(held, before, value(select, slots), select.zero);
    }
    let after = |(lane, select): (usize, &Select<T>)| {
        let value = value(select, &slots[..=lane / run]);
        select.zero.mux(T::constant(0, width), value)
    };
    newest.iter().enumerate().map(after).collect()
}
