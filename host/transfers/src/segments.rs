// SPDX-License-Identifier: MIT OR Apache-2.0
//! What waits between two data synchronization marks.

use std::collections::VecDeque;

/// The most items and marks that wait.
pub const MOST: usize = 1 << 20;

/// Items up to a mark.
#[derive(Clone, Debug)]
pub struct Segment<T> {
    pub items: Vec<T>,
    /// The number of the mark; none of the last segment.
    pub mark: Option<u8>,
}

/// One of the two streams.
#[derive(Clone, Debug)]
pub struct Segments<T> {
    ended: VecDeque<Segment<T>>,
    open: Vec<T>,
    /// The number of the last mark, until the unnumbered one behind it.
    number: Option<u8>,
    waiting: usize,
    /// Items and marks that found no room.
    pub dropped: u64,
}

impl<T> Default for Segments<T> {
    fn default() -> Segments<T> {
        Segments {
            ended: VecDeque::new(),
            open: Vec::new(),
            number: None,
            waiting: 0,
            dropped: 0,
        }
    }
}

impl<T> Segments<T> {
    /// Takes an item.
    pub fn push(&mut self, item: T) {
        if self.waiting == MOST {
            self.dropped += 1;
            return;
        }
        self.waiting += 1;
        self.open.push(item);
    }

    /// Takes the youngest items of this segment back.
    pub fn cancel(&mut self, count: usize) {
        let count = count.min(self.open.len());
        self.open.truncate(self.open.len() - count);
        self.waiting -= count;
    }

    /// Takes a numbered mark.
    pub fn mark(&mut self, number: u8) {
        self.number = Some(number);
    }

    /// Takes an unnumbered mark: it is the place of the numbered one before it.
    pub fn pin(&mut self) {
        let Some(number) = self.number.take() else {
            return;
        };
        if self.waiting == MOST {
            self.dropped += 1;
            return;
        }
        self.waiting += 1;
        self.ended.push_back(Segment {
            items: std::mem::take(&mut self.open),
            mark: Some(number),
        });
    }

    /// The mark of the oldest segment that has ended.
    pub fn oldest_mark(&self) -> Option<u8> {
        self.ended.front()?.mark
    }

    /// The oldest segment, which may be the one that has not ended.
    pub fn take(&mut self) -> Segment<T> {
        let oldest = self.ended.pop_front().unwrap_or_else(|| Segment {
            items: std::mem::take(&mut self.open),
            mark: None,
        });
        self.waiting -= oldest.items.len() + usize::from(oldest.mark.is_some());
        oldest
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.ended.is_empty() && self.open.is_empty()
    }
}
