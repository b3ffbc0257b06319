// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of the newest targets: a set by the target, and a place in it.

use coretrace_abi::compressed::votes::{SET_BITS, WAYS};

use crate::hash::{fold, low};

/// Targets that have the same lower part of their number.
#[derive(Clone, Copy, Debug, Default)]
struct Set {
    ways: [u64; WAYS],
    /// The way that was used longer ago.
    older: usize,
}

/// The targets that have a number.
#[derive(Clone, Debug)]
pub struct Dictionary(Vec<Set>);

impl Dictionary {
    /// All numbers are those of address 0.
    pub fn new() -> Dictionary {
        Dictionary(vec![Set::default(); 1 << SET_BITS])
    }

    /// The target that has a number.
    pub fn target(&self, number: usize) -> u64 {
        self.0[number / WAYS].ways[number % WAYS]
    }

    /// The number of a target, if it has one.
    pub fn number(&self, target: u64) -> Option<usize> {
        let set = fold(low(target >> 2, 24), SET_BITS);
        let way = self.0[set].ways.iter().position(|&of_way| of_way == target);
        way.map(|way| WAYS * set + way)
    }

    /// A branch led there: the target has a number from now on, which is given back.
    pub fn led(&mut self, target: u64) -> usize {
        let number = fold(low(target >> 2, 24), SET_BITS);
        let set = &mut self.0[number];
        let found = set.ways.iter().position(|&of_way| of_way == target);
        let way = found.unwrap_or(set.older);
        set.ways[way] = target;
        set.older = 1 - way;
        WAYS * number + way
    }
}
