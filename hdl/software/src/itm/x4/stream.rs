// SPDX-License-Identifier: MIT OR Apache-2.0
//! What each byte of a word is: the loops that say where packets end, and how many zeros came last.

use super::super::layouts::outcome;
use super::super::table::entry;
use super::place::{AFTER_HEADER, AFTER_PAYLOAD, CLASS_W, PLACE_W, STEPS, Step, class};
use crate::input::of_next;
use crate::words::Byte;
use coretrace_hdl_dataflow::{Table, Word, named};
use coretrace_itm::{SYNC_END, SYNC_ZEROS};
use std::sync::LazyLock;

/// What a byte is.
#[derive(Clone, Copy)]
pub struct Role<T> {
    pub octet: T,
    /// How a packet ends with it, read or not.
    pub outcome: T,
    /// A packet ends with it.
    pub ends: T,
    /// It is a header.
    pub begins: T,
    /// It belongs to a payload.
    pub puts: T,
}

/// Bits of a number of zeros.
const ZEROS_W: u32 = 3;

/// The zeros behind a byte, by those before it and its class.
static ZEROS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(ZEROS_W, |index| {
        let zeros = index as u64 % (1 << ZEROS_W);
        match index as u64 >> ZEROS_W {
            class::NONE => zeros,
            class::ZERO => (zeros + 1).min(SYNC_ZEROS),
            _ => 0,
        }
    })
});

#[named]
fn class_of<T: Word>(byte: &Byte<T>) -> T {
    let constant = |value: u64| T::constant(value, CLASS_W as u32);
    let small = byte
        .octet
        .any()
        .mux(constant(class::ENDS), constant(class::ZERO));
    let class = byte.octet.bit(7).mux(constant(class::GOES_ON), small);
    class.mask(byte.keep)
}

/// The roles of the bytes of a word; `restarts` says that its first byte is a header. Three registers.
#[named]
pub fn roles<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<Role<T>> {
    let classes: Vec<T> = bytes.iter().map(|byte| class_of(byte).reg()).collect();
    let now = classes[0].stage();
    let (held_place, next_place) = T::register(PLACE_W as u32, now);
    let (held_zeros, next_zeros) = T::register(ZEROS_W, now);
    let (mut place, mut zeros) = (held_place, held_zeros);
    let mut roles = Vec::new();
    for (byte, &class) in bytes.iter().zip(&classes) {
        let is_full = zeros.reg().is(SYNC_ZEROS);
        roles.push(role(byte, class, place.reg(), is_full));
        let headed = byte.octet.rom(&AFTER_HEADER).mask(byte.keep).reg();
        let behind_header = headed.mask(place.any().not());
        let behind_payload = class.concat(place).extend(8).rom(&AFTER_PAYLOAD);
        place = behind_header.or(behind_payload);
        zeros = class.concat(zeros).extend(8).rom(&ZEROS);
    }
    let goes_on = of_next(restarts, now).not();
    T::set_next(next_place, place.mask(goes_on));
    T::set_next(next_zeros, zeros.mask(goes_on));
    roles
}

/// A byte at its place; `is_full` says that the zeros of a sync came before it. One register.
#[named]
fn role<T: Word>(byte: &Byte<T>, class: T, place: T, is_full: T) -> Role<T> {
    let step = Step::split(class.reg().concat(place).extend(8).rom(&STEPS));
    let of_header = entry(byte.octet).outcome.reg().at_stage(place.stage());
    let is_end = byte.octet.is(SYNC_END.into()).reg().at_stage(place.stage());
    let hit = step.syncs.and(is_full).and(is_end);
    let ends = step.begins.mux(of_header, step.outcome);
    let sync = T::constant(outcome::SYNC, 3);
    Role {
        octet: byte.octet.at_stage(place.stage()).reg(),
        outcome: hit.mux(sync, ends).reg(),
        ends: hit.or(ends.any()).reg(),
        begins: step.begins.reg(),
        puts: step.puts.reg(),
    }
}
