// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place before each byte of a word: the only loop that says where packets end.

use super::place::{FIRST, PLACE_W, Place, SECOND, SKIP_W, SKIPS};
use crate::input::of_next;
use crate::words::{Byte, last_packed};
use coretrace_hdl_dataflow::{Word, join, mux4, named};

/// The place behind a byte; `rows` has it for each part.
#[named]
fn behind<T: Word>(place: &Place<T>, rows: &[T]) -> Place<T> {
    let low = place.at.slice(0, 2);
    let lower = mux4(low, [rows[0], rows[1], rows[2], rows[3]]);
    let upper = mux4(low, [rows[4], rows[5], rows[6], rows[6]]);
    let row = Place::split(place.at.bit(2).mux(upper, lower));
    let skip = place.skip.extend(8).rom(&SKIPS);
    let skipped = Place {
        at: place.at,
        skip: skip.slice(0, SKIP_W as u32),
        skips: skip.bit(SKIP_W as u32),
    };
    Place::mux(place.skips, skipped, row)
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

/// The places before the bytes of a word, and the one behind the fourth; `restarts` says that its first nibble is an opcode. The rows of the
/// jump tables take one register, and the places another one.
#[named]
pub fn places<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<Place<T>> {
    let rows = bytes.iter().map(|byte| rows(byte.octet));
    let rows: Vec<Vec<T>> = rows
        .map(|rows| rows.into_iter().map(T::reg).collect())
        .collect();
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep.reg()).collect();
    let (held, next) = T::register(PLACE_W as u32, keeps[0].stage());
    let mut places = vec![Place::split(held)];
    for rows in &rows {
        places.push(behind(&places[places.len() - 1], rows));
    }
    // Behind the last byte that counts; no byte behind that one does.
    let behind = [1, 2, 3, 4].map(|bytes: usize| join(places[bytes].pack()));
    let after = keeps[0].mux(mux4(last_packed(&keeps), behind), held);
    let restarts = of_next(restarts, held.stage());
    T::set_next(next, after.mask(restarts.not()));
    places.iter().map(|place| place.map(T::reg)).collect()
}
