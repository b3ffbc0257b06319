// SPDX-License-Identifier: MIT OR Apache-2.0
//! What ran when, in a bounded number of pieces.

use crate::event::At;
use crate::tree::{NodeId, Stretch};

/// A piece of a source: what ran, or what ran longest of what is in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Trace ID of the source.
    pub source: u8,
    /// The node; none where nothing is known to have run.
    pub node: Option<NodeId>,
    /// Time at its beginning.
    pub from: u64,
    /// Time at its end.
    pub to: u64,
    /// Instructions in it.
    pub instructions: u64,
    /// The time of the node in it.
    pub share: u64,
}

impl Sample {
    fn of(stretch: &Stretch) -> Sample {
        let Stretch {
            source,
            node,
            from,
            to,
        } = *stretch;
        Sample {
            source,
            node,
            from: from.time,
            to: to.time,
            instructions: instructions(&from, &to),
            share: to.time.saturating_sub(from.time),
        }
    }

    /// Makes one piece of this one and the one behind it.
    fn merge(&mut self, behind: &Sample) {
        if self.node == behind.node {
            self.share = self.share.saturating_add(behind.share);
        } else if (behind.share, behind.instructions) > (self.share, self.instructions) {
            self.node = behind.node;
            self.share = behind.share;
        }
        self.to = behind.to;
        self.instructions = self.instructions.saturating_add(behind.instructions);
    }
}

fn instructions(from: &At, to: &At) -> u64 {
    to.instructions.saturating_sub(from.instructions)
}

/// Pieces of all sources in the order in which they came.
#[derive(Clone, Debug)]
pub struct Samples {
    limit: usize,
    samples: Vec<Sample>,
    /// Pieces that are shorter are put together with the one before; 0: none is.
    least: u64,
    /// Stretches that were put into these pieces.
    pub stretches: u64,
}

impl Samples {
    /// No pieces, at most this many at the end.
    pub fn new(limit: usize) -> Samples {
        Samples {
            limit: limit.max(2),
            samples: Vec::new(),
            least: 0,
            stretches: 0,
        }
    }

    /// The pieces.
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// Pieces are at least this long, in units of the axis, but for those next to a change of
    /// sources; 0 if nothing was put together.
    pub fn least(&self) -> u64 {
        self.least
    }

    /// Adds a stretch.
    pub fn push(&mut self, stretch: &Stretch) {
        self.stretches += 1;
        let sample = Sample::of(stretch);
        match self.samples.last_mut() {
            Some(last) if is_one(last, &sample, self.least) => last.merge(&sample),
            _ => self.samples.push(sample),
        }
        while self.samples.len() > self.limit {
            self.thin();
        }
    }

    /// Puts short neighbours together, until there are fewer than half as many as allowed.
    fn thin(&mut self) {
        while self.samples.len() > self.limit / 2 {
            let before = self.samples.len();
            self.least = match self.least {
                0 => self.start_least(),
                least => least.saturating_mul(2),
            };
            let mut kept: Vec<Sample> = Vec::with_capacity(self.limit / 2);
            for sample in &self.samples {
                match kept.last_mut() {
                    Some(last) if is_one(last, sample, self.least) => last.merge(sample),
                    _ => kept.push(*sample),
                }
            }
            self.samples = kept;
            if self.least == u64::MAX && self.samples.len() == before {
                // Only changes of sources are left.
                self.samples.truncate(self.limit / 2);
            }
        }
    }

    /// A length that puts about half of the pieces together.
    fn start_least(&self) -> u64 {
        let time: u64 = self.samples.iter().fold(0, |sum: u64, sample| {
            sum.saturating_add(sample.to.saturating_sub(sample.from))
        });
        (time / self.samples.len() as u64).max(1)
    }
}

/// Whether two neighbours become one piece.
fn is_one(last: &Sample, next: &Sample, least: u64) -> bool {
    let is_continued = last.source == next.source && last.to == next.from;
    is_continued && (last.node == next.node || last.to.saturating_sub(last.from) < least)
}
