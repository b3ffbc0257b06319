// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place before each byte of a word: the only loop that says where packets end.

use super::place::{FIRST, PLACE_W, Place, SECOND, SKIPS};
use crate::input::of_next;
use crate::words::Byte;
use coretrace_hdl_dataflow::{Word, join, mux4, named};

/// The place behind a byte; `rows` has it for each part.
#[named]
fn behind<T: Word>(place: &Place<T>, rows: &[T], keep: T) -> Place<T> {
    let low = place.at.slice(0, 2);
    let lower = mux4(low, [rows[0], rows[1], rows[2], rows[3]]);
    let upper = mux4(low, [rows[4], rows[5], rows[6], rows[6]]);
    let row = Place::split(place.at.bit(2).mux(upper, lower));
    let is_due = place.skip.is(0);
    let skip = keep.concat(place.skip).extend(8).rom(&SKIPS);
    let skipped = Place { skip, ..*place };
    Place::mux(is_due.and(keep), row, skipped)
}

/// The place behind a byte for each part that it may begin with, by one nibble or by the other: tables of four
/// bits where those of a byte have eight.
#[named]
fn rows<T: Word>(octet: T) -> Vec<T> {
    let [first, second] = [0, 4].map(|low| octet.slice(low, 4).extend(8));
    let by_second = SECOND.each_ref().map(|table| second.rom(table));
    let rows = FIRST.iter().map(|row| {
        let seconds = row.seconds.iter();
        let seconds = seconds.map(|(part, of_it)| by_second[*part].mask(first.rom(of_it)));
        seconds.fold(first.rom(&row.place), T::or)
    });
    rows.collect()
}

/// The places before the bytes of a word; `restarts` says that its first nibble is an opcode. The rows of the
/// jump tables take one register, and the places another one.
#[named]
pub fn places<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<Place<T>> {
    let rows = bytes.iter().map(|byte| rows(byte.octet));
    let rows: Vec<Vec<T>> = rows
        .map(|rows| rows.into_iter().map(T::reg).collect())
        .collect();
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep.reg()).collect();
    let (held, next) = T::register(PLACE_W as u32, keeps[0].stage());
    let mut place = Place::split(held);
    let mut before = Vec::new();
    for (rows, keep) in rows.iter().zip(keeps) {
        before.push(place.map(T::reg));
        place = behind(&place, rows, keep);
    }
    let restarts = of_next(restarts, held.stage());
    T::set_next(next, join(place.pack()).mask(restarts.not()));
    before
}
