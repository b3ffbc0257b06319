// SPDX-License-Identifier: MIT OR Apache-2.0
//! Targets of indirect branches that have numbers: candidates in order, then a number, then a literal.

use coretrace_abi::compressed::history::PROBABILITY_START;
use coretrace_abi::compressed::votes::{PATH_SHIFT, RETURNS, TABLE_BITS};

use crate::dictionary::Dictionary;
use crate::hash::{fold, low};
use crate::match_history::Match;
use crate::probability::Probability;
use crate::records::Records;
use crate::returns::Returns;
use crate::targets::Expected;

/// Probabilities of candidates.
const CANDIDATES: usize = 128;

/// A target that a branch may lead to.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    target: u64,
    /// Its number in the dictionary, if it has one.
    number: Option<usize>,
    /// The number of its probability.
    chance: usize,
}

/// What is known of targets.
#[derive(Clone, Debug)]
pub struct NumberedTargets {
    chances: Vec<Probability>,
    dictionary: Dictionary,
    table: Vec<Expected>,
    /// Return addresses.
    pub returns: Returns,
    /// The newest targets.
    path: u64,
}

impl NumberedTargets {
    /// Of no branch.
    pub fn new() -> NumberedTargets {
        NumberedTargets {
            chances: vec![Probability::START; CANDIDATES],
            dictionary: Dictionary::new(),
            table: vec![Expected::default(); 1 << TABLE_BITS],
            returns: Returns::new(RETURNS),
            path: 0,
        }
    }

    fn candidates(
        &self,
        by_path: Expected,
        is_return: bool,
        found: Option<Match>,
    ) -> Vec<Candidate> {
        let confidence = usize::from(by_path.confidence);
        let grade = match found.map(|found| found.length) {
            None => 0,
            Some(0) => 1,
            Some(1..=7) => 2,
            Some(8..=31) => 3,
            Some(_) => 4,
        };
        let matched = found.map(|found| found.target as usize);
        let is_expected = |number: usize| usize::from(by_path.is(number as u64));
        let of_number = |number: usize, chance: usize| Candidate {
            target: self.dictionary.target(number),
            number: Some(number),
            chance,
        };
        let of_returns = self.returns.newest().filter(|_| is_return).map(|target| {
            let number = self.dictionary.number(target);
            let is_matched = usize::from(number.is_some() && number == matched);
            let agree = is_matched + 2 * number.map_or(0, is_expected);
            Candidate {
                target,
                number,
                chance: 8 * agree + grade,
            }
        });
        let of_match = matched.map(|number| {
            let chance = 8 * (grade & 3) + 2 * confidence + is_expected(number);
            of_number(number, 32 + chance)
        });
        let of_path = (confidence > 0).then(|| {
            let chance = 2 * confidence + usize::from(is_return);
            of_number(by_path.target as usize, 64 + chance)
        });
        let mut candidates: Vec<Candidate> = Vec::new();
        for candidate in [of_returns, of_match, of_path].into_iter().flatten() {
            let mut before = candidates.iter();
            if before.all(|other| other.number != candidate.number) {
                candidates.push(candidate);
            }
        }
        candidates
    }

    /// A branch at a place, in instructions, led there. Returns the number of the target.
    pub fn led(
        &mut self,
        records: &mut Records,
        (place, is_return): (u64, bool),
        found: Option<Match>,
        target: u64,
    ) -> usize {
        let by_path = fold(low(place, 16), TABLE_BITS) ^ fold(self.path, TABLE_BITS);
        let candidates = self.candidates(self.table[by_path], is_return, found);
        let is_found = candidates.iter().enumerate().any(|(at, candidate)| {
            let is_right = candidate.target == target;
            let is_last = at + 1 == candidates.len();
            self.chances[candidate.chance].candidate(records, is_right, is_last);
            is_right
        });
        if candidates.is_empty() {
            records.decide(PROBABILITY_START, false);
        }
        if !is_found {
            records.numbered_literal(target, self.dictionary.number(target));
        }
        if is_return {
            self.returns.pop();
        }
        let number = self.dictionary.led(target);
        self.table[by_path].learn(number as u64);
        self.path = low((self.path << PATH_SHIFT) ^ (target >> 2), 16);
        number
    }
}
