// SPDX-License-Identifier: MIT OR Apache-2.0
//! Cuts the stream of a source into chunks that can be followed at the same time.

use memchr::memmem::Finder;

use crate::chunk::{Chunk, Start};
use crate::stream::StreamFlow;

/// An A-Sync.
const ASYNC: [u8; coretrace_etm::ASYNC_BYTES] = {
    let mut bytes = [0; coretrace_etm::ASYNC_BYTES];
    bytes[coretrace_etm::ASYNC_ZEROS] = coretrace_etm::ASYNC_END;
    bytes
};

/// Bytes of a run-up, at most. That of a good trace is some 30.
const MOST_RUN_UP: usize = 1 << 12;

/// New bytes after which it looks for an A-Sync.
const LOOK_BYTES: usize = 1 << 12;

/// Cuts the stream of a source behind A-Syncs. A cut is where a flow that begins at the A-Sync knows
/// its place: behind the first address and context. Where cuts can be depends on the bytes of the
/// stream alone, not on the pieces in which they come.
#[derive(Clone, Debug)]
pub struct Cutter {
    scout: StreamFlow,
    finder: Finder<'static>,
    /// Bytes of a chunk, at least.
    least: usize,
    /// Bytes of a chunk without an A-Sync.
    most: usize,
    /// The first cut from these offsets on is made, however small the chunk.
    always_at: Vec<u64>,
    chunk: Chunk,
    /// A-Syncs that begin in front of this place in the chunk are not looked at.
    scanned: usize,
    /// Bytes of the chunk at which it looks again.
    look_at: usize,
}

impl Cutter {
    /// Cuts what comes behind `offset`. `scout` is any flow of this source. Chunks have at least
    /// `least` bytes; without an A-Sync in `most` bytes there is a cut at which the next chunk cannot
    /// begin by itself. The first cut whose A-Sync is at an offset of `always_at` or behind it is made
    /// however small the chunk.
    pub fn new(
        scout: StreamFlow,
        offset: u64,
        least: usize,
        most: usize,
        always_at: &[u64],
    ) -> Cutter {
        Cutter {
            scout,
            finder: Finder::new(&ASYNC).into_owned(),
            least,
            most: most.max(2 * MOST_RUN_UP),
            always_at: always_at.to_vec(),
            chunk: Chunk {
                offset,
                ..Chunk::default()
            },
            scanned: 0,
            look_at: 0,
        }
    }

    /// Chunks that come may be smaller.
    pub fn halve(&mut self) {
        self.least = (self.least / 2).max(LOOK_BYTES);
    }

    /// The offset of the next byte.
    pub fn offset(&self) -> u64 {
        self.chunk.offset + self.chunk.bytes.len() as u64
    }

    /// Takes the next bytes; `sink` gets the chunks that are complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(Chunk)) {
        for bytes in bytes.chunks(LOOK_BYTES) {
            self.chunk.bytes.extend_from_slice(bytes);
            if self.chunk.bytes.len() >= self.look_at {
                while let Some(chunk) = self.look(false) {
                    sink(chunk);
                }
                self.look_at = self.chunk.bytes.len() + LOOK_BYTES;
            }
        }
    }

    /// Bytes were lost before the next one.
    pub fn lost(&mut self) {
        let place = self.chunk.bytes.len();
        if self.chunk.losses.last() != Some(&place) {
            self.chunk.losses.push(place);
        }
    }

    /// The stream ends; `sink` gets the last chunks.
    pub fn finish(mut self, mut sink: impl FnMut(Chunk)) {
        while let Some(chunk) = self.look(true) {
            sink(chunk);
        }
        sink(self.chunk);
    }

    /// The chunk in front of the next cut, if there is one in the bytes so far.
    fn look(&mut self, is_end: bool) -> Option<Chunk> {
        loop {
            let bytes = &self.chunk.bytes[..];
            let wanted = self.always_at.iter().min().map_or(usize::MAX, |offset| {
                let behind = offset.saturating_sub(self.chunk.offset);
                behind.try_into().unwrap_or(usize::MAX)
            });
            let from = self.scanned.max(self.least.min(wanted));
            let Some(place) = self.find(from) else {
                let seen = bytes.len().saturating_sub(ASYNC.len() - 1);
                if from < seen {
                    self.scanned = seen;
                }
                // What may be the beginning of an A-Sync is left.
                let is_cut = bytes.len() >= self.most && seen >= from && !is_end;
                return is_cut.then(|| self.cut(seen, None));
            };
            // All bytes that a run-up may look at are there, so its result never varies.
            if bytes.len() < place + MOST_RUN_UP + ASYNC.len() && !is_end {
                return None;
            }
            let lost = self.chunk.losses.iter().find(|loss| **loss > place);
            let limits = [
                self.find(place + ASYNC.len()),
                lost.copied(),
                Some(place + MOST_RUN_UP),
            ];
            let end = limits.into_iter().flatten().min();
            let end = end.unwrap_or(place).min(bytes.len());
            let sync = self.chunk.offset + place as u64;
            if let Some(state) = self.scout.run_up(sync, &bytes[place..end]) {
                let cut = (state.offset() - self.chunk.offset) as usize;
                self.always_at.retain(|offset| *offset > sync);
                return Some(self.cut(cut, Some(Start { sync, state })));
            }
            self.scanned = place + 1;
        }
    }

    /// The place of the first A-Sync from a place on. A loss inside it makes it none.
    fn find(&self, from: usize) -> Option<usize> {
        let mut from = from;
        loop {
            let found = self.finder.find(self.chunk.bytes.get(from..)?)?;
            let place = from + found;
            let inside = place + 1..place + ASYNC.len();
            if !self.chunk.losses.iter().any(|loss| inside.contains(loss)) {
                return Some(place);
            }
            from = place + 1;
        }
    }

    fn cut(&mut self, place: usize, start: Option<Start>) -> Chunk {
        let mut behind = self.chunk.split_off(place);
        behind.start = start;
        self.scanned = self.scanned.saturating_sub(place);
        std::mem::replace(&mut self.chunk, behind)
    }
}
