// SPDX-License-Identifier: MIT OR Apache-2.0
//! The place before each byte of a word: the only loop that says where packets end.

use super::place::{FIRST, PLACE_W, Place, SECOND, SKIPS};
use crate::input::of_next;
use crate::words::{Byte, last_packed};
use coretrace_hdl_dataflow::{Word, join, mux_tree, named};

/// A byte, as far as it says which place is behind it.
struct Step<T> {
    /// The byte counts; else the place stays.
    keep: T,
    /// The place behind it for each of [`PARTS`] that it may begin with.
    rows: Vec<T>,
}

#[named]
impl<T: Word> Step<T> {
    /// The places come from one nibble or the other: tables of four bits where those of a byte have eight. One
    /// register.
    fn new(byte: &Byte<T>, is_behind_zero: T) -> Step<T> {
        let first = is_behind_zero.concat(byte.octet.slice(0, 4)).extend(8);
        let second = byte.octet.slice(4, 4).extend(8);
        let by_second = SECOND.each_ref().map(|table| second.rom(table));
        let rows = FIRST.iter().map(|row| {
            let seconds = row.seconds.iter();
            let seconds = seconds.map(|(part, of_it)| by_second[*part].mask(first.rom(of_it)));
            let kept = seconds.fold(first.rom(&row.place), T::or);
            let stays = T::constant(row.stays, PLACE_W as u32);
            byte.keep.mux(kept, stays).reg()
        });
        Step {
            rows: rows.collect(),
            keep: byte.keep.reg(),
        }
    }

    /// The place behind the byte.
    fn after(&self, place: &Place<T>) -> Place<T> {
        let (lower, upper) = self.rows.split_at(4);
        let [lower, upper] = [lower, upper].map(|rows| mux_tree(rows, place.low, 2).kept());
        let skipped = join([place.high, place.more, self.keep]);
        let skipped = Place {
            low: place.low,
            ..Place::split(skipped.extend(8).rom(&SKIPS))
        };
        let row = Place::split(place.high.mux(upper, lower));
        Place::mux(place.skips, skipped, row).map(T::kept)
    }
}

/// For each byte whether the nibble before is 0.
#[named]
pub fn behind_zeros<T: Word>(bytes: &[Byte<T>]) -> Vec<T> {
    let (held, next) = T::register(1, bytes[0].octet.stage());
    let zeros = bytes.iter().map(|byte| byte.octet.slice(4, 4).is(0));
    let zeros: Vec<T> = zeros.collect();
    let keeps: Vec<T> = bytes.iter().map(|byte| byte.keep).collect();
    let last = mux_tree(&zeros, last_packed(&keeps), 2);
    T::set_next(next, keeps[0].mux(last, held));
    [held].into_iter().chain(zeros).take(bytes.len()).collect()
}

/// The places before the bytes of a word, and the one behind it; `restarts` says that its first nibble is an opcode.
/// Two registers.
#[named]
pub fn places<T: Word>(bytes: &[Byte<T>], behind_zeros: &[T], restarts: T) -> Vec<Place<T>> {
    let steps = bytes.iter().zip(behind_zeros);
    let steps: Vec<Step<T>> = steps.map(|(byte, &zero)| Step::new(byte, zero)).collect();
    let (held, next) = T::register(PLACE_W as u32, steps[0].keep.stage());
    let mut places = vec![Place::split(held)];
    for step in &steps {
        places.push(step.after(&places[places.len() - 1]));
    }
    let restarts = of_next(restarts, held.stage());
    let after = join(places[steps.len()].pack());
    T::set_next(next, after.mask(restarts.not()));
    places.iter().map(|place| place.map(T::reg)).collect()
}
