// SPDX-License-Identifier: MIT OR Apache-2.0
//! Targets of indirect branches: candidates in order, and a literal if none is right.

use coretrace_abi::compressed::history::PROBABILITY_START;

use crate::hash::low;
use crate::probability::Probability;
use crate::records::Records;

/// Probabilities of candidates.
const CANDIDATES: usize = 128;

/// A target by the path to a branch.
#[derive(Clone, Copy, Debug, Default)]
pub struct Expected {
    /// Where the branch is expected to lead; for X4, the number of the target.
    pub target: u64,
    /// 0 to 3; 0 is none.
    pub confidence: u8,
}

impl Expected {
    /// 0 is no target.
    pub fn is(self, target: u64) -> bool {
        self.confidence > 0 && self.target == target
    }

    /// A branch led there.
    pub fn learn(&mut self, target: u64) {
        if self.is(target) {
            self.confidence = (self.confidence + 1).min(3);
        } else if self.confidence > 1 {
            self.confidence -= 1;
        } else {
            self.target = target;
            self.confidence = 1;
        }
    }
}

/// Candidates, each with the number of its probability; one that came before is left out.
#[derive(Clone, Debug, Default)]
pub struct Candidates(Vec<(u64, usize)>);

impl Candidates {
    /// Adds one.
    pub fn put(&mut self, target: u64, number: usize) {
        if !self.0.iter().any(|&(other, _)| other == target) {
            self.0.push((target, number));
        }
    }
}

/// What is known of targets.
#[derive(Clone, Debug)]
pub struct Targets {
    probabilities: Vec<Probability>,
    table: Vec<Expected>,
    /// The newest targets.
    path: u64,
}

impl Targets {
    /// With a table of so many bits.
    pub fn new(table_bits: u32) -> Targets {
        Targets {
            probabilities: vec![Probability::START; CANDIDATES],
            table: vec![Expected::default(); 1 << table_bits],
            path: 0,
        }
    }

    /// The newest targets.
    pub fn path(&self) -> u64 {
        self.path
    }

    /// What is expected at a place of the table.
    pub fn expected(&self, place: usize) -> Expected {
        self.table[place]
    }

    /// A branch led there.
    pub fn led(
        &mut self,
        records: &mut Records,
        Candidates(candidates): &Candidates,
        place: usize,
        target: u64,
    ) {
        let is_found = candidates.iter().enumerate().any(|(at, candidate)| {
            let is_right = candidate.0 == target;
            let is_last = at + 1 == candidates.len();
            self.probabilities[candidate.1].candidate(records, is_right, is_last);
            is_right
        });
        if candidates.is_empty() {
            records.decide(PROBABILITY_START, false);
        }
        if !is_found {
            records.literal(target);
        }
        self.table[place].learn(target);
        self.path = low((self.path << 3) ^ (target >> 2), 16);
    }
}
