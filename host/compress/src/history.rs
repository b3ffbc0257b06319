// SPDX-License-Identifier: MIT OR Apache-2.0
//! The X encoders: a record where neither predictors nor the history say what a branch did.

use coretrace_abi::compressed::branch::{Branch, BranchKind};
use coretrace_abi::compressed::history::{
    CLASSES, COUNTER_MOST, COUNTER_START, HistoryPreset, MATCH_AFTER, MATCH_HISTORY,
};

use crate::branches::{Branches, Model};
use crate::hash::{fold, low};
use crate::match_history::{Match, MatchHistory, Symbol};
use crate::probability::{Probability, count};
use crate::records::Records;
use crate::returns::Returns;
use crate::targets::{Candidates, Expected, Targets};

/// Probabilities of outcomes.
const OUTCOMES: usize = 1024;

/// X0 to X3.
pub type History = Branches<HistoryModel>;

/// What the X encoders know of the branches so far.
#[derive(Clone, Debug)]
pub struct HistoryModel {
    preset: &'static HistoryPreset,
    by_address: Vec<u8>,
    by_history: Vec<u8>,
    outcomes: Vec<Probability>,
    matches: MatchHistory,
    targets: Targets,
    returns: Returns,
    /// The newest outcomes, with what is left of the targets between them.
    newest: u64,
}

impl History {
    /// An encoder that has not seen a branch.
    pub fn new(preset: &'static HistoryPreset) -> History {
        let model = HistoryModel {
            preset,
            by_address: vec![COUNTER_START; 1 << preset.address_counter_bits],
            by_history: vec![COUNTER_START; 1 << preset.history_counter_bits],
            outcomes: vec![Probability::START; OUTCOMES],
            matches: MatchHistory::new(preset.matches, MATCH_AFTER),
            targets: Targets::new(preset.table_bits),
            returns: Returns::new(preset.returns),
            newest: 0,
        };
        Branches::of(model, CLASSES)
    }
}

impl HistoryModel {
    fn step(&mut self, symbol: Symbol, place: u64) {
        let bits = self.preset.matches.place_bits;
        let key = fold(low(self.newest, MATCH_HISTORY), bits) ^ fold(low(place, 24), bits);
        self.matches.step(symbol, key);
    }

    fn candidates(&self, is_return: bool, expected: Expected) -> Candidates {
        let confidence = usize::from(expected.confidence);
        let matched = self.matches.get();
        let grade = match matched.map(|found| found.length) {
            None => 0,
            Some(0) => 1,
            Some(1..=7) => 2,
            Some(8..=31) => 3,
            Some(_) => 4,
        };
        let matched = matched.map(|found| found.target);
        let mut candidates = Candidates::default();
        if let Some(target) = self.returns.newest().filter(|_| is_return) {
            let is_matched = usize::from(matched == Some(target));
            let agree = is_matched + 2 * usize::from(expected.is(target));
            candidates.put(target, 8 * agree + grade);
        }
        if let Some(target) = matched.filter(|_| grade > 1) {
            let number = 8 * (grade & 3) + 2 * confidence + usize::from(expected.is(target));
            candidates.put(target, 32 + number);
        }
        if confidence > 0 {
            let number = 2 * confidence + usize::from(is_return);
            candidates.put(expected.target, 64 + number);
        }
        candidates
    }
}

impl Model for HistoryModel {
    fn outcome(&mut self, records: &mut Records, branch: &Branch) {
        let place = branch.address >> 2;
        let bits = self.preset.history_counter_bits;
        let of_history = low(self.newest, self.preset.history);
        let by_address = low(place, self.preset.address_counter_bits) as usize;
        let by_history = fold(low(place, 24), bits) ^ fold(of_history, bits);
        let counters = [
            &mut self.by_address[by_address],
            &mut self.by_history[by_history],
        ];
        let of_counters = usize::from(*counters[0]) << 3 | usize::from(*counters[1]);
        let number = Match::number(self.matches.get(), 0) << 6 | of_counters;
        self.outcomes[number].outcome(records, branch.taken);
        for counter in counters {
            count(counter, branch.taken, COUNTER_MOST);
        }
        self.newest = self.newest << 1 | u64::from(branch.taken);
        let symbol = Symbol {
            outcome: Some(branch.taken.into()),
            target: None,
        };
        self.step(symbol, place);
    }

    fn target(&mut self, records: &mut Records, branch: &Branch) {
        let place = branch.address >> 2;
        let is_return = branch.kind.is(BranchKind::RETURN);
        let bits = self.preset.table_bits;
        let by_path = fold(low(place, 16), bits) ^ fold(self.targets.path(), bits);
        let candidates = self.candidates(is_return, self.targets.expected(by_path));
        self.targets.led(records, &candidates, by_path, branch.next);
        if is_return {
            self.returns.pop();
        }
        let led = fold(low(branch.next >> 2, 16), 4) as u64;
        self.newest = (self.newest << 4) ^ led;
        let symbol = Symbol {
            outcome: None,
            target: Some(branch.next),
        };
        self.step(symbol, place);
    }

    fn call(&mut self, behind: u64) {
        self.returns.push(behind);
    }
}
