// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the X encoders leave out: all decisions that were right.

use coretrace_abi::compressed::branch::BranchKind;
use coretrace_abi::compressed::history::{
    CLASSES, COUNTER_MOST, COUNTER_START, HistoryPreset, MATCH_AFTER, MATCH_HISTORY,
    PROBABILITY_START,
};

use crate::branches::{BranchReplay, Model};
use crate::calls::Calls;
use crate::code::Site;
use crate::decisions::Decisions;
use crate::estimates::{Outcome, Trusted, UNKNOWN, counted, hash, outcome, target, trusted};
use crate::memory::Memory;
use crate::reader::{Damaged, Reader};

/// Of X0 to X3.
pub type HistoryReplay<'r, C> = BranchReplay<'r, C, HistoryModel>;

impl<'r, C> HistoryReplay<'r, C> {
    /// Of a block that begins at an address.
    pub fn new(
        preset: &'static HistoryPreset,
        code: &'r C,
        start: u64,
        reader: Reader<'r>,
    ) -> HistoryReplay<'r, C> {
        let decisions = Decisions::new(reader, CLASSES);
        BranchReplay::of(HistoryModel::new(preset), code, start, decisions)
    }
}

/// What both sides know of the branches so far.
pub struct HistoryModel {
    preset: &'static HistoryPreset,
    /// Counters by address, and by address and history.
    counters: [Vec<u8>; 2],
    outcomes: Vec<Outcome>,
    /// Probabilities.
    candidates: Vec<u16>,
    memory: Memory,
    /// By path.
    table: Vec<Trusted>,
    calls: Calls,
    history: u64,
    path: u64,
}

impl HistoryModel {
    fn new(preset: &'static HistoryPreset) -> HistoryModel {
        let counters = [preset.address_counter_bits, preset.history_counter_bits];
        HistoryModel {
            preset,
            counters: counters.map(|bits| vec![COUNTER_START; 1 << bits]),
            outcomes: vec![UNKNOWN; 1 << 10],
            candidates: vec![PROBABILITY_START; 1 << 7],
            memory: Memory::new(preset.matches, MATCH_AFTER),
            table: vec![(0, 0); 1 << preset.table_bits],
            calls: Calls::new(preset.returns),
            history: 0,
            path: 0,
        }
    }

    fn place_hash(&self, address: u64) -> usize {
        let width = self.preset.matches.place_bits;
        let outcomes = self.history % (1 << MATCH_HISTORY);
        hash(outcomes, width) ^ hash(address >> 2 & 0xFF_FFFF, width)
    }

    /// Where a branch may lead, with the number of the probability: the return address, the target at the
    /// match, the one of the path.
    fn candidates(
        &self,
        is_return: bool,
        (expected, confidence): Trusted,
    ) -> [Option<(u64, usize)>; 3] {
        let confidence = usize::from(confidence);
        let is_expected = |target| usize::from(confidence > 0 && target == expected);
        let matched = self.memory.target();
        let quality = match matched.map(|(_, length)| length) {
            None => 0,
            Some(0) => 1,
            Some(1..8) => 2,
            Some(8..32) => 3,
            Some(32..) => 4,
        };
        let of_match = matched.map(|(target, _)| target);
        let of_calls = self.calls.top().filter(|_| is_return);
        let first = of_calls.map(|target| {
            let agrees = usize::from(of_match == of_calls) | is_expected(target) << 1;
            (target, agrees << 3 | quality)
        });
        let second = of_match.filter(|_| quality > 1 && of_match != of_calls);
        let second = second.map(|target| {
            let number = (quality % 4) << 3 | confidence << 1 | is_expected(target);
            (target, 1 << 5 | number)
        });
        let is_new = ![of_calls, of_match.filter(|_| quality > 1)].contains(&Some(expected));
        let third = (confidence > 0 && is_new)
            .then_some((expected, 1 << 6 | confidence << 1 | usize::from(is_return)));
        [first, second, third]
    }
}

impl Model for HistoryModel {
    fn outcome(&mut self, decisions: &mut Decisions<'_>, address: u64) -> Result<bool, Damaged> {
        let word = address >> 2;
        let width = self.preset.history_counter_bits;
        let history = self.history % (1 << self.preset.history);
        let places = [
            word as usize & (self.counters[0].len() - 1),
            hash(word & 0xFF_FFFF, width) ^ hash(history, width),
        ];
        let [by_address, by_history] = [0, 1].map(|number| self.counters[number][places[number]]);
        let counters = 8 * usize::from(by_address) + usize::from(by_history);
        let number = 64 * self.memory.outcome(0) + counters;
        let taken = outcome(decisions, &mut self.outcomes[number])?;
        for (counters, place) in self.counters.iter_mut().zip(places) {
            counters[place] = counted(counters[place], taken, COUNTER_MOST);
        }
        self.history = self.history << 1 | u64::from(taken);
        let place = self.place_hash(address);
        self.memory.came(Some(taken.into()), None, place);
        Ok(taken)
    }

    fn target(&mut self, decisions: &mut Decisions<'_>, site: &Site) -> Result<u64, Damaged> {
        let is_return = site.kind.is(BranchKind::RETURN);
        let width = self.preset.table_bits;
        let entry = hash(site.address >> 2 & 0xFFFF, width) ^ hash(self.path, width);
        let candidates = self.candidates(is_return, self.table[entry]);
        let target = target(decisions, &mut self.candidates, candidates)?;
        self.table[entry] = trusted(self.table[entry], target);
        if is_return {
            self.calls.leave();
        }
        let word = target >> 2;
        self.path = (self.path << 3 ^ word) & 0xFFFF;
        self.history = self.history << 4 ^ hash(word & 0xFFFF, 4) as u64;
        let place = self.place_hash(site.address);
        self.memory.came(None, Some(target), place);
        Ok(target)
    }

    fn call(&mut self, behind: u64) {
        self.calls.call(behind);
    }
}
