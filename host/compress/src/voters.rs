// SPDX-License-Identifier: MIT OR Apache-2.0
//! Four counters that vote on an outcome: by the branch, by its own newest outcomes, and by the history.

use coretrace_abi::compressed::votes::{
    ADDRESS_BITS, COUNTER_MOST, COUNTER_START, HISTORIES, LEARN_NOT_TAKEN, LEARN_TAKEN,
    OWN_OUTCOMES, OWN_SHIFT, SUM_TAKEN, SUMS, VOTER_BITS,
};

use crate::hash::{fold, low};
use crate::probability::count;

/// Counters of a voter.
type Counters = Vec<u8>;

/// What is known of a branch before its outcome.
#[derive(Clone, Copy, Debug)]
pub struct Vote {
    /// The counter of each voter.
    counters: [usize; 4],
    sum: u8,
    /// The newest outcomes of the branch, the last one in bit 0.
    pub own: u64,
}

impl Vote {
    /// The sum in a few levels; the boundary between two of them is where votes are even.
    pub fn level(self) -> usize {
        usize::from((self.sum + SUMS / 2) / SUMS)
    }

    /// Whether the counters expect it to be taken.
    pub fn expects(self) -> bool {
        self.sum >= SUM_TAKEN
    }
}

/// The counters, and the newest outcomes of each branch.
#[derive(Clone, Debug)]
pub struct Voters {
    counters: [Counters; 4],
    own: Vec<u64>,
}

impl Voters {
    /// That have not seen a branch.
    pub fn new() -> Voters {
        let widths = [ADDRESS_BITS, VOTER_BITS, VOTER_BITS, VOTER_BITS];
        Voters {
            counters: widths.map(|bits| vec![COUNTER_START; 1 << bits]),
            own: vec![0; 1 << ADDRESS_BITS],
        }
    }

    /// The vote on a branch at a place, in instructions, behind these newest outcomes.
    pub fn vote(&self, place: u64, newest: u64) -> Vote {
        let by_address = low(place, ADDRESS_BITS) as usize;
        let own = self.own[by_address];
        let of_place = fold(low(place, 24), VOTER_BITS);
        let of_own = fold(own << OWN_SHIFT, VOTER_BITS);
        let [short, long] = HISTORIES.map(|outcomes| fold(low(newest, outcomes), VOTER_BITS));
        let counters = [
            by_address,
            of_place ^ of_own,
            of_place ^ short,
            of_place ^ long,
        ];
        let values = self.counters.iter().zip(counters);
        Vote {
            counters,
            sum: values.map(|(voter, at)| voter[at]).sum(),
            own,
        }
    }

    /// The outcome came. The counters learn unless their sum is far on its side.
    pub fn came(&mut self, vote: Vote, taken: bool) {
        let learns = match taken {
            true => vote.sum <= LEARN_TAKEN,
            false => vote.sum >= LEARN_NOT_TAKEN,
        };
        if learns {
            for (voter, at) in self.counters.iter_mut().zip(vote.counters) {
                count(&mut voter[at], taken, COUNTER_MOST);
            }
        }
        let [by_address, ..] = vote.counters;
        self.own[by_address] = low((vote.own << 1) | u64::from(taken), OWN_OUTCOMES);
    }
}
