// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the X4 encoder leaves out.

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::history::PROBABILITY_START;
use coretrace_abi::compressed::votes::{
    CHANCE_OUTCOMES, CLASSES, LEVEL_BITS, LONG_GRADE, MATCH_AFTER, MATCH_HISTORY, MATCHES,
    NUMBER_BITS, PATH_SHIFT, RETURNS, SUM_TAKEN, SUMS, TABLE_BITS,
};

use crate::branches::{BranchReplay, Model};
use crate::calls::Calls;
use crate::code::Site;
use crate::counters::Counters;
use crate::decisions::{Decisions, Literal};
use crate::estimates::{Outcome, Trusted, UNKNOWN, candidate, hash, outcome_of_both, trusted};
use crate::memory::Memory;
use crate::numbers::Numbers;
use crate::reader::{Damaged, Reader};

/// Of X4.
pub type VotesReplay<'r, C> = BranchReplay<'r, C, VotesModel>;

impl<'r, C> VotesReplay<'r, C> {
    /// Of a block that begins at an address.
    pub fn new(code: &'r C, start: u64, reader: Reader<'r>) -> VotesReplay<'r, C> {
        let decisions = Decisions::new(reader, CLASSES);
        BranchReplay::of(VotesModel::new(), code, start, decisions)
    }
}

/// What both sides know of the branches so far.
pub struct VotesModel {
    counters: Counters,
    /// By match and sum of the counters; by match, outcomes of the branch and the guess of the counters.
    outcomes: [Vec<Outcome>; 2],
    /// Probabilities.
    candidates: Vec<u16>,
    memory: Memory,
    numbers: Numbers,
    /// Numbers by path.
    table: Vec<Trusted>,
    calls: Calls,
    history: u64,
    path: u64,
}

impl VotesModel {
    fn new() -> VotesModel {
        VotesModel {
            counters: Counters::new(),
            outcomes: [4 + LEVEL_BITS, 4 + CHANCE_OUTCOMES].map(|bits| vec![UNKNOWN; 1 << bits]),
            candidates: vec![PROBABILITY_START; 1 << 7],
            memory: Memory::new(MATCHES, MATCH_AFTER),
            numbers: Numbers::new(),
            table: vec![(0, 0); 1 << TABLE_BITS],
            calls: Calls::new(RETURNS),
            history: 0,
            path: 0,
        }
    }

    fn place_hash(&self, address: u64) -> usize {
        let outcomes = self.history % (1 << MATCH_HISTORY);
        let word = address >> 2 & 0xFF_FFFF;
        hash(outcomes, MATCHES.place_bits) ^ hash(word, MATCHES.place_bits)
    }

    /// Where a branch may lead, with the number of the probability: the return address, the target at the
    /// match, the one of the path. One that has the number of another one before it is left out.
    fn candidates(
        &self,
        is_return: bool,
        (expected, confidence): Trusted,
    ) -> [Option<(u64, usize)>; 3] {
        let trust = usize::from(confidence);
        let of_path = (trust > 0).then_some(expected as usize);
        let of_match = self.memory.target();
        let quality = of_match.map_or(0, |(_, length)| match length {
            0 => 1,
            1..8 => 2,
            8..32 => 3,
            32.. => 4,
        });
        let of_match = of_match.map(|(number, _)| number as usize);
        let of_calls = self.calls.top().filter(|_| is_return);
        let called = of_calls.and_then(|target| self.numbers.of(target));
        let same = |one: Option<usize>, other| usize::from(one.is_some() && one == other);

        let agrees = same(called, of_match) | same(called, of_path) << 1;
        let first = of_calls.map(|target| (target, agrees << 3 | quality));
        let second = of_match.filter(|_| same(of_match, called) == 0);
        let agrees = (quality % 4) << 3 | trust << 1 | same(of_match, of_path);
        let second = second.map(|number| (self.numbers.target(number), 1 << 5 | agrees));
        let is_new = same(of_path, called) == 0 && same(of_path, of_match) == 0;
        let third = of_path.filter(|_| is_new);
        let agrees = trust << 1 | usize::from(is_return);
        let third = third.map(|number| (self.numbers.target(number), 1 << 6 | agrees));
        [first, second, third]
    }
}

impl Model for VotesModel {
    fn outcome(&mut self, decisions: &mut Decisions<'_>, address: u64) -> Result<bool, Damaged> {
        let reading = self.counters.read(address >> 2, self.history);
        let sum = reading.sum;
        let of_match = self.memory.outcome(0);
        // Half a level above a boundary of levels the votes are even.
        let level = usize::from((sum + SUMS / 2) / SUMS);
        let of_branch = reading.outcomes as usize % (1 << CHANCE_OUTCOMES);
        let strength = match of_match / 2 {
            0 => 0,
            grade if grade < LONG_GRADE => 1,
            _ => 2,
        };
        let of_match_in_short = 2 * strength + of_match % 2;
        let guess = usize::from(sum >= SUM_TAKEN);
        let [by_sum, by_branch] = &mut self.outcomes;
        let both = [
            &mut by_sum[of_match << LEVEL_BITS | level],
            &mut by_branch[of_match_in_short << (CHANCE_OUTCOMES + 1) | of_branch << 1 | guess],
        ];
        let taken = outcome_of_both(decisions, both)?;
        self.counters.learn(&reading, taken);
        self.history = self.history << 1 | u64::from(taken);
        let place = self.place_hash(address);
        self.memory.came(Some(taken.into()), None, place);
        Ok(taken)
    }

    fn target(&mut self, decisions: &mut Decisions<'_>, site: &Site) -> Result<u64, Damaged> {
        let is_return = site.kind.is(BranchKind::RETURN);
        let word = site.address >> 2;
        let entry = hash(word & 0xFFFF, TABLE_BITS) ^ hash(self.path, TABLE_BITS);
        let candidates = self.candidates(is_return, self.table[entry]);
        let target = match candidate(decisions, &mut self.candidates, candidates)? {
            Some(target) => target,
            None => match decisions.numbered_literal(NUMBER_BITS)? {
                Literal::Number(number) => self.numbers.target(number),
                Literal::Target(target) => target,
            },
        };
        if is_return {
            self.calls.leave();
        }
        let number = self.numbers.came(target) as u64;
        self.table[entry] = trusted(self.table[entry], number);
        let word = target >> 2;
        self.path = (self.path << PATH_SHIFT ^ word) & 0xFFFF;
        self.history = self.history << 4 ^ hash(word & 0xFFFF, 4) as u64;
        let place = self.place_hash(site.address);
        self.memory.came(None, Some(number), place);
        Ok(target)
    }

    fn call(&mut self, behind: u64) {
        self.calls.call(behind);
    }
}
