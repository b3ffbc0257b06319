// SPDX-License-Identifier: MIT OR Apache-2.0
//! The candidates of a target, compared.

use super::expected_memory::CONFIDENCE_W;
use super::followed_place::GRADE_W;
use coretrace_hdl_dataflow::layout;

layout! {
    /// The candidates of a target, compared.
    pub struct TargetGuess {
        /// A return address, the target of a match, an expected target: there is one.
        has_return: 1,
        has_match: 1,
        confidence: CONFIDENCE_W,
        /// It is where the branch led.
        is_return_right: 1,
        is_match_right: 1,
        is_expected_right: 1,
        /// Two of them are equal, if there are both.
        match_is_return: 1,
        expected_is_return: 1,
        expected_is_match: 1,
        grade: GRADE_W as usize,
    }
}

/// Bits of a [`TargetGuess`].
pub const TARGET_GUESS_W: usize = TargetGuess::WIDTH;
