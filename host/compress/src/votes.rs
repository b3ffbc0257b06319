// SPDX-License-Identifier: MIT OR Apache-2.0
//! The X4 encoder: counters vote on an outcome, a history has it again, and targets have numbers.

use coretrace_abi::compressed::branch::{Branch, BranchKind};
use coretrace_abi::compressed::votes::{
    CHANCE_OUTCOMES, CLASSES, LEVEL_BITS, LONG_GRADE, MATCH_AFTER, MATCH_HISTORY, MATCHES,
};

use crate::branches::{Branches, Model};
use crate::hash::{fold, low};
use crate::match_history::{Match, MatchHistory, Symbol};
use crate::numbered_targets::NumberedTargets;
use crate::probability::Probability;
use crate::records::Records;
use crate::voters::Voters;

/// Probabilities by the match and the level of the votes.
const BY_VOTES: usize = 1 << (4 + LEVEL_BITS);

/// Probabilities by the match, the own outcomes of a branch and what the votes expect.
const BY_OWN: usize = 1 << (3 + CHANCE_OUTCOMES + 1);

/// X4.
pub type Votes = Branches<VotesModel>;

/// What the X4 encoder knows of the branches so far.
#[derive(Clone, Debug)]
pub struct VotesModel {
    voters: Voters,
    by_votes: Vec<Probability>,
    by_own: Vec<Probability>,
    matches: MatchHistory,
    targets: NumberedTargets,
    /// The newest outcomes, with what is left of the targets between them.
    newest: u64,
}

impl Default for Votes {
    fn default() -> Votes {
        Votes::new()
    }
}

impl Votes {
    /// An encoder that has not seen a branch.
    pub fn new() -> Votes {
        let model = VotesModel {
            voters: Voters::new(),
            by_votes: vec![Probability::START; BY_VOTES],
            by_own: vec![Probability::START; BY_OWN],
            matches: MatchHistory::new(MATCHES, MATCH_AFTER),
            targets: NumberedTargets::new(),
            newest: 0,
        };
        Branches::of(model, CLASSES)
    }
}

impl VotesModel {
    fn step(&mut self, symbol: Symbol, place: u64) {
        let bits = MATCHES.place_bits;
        let key = fold(low(self.newest, MATCH_HISTORY), bits) ^ fold(low(place, 24), bits);
        self.matches.step(symbol, key);
    }
}

impl Model for VotesModel {
    fn outcome(&mut self, records: &mut Records, branch: &Branch) {
        let place = branch.address >> 2;
        let taken = branch.taken;
        let found = self.matches.get();
        let vote = self.voters.vote(place, self.newest);
        let by_votes = Match::number(found, 0) << LEVEL_BITS | vote.level();
        let own = low(vote.own, CHANCE_OUTCOMES) as usize;
        let by_own = (short_number(found) << CHANCE_OUTCOMES | own) << 1;
        let by_own = by_own | usize::from(vote.expects());
        let both = [&mut self.by_votes[by_votes], &mut self.by_own[by_own]];
        Probability::outcome_of_both(both, records, taken);
        self.voters.came(vote, taken);
        self.newest = (self.newest << 1) | u64::from(taken);
        let symbol = Symbol {
            outcome: Some(taken.into()),
            target: None,
        };
        self.step(symbol, place);
    }

    fn target(&mut self, records: &mut Records, branch: &Branch) {
        let place = branch.address >> 2;
        let of_branch = (place, branch.kind.is(BranchKind::RETURN));
        let found = self.matches.get();
        let number = self.targets.led(records, of_branch, found, branch.next);
        let led = fold(low(branch.next >> 2, 16), 4) as u64;
        self.newest = (self.newest << 4) ^ led;
        let symbol = Symbol {
            outcome: None,
            target: Some(number as u64),
        };
        self.step(symbol, place);
    }

    fn call(&mut self, behind: u64) {
        self.targets.returns.push(behind);
    }
}

/// The number of a match among the own outcomes: whether it is long, and its outcome; 0 without one.
fn short_number(found: Option<Match>) -> usize {
    found.map_or(0, |found| {
        let is_long = found.grade >= LONG_GRADE;
        (1 + usize::from(is_long)) << 1 | usize::from(found.outcome)
    })
}
