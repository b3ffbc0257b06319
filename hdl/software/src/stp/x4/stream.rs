// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place before each byte of a word: the only loop that says where packets end.

use super::place::{AFTER, AFTER_FIELD, AT_W, PLACE_W, Place, alone, at};
use crate::input::of_next;
use crate::words::Byte;
use coretrace_hdl_dataflow::{Word, mux_tree, named};

/// The places before the bytes of a word; `restarts` says that its first nibble is an opcode. The rows of the
/// jump tables take one register, and the places another one.
#[named]
pub fn places<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<Place<T>> {
    let rows = bytes.iter().map(|byte| {
        let rows = AFTER.iter().enumerate().map(|(at, table)| {
            let stays = T::constant(alone(at as u64).number(), PLACE_W as u32);
            byte.keep.mux(byte.octet.rom(table), stays).reg()
        });
        rows.collect()
    });
    let rows: Vec<Vec<T>> = rows.collect();
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep.reg()).collect();
    let (held, next) = T::register(PLACE_W as u32, keeps[0].stage());
    let mut place = held;
    let mut before = Vec::new();
    for (mut rows, keep) in rows.into_iter().zip(keeps) {
        before.push(Place::split(place.reg()));
        let left = place.slice(AT_W as u32, (PLACE_W - AT_W) as u32);
        rows.push(keep.concat(left).extend(8).rom(&AFTER_FIELD));
        debug_assert_eq!(rows.len() as u64, at::FIELD + 1);
        place = mux_tree(&rows, place.slice(0, AT_W as u32), AT_W as u32);
    }
    let restarts = of_next(restarts, held.stage());
    T::set_next(next, place.mask(restarts.not()));
    before
}
