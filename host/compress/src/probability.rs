// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probabilities that learn, and counters in front of them.

use coretrace_abi::compressed::history::{
    COUNTER_MOST, OUTCOME_RATE, PROBABILITY_MOST, PROBABILITY_START, PROBABILITY_SURE, TARGET_RATE,
};

use crate::records::{Confidence, Records};

/// How probable it is that a decision is yes.
#[derive(Clone, Copy, Debug)]
pub struct Probability {
    value: u16,
    age: u32,
}

impl Probability {
    /// Nothing is known.
    pub const START: Probability = Probability {
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

    /// An outcome: it learns fast at first.
    pub fn outcome(&mut self, records: &mut Records, yes: bool) {
        records.decide(self.confidence(), self.expects() == yes);
        self.age = (self.age + 1).min(OUTCOME_RATE);
        self.learn(yes, self.age);
    }

    /// Whether a candidate is right. The last one is always expected, so that a record is in front of a
    /// literal.
    pub fn candidate(&mut self, records: &mut Records, is_right: bool, is_last: bool) {
        let confidence = match is_last && !self.expects() {
            true => Confidence::Doubtful,
            false => self.confidence(),
        };
        let expects = is_last || self.expects();
        records.decide(confidence, expects == is_right);
        self.learn(is_right, TARGET_RATE);
    }
}

/// A counter goes up or down.
pub fn count(counter: &mut u8, up: bool) {
    *counter = if up {
        (*counter + 1).min(COUNTER_MOST)
    } else {
        counter.saturating_sub(1)
    };
}
