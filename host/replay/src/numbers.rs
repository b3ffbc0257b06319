// SPDX-License-Identifier: MIT OR Apache-2.0
//! Numbers of targets: pairs of them, by a hash, of which the one that was used longer ago makes room.

use coretrace_abi::compressed::votes::{NUMBER_BITS, SET_BITS};

use crate::estimates::hash;

/// The numbers.
pub struct Numbers {
    /// By number: the pair is above bit 0.
    targets: Vec<u64>,
    /// The newest number of each pair.
    newest: Vec<usize>,
}

impl Numbers {
    /// Of address 0, all of them.
    pub fn new() -> Numbers {
        Numbers {
            targets: vec![0; 1 << NUMBER_BITS],
            // The first number that is given is the lower one.
            newest: (0..1 << SET_BITS).map(|pair| 2 * pair + 1).collect(),
        }
    }

    fn pair(target: u64) -> usize {
        hash(target >> 2 & 0xFF_FFFF, SET_BITS)
    }

    /// The target of a number.
    pub fn target(&self, number: usize) -> u64 {
        self.targets[number]
    }

    /// The number of a target.
    pub fn of(&self, target: u64) -> Option<usize> {
        let first = 2 * Numbers::pair(target);
        (first..first + 2).find(|&number| self.targets[number] == target)
    }

    /// A target came; its number from now on.
    pub fn came(&mut self, target: u64) -> usize {
        let newest = &mut self.newest[Numbers::pair(target)];
        let other = *newest ^ 1;
        let lower = (*newest).min(other);
        let known = [lower, lower + 1].into_iter();
        let mut known = known.filter(|&number| self.targets[number] == target);
        let number = known.next().unwrap_or(other);
        self.targets[number] = target;
        *newest = number;
        number
    }
}
