// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the X encoders remember of a program: outcomes and targets, and where the same ones came before.

use coretrace_abi::compressed::history::{GRADES, MATCH_MOST, MatchSizes, RING_MARGIN};

/// A ring that is never empty.
struct Ring<T> {
    items: Vec<T>,
    end: usize,
}

impl<T: Copy + Default> Ring<T> {
    fn new(bits: u32) -> Ring<T> {
        Ring {
            items: vec![T::default(); 1 << bits],
            end: 0,
        }
    }

    fn after(&self, at: usize) -> usize {
        (at + 1) & (self.items.len() - 1)
    }

    fn write(&mut self, item: T) {
        self.items[self.end] = item;
        self.end = self.after(self.end);
    }
}

/// An earlier place that is followed.
#[derive(Clone, Copy)]
struct Follow {
    outcome: usize,
    target: usize,
    /// Symbols that were the same.
    same: u32,
    is_match: bool,
}

/// The memory.
pub struct Memory {
    outcomes: Ring<u8>,
    targets: Ring<u64>,
    /// By a hash: an outcome, a target, and whether there is a place at all.
    table: Vec<(usize, usize, bool)>,
    follow: Option<Follow>,
    /// Symbols that must be the same for a match.
    after: u32,
}

impl Memory {
    /// Of these sizes. A place is a match behind so many symbols that are the same.
    pub fn new(sizes: MatchSizes, after: u32) -> Memory {
        Memory {
            outcomes: Ring::new(sizes.outcome_bits),
            targets: Ring::new(sizes.target_bits),
            table: vec![(0, 0, false); 1 << sizes.place_bits],
            follow: None,
            after,
        }
    }

    fn matched(&self) -> Option<Follow> {
        self.follow.filter(|follow| follow.is_match)
    }

    /// 0, or twice the grade of the match and a bit of the outcome there.
    pub fn outcome(&self, bit: u32) -> usize {
        let Some(Follow { outcome, same, .. }) = self.matched() else {
            return 0;
        };
        let grade = GRADES.partition_point(|&least| least <= same);
        2 * grade + usize::from(self.outcomes.items[outcome] >> bit & 1)
    }

    /// The target at the match, and its length.
    pub fn target(&self) -> Option<(u64, u32)> {
        let Follow { target, same, .. } = self.matched()?;
        Some((self.targets.items[target], same))
    }

    /// An outcome, a target or both came; `hash` is that of the newest ones, with these.
    pub fn came(&mut self, outcome: Option<u8>, target: Option<u64>, hash: usize) {
        if let Some(mut follow) = self.follow.take() {
            let has_outcome = outcome.is_none_or(|it| it == self.outcomes.items[follow.outcome]);
            let has_target = target.is_none_or(|it| it == self.targets.items[follow.target]);
            if has_outcome && has_target {
                follow.same = MATCH_MOST.min(follow.same + 1);
                follow.is_match |= follow.same == self.after;
                self.follow = Some(follow);
            }
        }
        if let Some(outcome) = outcome {
            self.outcomes.write(outcome);
        }
        if let Some(target) = target {
            self.targets.write(target);
        }
        if let Some(follow) = &mut self.follow {
            if outcome.is_some() {
                follow.outcome = self.outcomes.after(follow.outcome);
            }
            if target.is_some() {
                follow.target = self.targets.after(follow.target);
            }
        }
        self.search(hash);
    }

    fn search(&mut self, hash: usize) {
        let here = (self.outcomes.end, self.targets.end, true);
        let (outcome, target, is_valid) = std::mem::replace(&mut self.table[hash], here);
        let size = self.outcomes.items.len();
        let distance = self.outcomes.end.wrapping_sub(outcome) & (size - 1);
        let is_near = distance >= 1 && distance + RING_MARGIN as usize <= size;
        if self.follow.is_none() && is_valid && is_near {
            self.follow = Some(Follow {
                outcome,
                target,
                same: 0,
                is_match: self.after == 0,
            });
        }
    }
}
