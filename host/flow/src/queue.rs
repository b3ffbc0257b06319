// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a trace unit has reported and may still take back.

use std::collections::VecDeque;

use crate::Contradiction;
use crate::waiting::{ContextOf, Target, Waiting};

/// Elements that are not committed, oldest first, with the offsets of their packets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Queue {
    entries: VecDeque<(u64, Waiting)>,
    /// P0 elements that wait.
    depth: u32,
    /// How many of them there were before the trace began.
    unseen: u32,
}

impl Queue {
    /// Forgets everything; so many P0 elements wait from before.
    pub fn begin(&mut self, unseen: u32) {
        self.entries.clear();
        self.depth = unseen;
        self.unseen = unseen;
    }

    pub fn push(&mut self, offset: u64, waiting: Waiting) {
        self.depth = self.depth.saturating_add(waiting.p0());
        self.entries.push_back((offset, waiting));
    }

    /// Whether nothing waits, and nothing is to be committed.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.depth == 0
    }

    /// P0 elements that are not committed.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Whether something is to be committed that the trace does not have.
    pub fn has_unseen(&self) -> bool {
        self.unseen > 0
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// How many P0 elements there are beyond the speculation depth.
    pub fn beyond(&self, max_spec: u32) -> u32 {
        self.depth.saturating_sub(max_spec)
    }

    /// The oldest P0 elements are final: how many of them are in the queue.
    pub fn commit(&mut self, count: u32) -> u32 {
        let unseen = count.min(self.unseen);
        self.unseen -= unseen;
        self.depth = self.depth.saturating_sub(count);
        count - unseen
    }

    /// Takes the oldest entry; of several atoms the oldest.
    pub fn pop(&mut self) -> Option<(u64, Waiting)> {
        if let Some((offset, Waiting::Atoms(atoms))) = self.entries.front_mut()
            && atoms.count > 1
        {
            let mut first = *atoms;
            first.count = 1;
            atoms.bits >>= 1;
            atoms.count -= 1;
            return Some((*offset, Waiting::Atoms(first)));
        }
        self.entries.pop_front()
    }

    /// The context and the address that follow an exception or a Q.
    pub fn pop_target(&mut self) -> Result<(Option<ContextOf>, Target), Contradiction> {
        let mut context = None;
        if let Some((_, Waiting::Context(found))) = self.entries.front() {
            context = Some(*found);
            self.entries.pop_front();
        }
        match self.entries.pop_front() {
            Some((_, Waiting::Address(target))) => Ok((context, target)),
            _ => Err(Contradiction),
        }
    }

    /// Removes the youngest P0 elements, and what belongs to them.
    pub fn cancel(&mut self, count: u32) -> Result<(), Contradiction> {
        let mut left = count;
        let mut others = Vec::new();
        while left > 0 {
            match self.entries.pop_back() {
                None => break,
                Some((offset, Waiting::Atoms(mut atoms))) if atoms.count > left => {
                    atoms.count -= left;
                    left = 0;
                    self.entries.push_back((offset, Waiting::Atoms(atoms)));
                }
                Some((offset, Waiting::Other(other))) => {
                    others.push((offset, Waiting::Other(other)));
                }
                Some((_, waiting)) => left -= waiting.p0(),
            }
        }
        self.entries.extend(others.into_iter().rev());
        self.depth = self.depth.saturating_sub(count);
        self.unseen = self.unseen.checked_sub(left).ok_or(Contradiction)?;
        Ok(())
    }

    /// Flips the youngest atom, and removes the addresses behind it.
    pub fn mispredict(&mut self) -> Result<(), Contradiction> {
        let mut place = self.entries.len();
        while place > 0 {
            place -= 1;
            match &mut self.entries[place].1 {
                Waiting::Atoms(atoms) if atoms.count > 0 => {
                    atoms.bits ^= 1 << (atoms.count - 1);
                    return Ok(());
                }
                Waiting::Address(_) => {
                    self.entries.remove(place);
                }
                _ => {}
            }
        }
        // It may be one from before.
        if self.unseen > 0 {
            Ok(())
        } else {
            Err(Contradiction)
        }
    }
}
