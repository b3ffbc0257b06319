// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where bytes are that a sync has: up to there, packets can be read without a look for it.

use std::iter::Peekable;

use memchr::memmem::{FindIter, find_iter};

/// Bytes that are worth a search.
const SEARCHED: usize = 64;

/// The places of some bytes in others, in order.
pub(crate) struct Runs<'b> {
    places: Option<Peekable<FindIter<'b, 'b>>>,
    end: usize,
}

impl<'b> Runs<'b> {
    /// Looks for the bytes of a sync.
    pub fn new(bytes: &'b [u8], sync: &'b [u8]) -> Runs<'b> {
        let is_searched = bytes.len() >= SEARCHED;
        Runs {
            places: is_searched.then(|| find_iter(bytes, sync).peekable()),
            end: bytes.len(),
        }
    }

    /// The first place of them that is not before `at`, or the end. `at` itself in few bytes, so that
    /// nothing is read there. `at` must not be lower than before.
    pub fn from(&mut self, at: usize) -> usize {
        let Some(places) = &mut self.places else {
            return at;
        };
        while places.next_if(|place| *place < at).is_some() {}
        places.peek().copied().unwrap_or(self.end)
    }
}
