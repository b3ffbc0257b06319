// SPDX-License-Identifier: MIT OR Apache-2.0
//! The nibbles of the timestamp that packets replace whose sizes are behind the first two nibbles of their word.
//! Those are all timestamps of a word but that of the first packet that ends, and this one too if it lies there.

use super::roles::Role;
use coretrace_hdl_dataflow::{Word, any, join, mux_tree, named, priority_mux};

/// Nibbles of such a timestamp.
pub const NIBBLES: usize = 5;
/// The nibble that ends the first one of them that has a nibble.
const FIRST: usize = 3;

/// The low nibbles of the timestamp behind the packets of a word.
pub struct Stamps<T> {
    /// For each nibble whether it stays.
    pub lacks: Vec<T>,
    /// The others, and 0 for those that stay.
    pub value: T,
}

/// Whether the nibbles up to one are the last ones of a timestamp, at least so many. One register.
fn reaches<T: Word>(roles: &[Role<T>], place: usize, count: usize) -> T {
    let sizes = (count..=NIBBLES).filter(|size| place >= size + 2);
    let found = sizes.map(|size| {
        let role = &roles[place - size];
        role.is_size.and(role.nibble.is(size as u64))
    });
    any(&found.collect::<Vec<T>>()).reg()
}

/// The timestamps of a word; `reads` says for each nibble whether a packet ends there that is read. A later one
/// replaces nibbles of those before it. Two registers behind `reads`.
#[named]
pub fn stamps<T: Word>(roles: &[Role<T>], reads: &[T]) -> Stamps<T> {
    let now = reads[0].stage();
    let nibbles = (0..NIBBLES).map(|back| {
        // The packets that have this nibble, by their last one.
        let first = FIRST + back;
        let ends = (first..reads.len())
            .map(|place| reads[place].and(reaches(roles, place, back + 1).at_stage(now)));
        let ends: Vec<T> = ends.collect();
        let number = |end: usize| T::constant(end as u64, 3);
        let cases = ends.iter().enumerate().skip(1).rev();
        let cases: Vec<(T, T)> = cases
            .map(|(end, &is_there)| (is_there, number(end)))
            .collect();
        let last = priority_mux(&cases, number(0)).reg();
        let values = (0..ends.len()).map(|end| roles[first + end - back].nibble.at_stage(now + 1));
        let lacks = any(&ends).not().reg();
        let value = mux_tree(&values.collect::<Vec<T>>(), last, 3);
        (lacks.reg(), value.mask(lacks.not()).reg())
    });
    let (lacks, values): (Vec<T>, Vec<T>) = nibbles.unzip();
    Stamps {
        lacks,
        value: join(values),
    }
}
