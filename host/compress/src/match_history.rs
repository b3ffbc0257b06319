// SPDX-License-Identifier: MIT OR Apache-2.0
//! The newest outcomes and targets, and the place where the same ones came before.

use coretrace_abi::compressed::history::{GRADES, MATCH_MOST, MatchSizes, RING_MARGIN};

/// What came: an outcome, a target, or both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    pub outcome: Option<u8>,
    pub target: Option<u64>,
}

/// A place in both rings.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    outcome: usize,
    target: usize,
}

/// What is known of an earlier place.
#[derive(Clone, Copy, Debug)]
enum Following {
    Nothing,
    /// It gave so many symbols right.
    Candidate(Place, u32),
    Match(Place, u32),
}

/// What a match says of the next branch.
#[derive(Clone, Copy, Debug)]
pub struct Match {
    pub length: u32,
    /// 1 to 7.
    pub grade: usize,
    pub outcome: u8,
    pub target: u64,
}

impl Match {
    /// The number of a match in front of a probability: its grade and a bit of its outcome; 0 without one.
    pub fn number(found: Option<Match>, bit: u32) -> usize {
        found.map_or(0, |found| {
            found.grade << 1 | usize::from(found.outcome >> bit & 1)
        })
    }
}

/// Finds matches.
#[derive(Clone, Debug)]
pub struct MatchHistory {
    outcomes: Vec<u8>,
    targets: Vec<u64>,
    /// Of the next symbols.
    end: Place,
    places: Vec<Option<Place>>,
    following: Following,
    /// Symbols that a candidate must give in a row to be a match.
    after: u32,
}

impl MatchHistory {
    /// With rings of these sizes. A candidate must give so many symbols in a row to be a match.
    pub fn new(sizes: MatchSizes, after: u32) -> MatchHistory {
        MatchHistory {
            outcomes: vec![0; 1 << sizes.outcome_bits],
            targets: vec![0; 1 << sizes.target_bits],
            end: Place::default(),
            places: vec![None; 1 << sizes.place_bits],
            following: Following::Nothing,
            after,
        }
    }

    /// The match, if there is one.
    pub fn get(&self) -> Option<Match> {
        let Following::Match(place, length) = self.following else {
            return None;
        };
        Some(Match {
            length,
            grade: GRADES.iter().filter(|&&least| length >= least).count(),
            outcome: self.outcomes[place.outcome],
            target: self.targets[place.target],
        })
    }

    /// A symbol came. `key`: where a place is found again, from the newest outcomes.
    pub fn step(&mut self, symbol: Symbol, key: usize) {
        self.following = match self.following {
            Following::Nothing => Following::Nothing,
            Following::Candidate(place, _) | Following::Match(place, _)
                if !self.has(place, symbol) =>
            {
                Following::Nothing
            }
            Following::Candidate(place, count) if count + 1 < self.after => {
                Following::Candidate(self.behind(place, symbol), count + 1)
            }
            Following::Candidate(place, count) | Following::Match(place, count) => {
                Following::Match(self.behind(place, symbol), MATCH_MOST.min(count + 1))
            }
        };
        if let Some(outcome) = symbol.outcome {
            self.outcomes[self.end.outcome] = outcome;
        }
        if let Some(target) = symbol.target {
            self.targets[self.end.target] = target;
        }
        self.end = self.behind(self.end, symbol);
        let found = self.places[key].replace(self.end);
        if matches!(self.following, Following::Nothing)
            && let Some(place) = found
            && self.is_in_reach(place)
        {
            self.following = match self.after {
                0 => Following::Match(place, 0),
                _ => Following::Candidate(place, 0),
            };
        }
    }

    fn has(&self, place: Place, symbol: Symbol) -> bool {
        let (outcome, target) = (self.outcomes[place.outcome], self.targets[place.target]);
        symbol.outcome.is_none_or(|came| came == outcome)
            && symbol.target.is_none_or(|came| came == target)
    }

    /// The place behind a symbol.
    fn behind(&self, place: Place, symbol: Symbol) -> Place {
        let outcome = place.outcome + usize::from(symbol.outcome.is_some());
        let target = place.target + usize::from(symbol.target.is_some());
        Place {
            outcome: outcome % self.outcomes.len(),
            target: target % self.targets.len(),
        }
    }

    fn is_in_reach(&self, place: Place) -> bool {
        let size = self.outcomes.len();
        let distance = (self.end.outcome + size - place.outcome) % size;
        (1..=size - RING_MARGIN as usize).contains(&distance)
    }
}
