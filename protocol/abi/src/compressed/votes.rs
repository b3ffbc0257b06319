// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sizes of the X4 encoder: four counters vote on an outcome, and targets have numbers.
//!
//! Its records are those of [`super::history`], with a third class and another field for a target:
//!
//! | field | bits |
//! |---|---|
//! | a class | as many ones as its number, and a 0 if it is not the last class |
//! | a target that has a number | a 1, the number |
//! | any other | a 0, the target as X has it |
//!
//! `docs/compression.md` says how it expects an outcome and a target.

use super::history::MatchSizes;

/// Counters by the address alone, in bits; as many branches have their own newest outcomes.
pub const ADDRESS_BITS: u32 = 11;

/// Newest outcomes of a branch that are kept.
pub const OWN_OUTCOMES: u32 = 8;

/// Counters of each other voter, in bits: those by a branch and its own outcomes, and those by a branch and
/// the history.
pub const VOTER_BITS: u32 = 12;

/// How far the own outcomes of a branch are shifted in the number of a counter.
pub const OWN_SHIFT: u32 = 4;

/// Outcomes of the history that the last two voters look at.
pub const HISTORIES: [u32; 2] = [16, 40];

/// Where a counter starts, and the most that it counts to.
pub const COUNTER_START: u8 = 7;
/// See [`COUNTER_START`].
pub const COUNTER_MOST: u8 = 15;

/// The least sum of the counters that expects a taken branch.
pub const SUM_TAKEN: u8 = 30;

/// Counters learn of a taken branch up to this sum, of another one from this sum on.
pub const LEARN_TAKEN: u8 = SUM_TAKEN + 5;
/// See [`LEARN_TAKEN`].
pub const LEARN_NOT_TAKEN: u8 = SUM_TAKEN - 5;

/// Levels of the sum, in bits, and sums of a level.
pub const LEVEL_BITS: u32 = 4;
/// See [`LEVEL_BITS`].
pub const SUMS: u8 = 4;

/// Own outcomes that select a probability.
pub const CHANCE_OUTCOMES: u32 = 6;

/// The grade from which on a match counts as long among the own outcomes.
pub const LONG_GRADE: usize = 5;

/// Below so much doubt a decision is of the second class, and of the third.
pub const CLASSES: &[u16] = &[0x1000, 0x400];

/// What can be found again.
pub const MATCHES: MatchSizes = MatchSizes {
    outcome_bits: 14,
    target_bits: 11,
    place_bits: 10,
};

/// Symbols that a place must give in a row to be a match: it is one at once.
pub const MATCH_AFTER: u32 = 0;

/// Outcomes of the history that find a place.
pub const MATCH_HISTORY: u32 = 12;

/// Sets of targets that have a number, in bits.
pub const SET_BITS: u32 = 8;

/// Targets of a set.
pub const WAYS: usize = 2;

/// Bits of a number: the set above the way.
pub const NUMBER_BITS: u32 = SET_BITS + 1;

/// Numbers of targets by the path to a branch, in bits.
pub const TABLE_BITS: u32 = 10;

/// How far a path moves with a target.
pub const PATH_SHIFT: u32 = 4;

/// Return addresses.
pub const RETURNS: usize = 16;
