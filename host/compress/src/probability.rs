// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probabilities that learn, and counters in front of them.

use coretrace_abi::compressed::history::{
    OUTCOME_RATE, PROBABILITY_MOST, PROBABILITY_START, TARGET_RATE,
};

use crate::records::Records;

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

    /// How probable it is that the decision is not as expected.
    fn doubt(self) -> u16 {
        self.value.min((1 << 15) - self.value)
    }

    fn learn(&mut self, yes: bool, rate: u32) {
        if yes {
            self.value += (PROBABILITY_MOST - self.value) >> rate;
        } else {
            self.value -= self.value >> rate;
        }
    }

    /// An outcome.
    pub fn outcome(&mut self, records: &mut Records, yes: bool) {
        records.decide(self.doubt(), self.expects() == yes);
        self.learn_outcome(yes);
    }

    /// An outcome of which two probabilities say something: their mean decides.
    pub fn outcome_of_both(both: [&mut Probability; 2], records: &mut Records, yes: bool) {
        let [one, other] = both;
        let mean = Probability {
            value: (one.value + other.value) / 2,
            age: 0,
        };
        records.decide(mean.doubt(), mean.expects() == yes);
        one.learn_outcome(yes);
        other.learn_outcome(yes);
    }

    /// It learns fast at first.
    fn learn_outcome(&mut self, yes: bool) {
        self.age = (self.age + 1).min(OUTCOME_RATE);
        self.learn(yes, self.age);
    }

    /// Whether a candidate is right. The last one is always expected, so that a record is in front of a
    /// literal.
    pub fn candidate(&mut self, records: &mut Records, is_right: bool, is_last: bool) {
        let doubt = match is_last && !self.expects() {
            true => PROBABILITY_START,
            false => self.doubt(),
        };
        let expects = is_last || self.expects();
        records.decide(doubt, expects == is_right);
        self.learn(is_right, TARGET_RATE);
    }
}

/// A counter goes up, at most so far, or down.
pub fn count(counter: &mut u8, up: bool, most: u8) {
    *counter = if up {
        (*counter + 1).min(most)
    } else {
        counter.saturating_sub(1)
    };
}
