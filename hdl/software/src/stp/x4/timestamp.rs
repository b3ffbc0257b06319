// SPDX-License-Identifier: MIT OR Apache-2.0
//! The timestamp that all packets of a word leave behind.
//!
//! The nibbles of a later packet replace those of an earlier one. In Gray code this can be done before the decoding:
//! each bit is the parity of all bits from it upwards, whichever packet they came with. A VERSION between two
//! timestamps of a word leaves room for one nibble of the second one; so only the lowest nibble may be in another
//! coding than those above it.

use super::super::layouts::COUNT_W;
use super::super::trace_state::{lowest_above, natural, parities_above, parity};
use super::stamps::{self, Stamps};
use coretrace_hdl_dataflow::{Table, Word, any, join, named};
use std::sync::LazyLock;

/// Nibbles of a timestamp.
const NIBBLES: usize = 16;

/// What replaces low nibbles of a timestamp. Two registers behind its packets.
pub struct Replacement<T> {
    /// For each nibble whether it is replaced.
    replaces: Vec<T>,
    /// The nibbles; those that stay mean nothing.
    value: T,
    /// The parities of the replaced nibbles above each one.
    parities: T,
    /// How many nibbles are replaced.
    nibbles: T,
    /// The packets behind the first one do not replace the lowest one.
    is_of_first: T,
}

/// How many nibbles the packets behind the first one replace, by [`Stamps::lacks`].
static COUNTS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(COUNT_W as u32, |lacks| {
        (lacks | 1 << stamps::NIBBLES).trailing_zeros().into()
    })
});

/// What the first packet of a word that ends, by its nibbles, their number and those that it lacks, and the packets
/// behind it replace.
#[named]
pub fn replacement<T: Word>(
    first: T,
    first_nibbles: T,
    first_lacks: &[T],
    later: &Stamps<T>,
) -> Replacement<T> {
    let now = first.stage();
    let later_lacks: Vec<T> = later.lacks.iter().map(|it| it.at_stage(now)).collect();
    let later_value = later.value.at_stage(now);
    let nibble = |of: T, place: usize| of.slice(4 * place as u32, 4);
    let nibbles = (0..NIBBLES).map(|place| match later_lacks.get(place) {
        Some(&lacks) => lacks.mux(nibble(first, place), nibble(later_value, place)),
        None => nibble(first, place),
    });
    let nibbles: Vec<T> = nibbles.collect();
    let replaces = first_lacks.iter().enumerate();
    let replaces = replaces.map(|(place, &lacks)| match later_lacks.get(place) {
        Some(&later) => lacks.and(later).not(),
        None => lacks.not(),
    });
    let replaces: Vec<T> = replaces.collect();
    let pairs = nibbles.iter().zip(&replaces);
    let parities: Vec<T> = pairs
        .map(|(&nibble, &replaces)| parity(nibble).and(replaces))
        .collect();
    let parities = parities_above(join(parities));

    let exceeds = later_lacks.iter().zip(first_lacks);
    let exceeds: Vec<T> = exceeds
        .map(|(later, &first)| later.not().and(first))
        .collect();
    let later_count = join(later_lacks.iter().copied()).extend(8).rom(&COUNTS);
    let count = any(&exceeds).mux(later_count, first_nibbles);
    let at_now = |word: T| word.reg().at_stage(parities.stage());
    Replacement {
        replaces: replaces.into_iter().map(at_now).collect(),
        value: at_now(join(nibbles)),
        parities,
        nibbles: at_now(count),
        is_of_first: at_now(later_lacks[0]),
    }
}

#[named]
impl<T: Word> Replacement<T> {
    /// The stage where it is there.
    pub fn stage(&self) -> u32 {
        self.value.stage()
    }

    /// The timestamp behind the packets. `is_gray` is the coding of the first one of them with a timestamp, and that
    /// of the last one.
    pub fn of(&self, old: T, is_gray: [T; 2]) -> T {
        let above = lowest_above(old, self.nibbles);
        let replaced = |place: usize, above: T, is_gray: T| {
            let nibble = |of: T| of.slice(4 * place as u32, 4);
            let new = natural(nibble(self.value), above, is_gray);
            self.replaces[place].mux(new, nibble(old))
        };
        let [is_gray, is_last_gray] = is_gray;
        let upper = (1..NIBBLES).map(|place| {
            let above = above.xor(self.parities.bit(place as u32));
            replaced(place, above, is_gray)
        });
        let upper = join(upper);
        // Whatever their coding was, the bits above the lowest nibble are in natural binary now.
        let is_gray = self.is_of_first.mux(is_gray, is_last_gray);
        upper.concat(replaced(0, upper.bit(0), is_gray))
    }
}
