// SPDX-License-Identifier: MIT OR Apache-2.0
//! The X encoders: a record where neither predictors nor the history say what a branch did.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::history::{
    COUNTER_MOST, COUNTER_START, Control, HistoryPreset, MATCH_HISTORY, OUTCOME_RATE,
    PROBABILITY_MOST, PROBABILITY_START, PROBABILITY_SURE, TARGET_RATE,
};

use crate::bits::Bits;
use crate::match_history::{MatchHistory, Symbol};
use crate::records::{Confidence, Records};
use crate::returns::Returns;

/// Probabilities of outcomes, and of candidates for targets.
const OUTCOMES: usize = 1024;
const CANDIDATES: usize = 128;

/// How probable it is that a decision is yes.
#[derive(Clone, Copy, Debug)]
struct Probability {
    value: u16,
    age: u32,
}

impl Probability {
    const START: Probability = Probability {
        value: PROBABILITY_START,
        age: 0,
    };

    fn expects(self) -> bool {
        self.value >= PROBABILITY_START
    }

    fn confidence(self) -> Confidence {
        let unlikely = self.value.min((1 << 15) - self.value);
        if unlikely < PROBABILITY_SURE {
            Confidence::Sure
        } else {
            Confidence::Doubtful
        }
    }

    fn learn(&mut self, yes: bool, rate: u32) {
        if yes {
            self.value += (PROBABILITY_MOST - self.value) >> rate;
        } else {
            self.value -= self.value >> rate;
        }
    }
}

/// A target by the path to a branch.
#[derive(Clone, Copy, Debug, Default)]
struct Expected {
    target: u64,
    /// 0 to 3; 0 is none.
    confidence: u8,
}

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct History {
    preset: &'static HistoryPreset,
    by_address: Vec<u8>,
    by_history: Vec<u8>,
    outcomes: Vec<Probability>,
    candidates: Vec<Probability>,
    matches: MatchHistory,
    expected: Vec<Expected>,
    returns: Returns,
    /// The newest outcomes, and what was left of the targets between them.
    newest: u64,
    /// The newest targets.
    path: u64,
    records: Records,
    /// Instructions since the last event that has decisions.
    instructions: u64,
}

/// The groups of so many bits of a value, one upon the other.
fn fold(value: u64, bits: u32) -> usize {
    let groups = (0..64).step_by(bits as usize).map(|low| value >> low);
    (groups.fold(0, |all, group| all ^ group) & ((1 << bits) - 1)) as usize
}

/// The low bits of a value.
const fn low(value: u64, bits: u32) -> u64 {
    value & ((1 << bits) - 1)
}

