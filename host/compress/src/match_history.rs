// SPDX-License-Identifier: MIT OR Apache-2.0
//! The newest outcomes and targets, and the place where the same ones came before.

use coretrace_abi::compressed::history::{
    GRADES, HistoryPreset, MATCH_AFTER, MATCH_MOST, RING_MARGIN,
};

/// What comes next at a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbol {
    Outcome(bool),
    Target(u64),
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

/// Finds matches.
#[derive(Clone, Debug)]
pub struct MatchHistory {
    outcomes: Vec<bool>,
    targets: Vec<u64>,
    /// Of the next symbols.
    end: Place,
    places: Vec<Option<Place>>,
    following: Following,
}

impl MatchHistory {
    /// With rings of these sizes.
    pub fn new(preset: &HistoryPreset) -> MatchHistory {
        MatchHistory {
            outcomes: vec![false; 1 << preset.outcome_bits],
            targets: vec![0; 1 << preset.target_bits],
            end: Place::default(),
            places: vec![None; 1 << preset.match_bits],
            following: Following::Nothing,
        }
    }

    /// The length of the match, if there is one.
    pub fn length(&self) -> Option<u32> {
        match self.following {
            Following::Match(_, length) => Some(length),
            Following::Nothing | Following::Candidate(..) => None,
        }
    }

    /// The grade of the match and the outcome that it says; 0 without a match.
    pub fn graded_outcome(&self) -> usize {
        match self.following {
            Following::Match(place, length) => {
                let grade = GRADES.iter().filter(|&&least| length >= least).count();
                2 * grade + usize::from(self.outcomes[place.outcome])
            }
            Following::Nothing | Following::Candidate(..) => 0,
        }
    }

    /// The target that the match says.
    pub fn target(&self) -> Option<u64> {
        match self.following {
            Following::Match(place, _) => Some(self.targets[place.target]),
            Following::Nothing | Following::Candidate(..) => None,
        }
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
            Following::Candidate(place, count) if count + 1 < MATCH_AFTER => {
                Following::Candidate(self.behind(place, symbol), count + 1)
            }
            Following::Candidate(place, count) | Following::Match(place, count) => {
                Following::Match(self.behind(place, symbol), MATCH_MOST.min(count + 1))
            }
        };
        match symbol {
            Symbol::Outcome(taken) => self.outcomes[self.end.outcome] = taken,
            Symbol::Target(target) => self.targets[self.end.target] = target,
        }
        self.end = self.behind(self.end, symbol);
        let found = self.places[key].replace(self.end);
        if matches!(self.following, Following::Nothing)
            && let Some(place) = found
            && self.is_in_reach(place)
        {
            self.following = Following::Candidate(place, 0);
        }
    }

    fn has(&self, place: Place, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Outcome(taken) => self.outcomes[place.outcome] == taken,
            Symbol::Target(target) => self.targets[place.target] == target,
        }
    }

    /// The place behind a symbol.
    fn behind(&self, place: Place, symbol: Symbol) -> Place {
        let Place { outcome, target } = place;
        match symbol {
            Symbol::Outcome(_) => Place {
                outcome: (outcome + 1) % self.outcomes.len(),
                target,
            },
            Symbol::Target(_) => Place {
                outcome,
                target: (target + 1) % self.targets.len(),
            },
        }
    }

    fn is_in_reach(&self, place: Place) -> bool {
        let size = self.outcomes.len();
        let distance = (self.end.outcome + size - place.outcome) % size;
        (1..=size - RING_MARGIN as usize).contains(&distance)
    }
}
