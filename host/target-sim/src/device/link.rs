// SPDX-License-Identifier: MIT OR Apache-2.0
//! A funnel or a replicator. A funnel holds a few bytes until more follow, or until a flush.

use std::collections::VecDeque;

use coretrace_coresight::map::links::{funnel, replicator};

use super::Traced;
use crate::outcome::Outcome;

/// Bytes that a funnel holds.
const HELD: usize = 4;

/// The state.
#[derive(Clone, Debug)]
pub struct Link {
    is_funnel: bool,
    held: VecDeque<Traced>,
}

impl Link {
    /// A funnel.
    pub fn funnel() -> Link {
        Link {
            is_funnel: true,
            held: VecDeque::new(),
        }
    }

    /// A replicator.
    pub fn replicator() -> Link {
        Link {
            is_funnel: false,
            held: VecDeque::new(),
        }
    }

    /// Whether a byte of a trace ID passes from an input to an output.
    pub fn passes(&self, words: &[u32], input: usize, output: usize, id: u8) -> bool {
        if self.is_funnel {
            funnel::ctrl::ENABLE.of(words[0]) >> input & 1 == 1
        } else {
            words[output] >> (id >> 4) & 1 == 0
        }
    }

    /// Takes a byte; returns the one that leaves.
    pub fn take(&mut self, traced: Traced) -> Option<Traced> {
        if !self.is_funnel {
            return Some(traced);
        }
        self.held.push_back(traced);
        if self.held.len() > HELD {
            self.held.pop_front()
        } else {
            None
        }
    }

    /// Hands on all that it holds.
    pub fn flush(&mut self) -> Vec<Traced> {
        self.held.drain(..).collect()
    }

    pub(super) fn write(&mut self, offset: u32, value: u32, words: &mut [u32], out: &mut Outcome) {
        let word = &mut words[offset as usize / 4];
        let old = std::mem::replace(word, value);
        if self.is_funnel && offset == funnel::CTRL.offset {
            let enable = |value| funnel::ctrl::ENABLE.of(value);
            out.is_opened = enable(value) & !enable(old) != 0;
            if enable(old) & !enable(value) != 0 {
                out.is_closed = true;
                let lost = self.flush().len();
                out.lost = (lost > 0).then_some(("an input was closed before a flush", lost));
            }
        } else if !self.is_funnel && replicator::IDFILTER.covers(offset) {
            out.is_opened = old & !value != 0;
        }
    }
}
