// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known of the place that is followed, beside its outcomes.

use super::branch_bits::ADDRESS_W;
use super::history_places::PLACE_BITS;
use super::match_candidate::NEAR_W;
use super::outcome_words::{NUMBER_W, WORD_PLACE_W};
use coretrace_abi::compressed::history::{GRADES, MATCH_MOST};
use coretrace_hdl_dataflow::{Word, layout, named};

/// Bits of a length of a match.
const LENGTH_W: u32 = MATCH_MOST.ilog2() + 1;
/// Bits of a grade.
pub(crate) const GRADE_W: u32 = GRADES.len().ilog2() + 1;

layout! {
    /// The place, and the newest target.
    pub struct FollowedPlace {
        /// There is one; it is a match, not a candidate any more.
        exists: 1,
        is_match: 1,
        /// Symbols that were the expected ones.
        length: LENGTH_W as usize,
        /// The outcome of a symbol was another one; its target is the next step.
        differs: 1,
        /// It is near; how many outcomes came behind it.
        is_near: 1,
        behind: NEAR_W,
        /// Its place in its word; the first word that is not there yet, and whether it is asked for, because it is the
        /// next one.
        in_word: WORD_PLACE_W,
        further: NUMBER_W,
        wants: 1,
        /// Its target, and the place of the one behind it.
        target: ADDRESS_W,
        further_target: PLACE_BITS,
        /// Its target is the newest one; it is the one that comes next.
        is_newest: 1,
        is_next: 1,
        newest_target: ADDRESS_W,
    }
}

#[named]
impl<T: Word> FollowedPlace<T> {
    /// As registers, and what sets them.
    pub fn registers() -> (FollowedPlace<T>, Vec<T::RegisterHandle>) {
        let widths = FollowedPlace::FIELDS.iter().map(|&(_, _, width)| width);
        let (held, handles): (Vec<T>, Vec<T::RegisterHandle>) =
            widths.map(|width| T::register(width, 0)).unzip();
        let mut held = held.into_iter();
        let mut next = || held.next().expect("a register for each field");
        let place = FollowedPlace {
            exists: next(),
            is_match: next(),
            length: next(),
            differs: next(),
            is_near: next(),
            behind: next(),
            in_word: next(),
            further: next(),
            wants: next(),
            target: next(),
            further_target: next(),
            is_newest: next(),
            is_next: next(),
            newest_target: next(),
        };
        (place, handles)
    }

    /// The grade of a match. Each match has the first one.
    pub fn grade(self) -> T {
        let grade = |number: usize| T::constant(number as u64, GRADE_W);
        let longer = GRADES.iter().enumerate().skip(1);
        longer.fold(grade(1), |less, (number, &least)| {
            let is_shorter = self.length.lt(T::constant(least.into(), LENGTH_W));
            is_shorter.mux(less, grade(number + 1))
        })
    }
}