impl History {
    /// An encoder that has not seen a branch.
    pub fn new(preset: &'static HistoryPreset) -> History {
        History {
            preset,
            by_address: vec![COUNTER_START; 1 << preset.address_counter_bits],
            by_history: vec![COUNTER_START; 1 << preset.history_counter_bits],
            outcomes: vec![Probability::START; OUTCOMES],
            candidates: vec![Probability::START; CANDIDATES],
            matches: MatchHistory::new(preset),
            expected: vec![Expected::default(); 1 << preset.table_bits],
            returns: Returns::new(preset.returns),
            newest: 0,
            path: 0,
            records: Records::new(),
            instructions: 0,
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        self.instructions += u64::from(event.instructions());
        match event {
            Event::Branch(branch) => self.branch(branch),
            Event::Discontinuity { next, .. } => {
                let instructions = std::mem::take(&mut self.instructions);
                self.records.control(Control::Discontinuity, instructions);
                self.records.literal(*next);
            }
        }
    }

    /// Ends the block, so many instructions behind the last event; all bits.
    pub fn finish(mut self, instructions: u64) -> Bits {
        let instructions = self.instructions + instructions;
        self.records.control(Control::End, instructions);
        self.records.into_bits()
    }

    fn branch(&mut self, branch: &Branch) {
        let kind = branch.kind;
        let is_conditional = kind.is(BranchKind::CONDITIONAL);
        let leads_anywhere = kind.is(BranchKind::INDIRECT.and(BranchKind::EXCEPTION));
        if is_conditional {
            self.outcome(branch);
        }
        if leads_anywhere && branch.taken {
            self.target(branch);
        }
        if kind.is(BranchKind::LINK) && branch.taken {
            self.returns.push(branch.address + 4);
        }
        if is_conditional || leads_anywhere {
            self.records.event();
            self.instructions = 0;
        }
    }

    fn outcome(&mut self, branch: &Branch) {
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
        let number = self.matches.graded_outcome() << 6 | of_counters;
        let probability = &mut self.outcomes[number];
        let is_right = probability.expects() == branch.taken;
        self.records.decide(probability.confidence(), is_right);
        probability.age = (probability.age + 1).min(OUTCOME_RATE);
        probability.learn(branch.taken, probability.age);
        for counter in counters {
            *counter = if branch.taken {
                (*counter + 1).min(COUNTER_MOST)
            } else {
                counter.saturating_sub(1)
            };
        }
        self.newest = self.newest << 1 | u64::from(branch.taken);
        self.step(Symbol::Outcome(branch.taken), place);
    }

    fn step(&mut self, symbol: Symbol, place: u64) {
        let bits = self.preset.match_bits;
        let key = fold(low(self.newest, MATCH_HISTORY), bits) ^ fold(low(place, 24), bits);
        self.matches.step(symbol, key);
    }

    /// The targets that may be, each with the number of its probability.
    fn targets(&self, is_return: bool, expected: Expected) -> Vec<(u64, usize)> {
        let confidence = usize::from(expected.confidence);
        let expects = |target: u64| confidence > 0 && expected.target == target;
        let grade = match self.matches.length() {
            None => 0,
            Some(0) => 1,
            Some(1..=7) => 2,
            Some(8..=31) => 3,
            Some(_) => 4,
        };
        let matched = self.matches.target();
        let reliable = matched.filter(|_| grade > 1);
        let returned = self.returns.newest().filter(|_| is_return);
        let mut targets = Vec::new();
        let mut put = |target: u64, number: usize| {
            if !targets.iter().any(|&(other, _)| other == target) {
                targets.push((target, number));
            }
        };
        if let Some(target) = returned {
            let agree = usize::from(matched == Some(target)) + 2 * usize::from(expects(target));
            put(target, 8 * agree + grade);
        }
        if let Some(target) = reliable {
            let number = 8 * (grade & 3) + 2 * confidence + usize::from(expects(target));
            put(target, 32 + number);
        }
        if confidence > 0 {
            put(
                expected.target,
                64 + 2 * confidence + usize::from(is_return),
            );
        }
        targets
    }

    fn target(&mut self, branch: &Branch) {
        let Branch { kind, next, .. } = *branch;
        let place = branch.address >> 2;
        let is_return = kind.is(BranchKind::RETURN);
        let bits = self.preset.table_bits;
        let by_path = fold(low(place, 16), bits) ^ fold(self.path, bits);
        let targets = self.targets(is_return, self.expected[by_path]);
        let mut is_found = false;
        for (number, &(target, of_candidate)) in targets.iter().enumerate() {
            let probability = &mut self.candidates[of_candidate];
            is_found = target == next;
            if number + 1 < targets.len() {
                let is_right = probability.expects() == is_found;
                self.records.decide(probability.confidence(), is_right);
            } else {
                // The last one is always expected, so that a record is in front of a literal.
                let confidence = match probability.expects() {
                    true => probability.confidence(),
                    false => Confidence::Doubtful,
                };
                self.records.decide(confidence, is_found);
            }
            probability.learn(is_found, TARGET_RATE);
            if is_found {
                break;
            }
        }
        if targets.is_empty() {
            self.records.decide(Confidence::Doubtful, false);
        }
        if !is_found {
            self.records.literal(next);
        }
        let expected = &mut self.expected[by_path];
        if expected.confidence > 0 && expected.target == next {
            expected.confidence = (expected.confidence + 1).min(3);
        } else if expected.confidence > 1 {
            expected.confidence -= 1;
        } else {
            *expected = Expected {
                target: next,
                confidence: 1,
            };
        }
        if is_return {
            self.returns.pop();
        }
        let led = next >> 2;
        self.path = low((self.path << 3) ^ led, 16);
        self.newest = (self.newest << 4) ^ fold(low(led, 16), 4) as u64;
        self.step(Symbol::Target(next), place);
    }
}
