// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the X encoders remember of a program: outcomes and targets, and where the same ones came before.

use coretrace_abi::compressed::history::{
    GRADES, HistoryPreset, MATCH_AFTER, MATCH_MOST, RING_MARGIN,
};

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
    outcomes: Ring<bool>,
    targets: Ring<u64>,
    /// By a hash: an outcome, a target, and whether there is a place at all.
    table: Vec<(usize, usize, bool)>,
    follow: Option<Follow>,
}

impl Memory {
    /// Of these sizes.
    pub fn new(preset: &HistoryPreset) -> Memory {
        Memory {
            outcomes: Ring::new(preset.outcome_bits),
            targets: Ring::new(preset.target_bits),
            table: vec![(0, 0, false); 1 << preset.match_bits],
            follow: None,
        }
    }

    fn matched(&self) -> Option<Follow> {
        self.follow.filter(|follow| follow.is_match)
    }

    /// 0, or twice the grade of the match and the outcome there.
    pub fn outcome(&self) -> usize {
        let Some(Follow { outcome, same, .. }) = self.matched() else {
            return 0;
        };
        let grade = GRADES.partition_point(|&least| least <= same);
        2 * grade + usize::from(self.outcomes.items[outcome])
    }

    /// The target at the match, and its length.
    pub fn target(&self) -> Option<(u64, u32)> {
        let Follow { target, same, .. } = self.matched()?;
        Some((self.targets.items[target], same))
    }

    /// An outcome came; `hash` is that of the newest outcomes, with it.
    pub fn came(&mut self, outcome: bool, hash: usize) {
        let is_same = |memory: &Memory, at: &Follow| memory.outcomes.items[at.outcome] == outcome;
        self.compare(is_same);
        if let Some(follow) = &mut self.follow {
            follow.outcome = self.outcomes.after(follow.outcome);
        }
        self.outcomes.write(outcome);
        self.search(hash);
    }

    /// The target of an indirect branch came.
    pub fn led(&mut self, target: u64, hash: usize) {
        let is_same = |memory: &Memory, at: &Follow| memory.targets.items[at.target] == target;
        self.compare(is_same);
        if let Some(follow) = &mut self.follow {
            follow.target = self.targets.after(follow.target);
        }
        self.targets.write(target);
        self.search(hash);
    }

    fn compare(&mut self, is_same: impl Fn(&Memory, &Follow) -> bool) {
        let follow = self.follow.take().filter(|follow| is_same(self, follow));
        self.follow = follow.map(|follow| Follow {
            same: MATCH_MOST.min(follow.same + 1),
            is_match: follow.is_match || follow.same + 1 == MATCH_AFTER,
            ..follow
        });
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
                is_match: false,
            });
        }
    }
}
