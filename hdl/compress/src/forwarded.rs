// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a memory that are read, changed and written, one in each cycle and at any places.
//!
//! | cycle | what happens to an event |
//! |---|---|
//! | 1 | its place is the address of the memory |
//! | 2 | the memory outputs the word |
//! | 3 | the word is changed |
//! | 4 | the new word is written |
//!
//! A memory outputs what was written before cycle 1. The three events before this one may be at the same place:
//! the words of the older two are taken in cycle 2, that of the newest one in cycle 3.

use super::hash::before;
use coretrace_hdl_dataflow::{Word, named, priority_mux};

/// An event in cycle 3.
pub(crate) struct Forwarded<T> {
    pub valid: T,
    pub place: T,
    /// The word of the place before the event and behind it.
    pub old: T,
    pub new: T,
}

/// An event in cycle 1, and what the memory outputs in that cycle; `change` is what cycle 3 does.
#[named]
pub(crate) fn forwarded<T: Word>(
    valid: T,
    place: T,
    stored: T,
    change: impl FnOnce(T) -> T,
) -> Forwarded<T> {
    let (valid_2, place_2) = (before(valid), before(place));
    let (valid_3, place_3) = (before(valid_2), before(place_2));
    let (valid_4, place_4) = (before(valid_3), before(place_3));
    let (new_4, new_4_next) = T::register(stored.width(), stored.stage());
    let new_5 = before(new_4);

    // Seen from cycle 2: which events have its place.
    let has_one_before = before(valid_2.and(place_2.eq_on_carry(place)));
    let has_two_before = before(valid_3.and(place_3.eq_on_carry(place)));
    let has_three_before = before(valid_4.and(place_4.eq_on_carry(place)));
    let word = priority_mux(
        &[(has_two_before, new_4), (has_three_before, new_5)],
        stored,
    );
    let old = before(has_one_before).mux(new_4, before(word));
    let new = change(old);
    T::set_next(new_4_next, new);
    Forwarded {
        valid: valid_3,
        place: place_3,
        old,
        new,
    }
}
