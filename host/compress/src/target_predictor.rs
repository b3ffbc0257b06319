// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where indirect branches lead: a stack of return addresses, and a table by the path to the branch.

use coretrace_abi::compressed::raptor::{PATH_BITS, RaptorPreset, WAYS};

use crate::returns::Returns;

/// The targets of a path.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    ways: [Option<(u8, u64)>; WAYS],
    /// The way that was used longer ago.
    older: usize,
}

/// Where an indirect branch is expected to lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    Return(u64),
    Table(u64),
}

/// Predicts targets.
#[derive(Clone, Debug)]
pub struct TargetPredictor {
    sets: Vec<Set>,
    path: u64,
    returns: Returns,
}

impl TargetPredictor {
    /// With tables of these sizes.
    pub fn new(preset: &RaptorPreset) -> TargetPredictor {
        TargetPredictor {
            sets: vec![Set::default(); preset.targets / WAYS],
            path: 0,
            returns: Returns::new(preset.returns),
        }
    }

    fn set_and_tag(&self, address: u64) -> (usize, u8) {
        let set = (self.path >> 8) ^ (address >> 4);
        let tag = self.path ^ (address >> 10);
        (set as usize & (self.sets.len() - 1), tag as u8)
    }

    /// The set, the tag, and the way that has it.
    fn find(&self, address: u64) -> Option<(usize, u8, Option<usize>)> {
        if self.sets.is_empty() {
            return None;
        }
        let (set, tag) = self.set_and_tag(address);
        let has_tag = |way: &Option<(u8, u64)>| way.is_some_and(|(of_way, _)| of_way == tag);
        Some((set, tag, self.sets[set].ways.iter().position(has_tag)))
    }

    fn guess(&self, address: u64, is_return: bool) -> Option<Guess> {
        if is_return && let Some(target) = self.returns.newest() {
            return Some(Guess::Return(target));
        }
        let (set, _, way) = self.find(address)?;
        let (_, target) = self.sets[set].ways[way?]?;
        Some(Guess::Table(target))
    }

    /// Whether a branch is expected to lead there.
    pub fn expects(&self, address: u64, is_return: bool, target: u64) -> bool {
        match self.guess(address, is_return) {
            Some(Guess::Return(guess) | Guess::Table(guess)) => guess == target,
            None => false,
        }
    }

    /// An indirect branch led there.
    pub fn led(&mut self, address: u64, is_return: bool, target: u64) {
        let guess = self.guess(address, is_return);
        if let Some((number, tag, way)) = self.find(address) {
            let from_stack = matches!(guess, Some(Guess::Return(_)));
            let is_right = from_stack && guess == Some(Guess::Return(target));
            let set = &mut self.sets[number];
            let written = match way {
                Some(_) if from_stack => None,
                None if is_right => None,
                Some(way) => Some(way),
                None => {
                    let free = set.ways.iter().position(Option::is_none);
                    Some(free.unwrap_or(set.older))
                }
            };
            if let Some(way) = written {
                set.ways[way] = Some((tag, target));
                set.older = 1 - way;
            }
        }
        if is_return {
            self.returns.pop();
        }
    }

    /// A conditional or an indirect branch retired; `taken_condition`: it has one, and was taken.
    pub fn retired(&mut self, address: u64, taken_condition: bool) {
        let moved = (self.path << 2) ^ (address >> 4);
        self.path = moved & ((1 << PATH_BITS) - 1) | u64::from(taken_condition);
    }

    /// A branch wrote this return address.
    pub fn called(&mut self, behind: u64) {
        self.returns.push(behind);
    }
}
