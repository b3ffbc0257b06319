// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place before each byte of a word: the only loop that says where packets end.

use super::place::{AFTER, AT_W, PLACE_W, Place, SKIPS};
use crate::input::of_next;
use crate::words::Byte;
use coretrace_hdl_dataflow::{Word, join, mux_tree, named};

/// The place behind a byte; `rows` has it for each part.
#[named]
fn behind<T: Word>(place: &Place<T>, rows: &[T], keep: T) -> Place<T> {
    let row = Place::split(mux_tree(rows, place.at, AT_W as u32));
    let is_due = place.skip.is(0);
    let skip = keep.concat(place.skip).extend(8).rom(&SKIPS);
    let skipped = Place { skip, ..*place };
    Place::mux(is_due.and(keep), row, skipped)
}

/// The places before the bytes of a word; `restarts` says that its first nibble is an opcode. The rows of the
/// jump tables take one register, and the places another one.
#[named]
pub fn places<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<Place<T>> {
    let rows = bytes.iter().map(|byte| {
        let rows = AFTER.iter();
        rows.map(|table| byte.octet.rom(table).reg()).collect()
    });
    let rows: Vec<Vec<T>> = rows.collect();
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
