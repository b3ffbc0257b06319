// SPDX-License-Identifier: MIT OR Apache-2.0
//! The counters of X4, whose sum says what an outcome may be.

use coretrace_abi::compressed::votes::{
    ADDRESS_BITS, COUNTER_MOST, COUNTER_START, HISTORIES, LEARN_NOT_TAKEN, LEARN_TAKEN,
    OWN_OUTCOMES, OWN_SHIFT, VOTER_BITS,
};

use crate::estimates::{counted, hash};

/// What the counters say of a branch.
pub struct Reading {
    branch: usize,
    /// Where they are: by branch, by branch and its outcomes, by branch and two lengths of history.
    places: [usize; 4],
    /// Of the counters.
    pub sum: u8,
    /// Of the branch, the newest one in bit 0.
    pub outcomes: u8,
}

/// The counters.
pub struct Counters {
    counters: [Vec<u8>; 4],
    /// The newest outcomes of each branch.
    outcomes: Vec<u8>,
}

impl Counters {
    /// That know nothing.
    pub fn new() -> Counters {
        let counters = |bits: u32| vec![COUNTER_START; 1 << bits];
        Counters {
            counters: [ADDRESS_BITS, VOTER_BITS, VOTER_BITS, VOTER_BITS].map(counters),
            outcomes: vec![0; 1 << ADDRESS_BITS],
        }
    }

    /// What they say of a branch, the address of which is this word, behind a history.
    pub fn read(&self, word: u64, history: u64) -> Reading {
        let branch = word as usize % self.outcomes.len();
        let outcomes = self.outcomes[branch];
        let hashed = hash(word & 0xFF_FFFF, VOTER_BITS);
        let [short, long] = HISTORIES.map(|length| hash(history % (1 << length), VOTER_BITS));
        let of_branch = hash(u64::from(outcomes) << OWN_SHIFT, VOTER_BITS);
        let places = [branch, hashed ^ of_branch, hashed ^ short, hashed ^ long];
        let all = places.into_iter().zip(&self.counters);
        Reading {
            branch,
            places,
            sum: all.map(|(place, counters)| counters[place]).sum(),
            outcomes,
        }
    }

    /// The outcome is known.
    pub fn learn(&mut self, reading: &Reading, taken: bool) {
        let outcomes = reading.outcomes << 1 | u8::from(taken);
        self.outcomes[reading.branch] = outcomes & (((1_u16 << OWN_OUTCOMES) - 1) as u8);
        let was_far =
            (taken && reading.sum > LEARN_TAKEN) || (!taken && reading.sum < LEARN_NOT_TAKEN);
        if was_far {
            return;
        }
        for (counters, place) in self.counters.iter_mut().zip(reading.places) {
            counters[place] = counted(counters[place], taken, COUNTER_MOST);
        }
    }
}
