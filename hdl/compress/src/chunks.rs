// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value in chunks: each chunk has a fixed place, and the bit behind it says whether another one follows.
//!
//! The value fills all places; what is behind the last chunk that it needs is 0, because the value is. A
//! bit that belongs behind the last chunk therefore is an OR into the place of the next one.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use coretrace_hdl_dataflow::{Word, any, join};
use std::ops::Range;

/// The chunks of a value.
pub struct Chunks<T> {
    chunks: Vec<T>,
    /// Whether another chunk follows.
    follows: Vec<T>,
    /// Whether this one is the last.
    ends: Vec<T>,
}

impl<T: Word> Chunks<T> {
    /// Of a value in chunks of these sizes; the last one is that of all further chunks. One register is in front of
    /// the flags.
    pub fn of(value: T, sizes: &[u32]) -> Chunks<T> {
        let last = *sizes.last().expect("a size");
        let sizes = sizes.iter().copied().chain(std::iter::repeat(last));
        let mut low = 0;
        let mut chunks = Vec::new();
        for size in sizes {
            if low >= value.width() {
                break;
            }
            let kept = size.min(value.width() - low);
            chunks.push(value.slice(low, kept).extend(size));
            low += size;
        }
        let used = chunks.iter().map(|&chunk| chunk.any()).collect();
        let above: Vec<T> = any_from(used).into_iter().map(T::reg).collect();
        let one = T::constant(1, 1);
        let follows: Vec<T> = above[1..]
            .iter()
            .copied()
            .chain([T::constant(0, 1)])
            .collect();
        let begins = [one].into_iter().chain(above[1..].iter().copied());
        let ends = begins
            .zip(&follows)
            .map(|(begins, follows)| begins.and(follows.not()));
        Chunks {
            ends: ends.collect(),
            follows,
            chunks,
        }
    }

    /// How many there may be.
    pub fn most(&self) -> usize {
        self.chunks.len()
    }

    /// Whether one of these is the last.
    pub fn ends_in(&self, which: Range<usize>) -> T {
        any(&self.ends[which])
    }

    /// The bits of these chunks and of what follows them, and `behind` if one of them is the last.
    pub fn bits(&self, which: Range<usize>, behind: T) -> T {
        let places = which.clone().map(|number| {
            let chunk = self.chunks[number];
            if number == which.start {
                return self.follows[number].concat(chunk);
            }
            let behind = self.ends[number - 1].and(behind).extend(chunk.width());
            self.follows[number].concat(chunk.or(behind))
        });
        let behind = self.ends[which.end - 1].and(behind);
        join(places.chain([behind])).extend(BEAT_BITS as u32)
    }

    /// How many bits these chunks have, without one behind them.
    pub fn count(&self, which: Range<usize>) -> T {
        let count = |bits: u32| T::constant(bits.into(), BEAT_COUNT_W as u32);
        let mut bits = 0;
        let mut counts = Vec::new();
        for number in which.clone() {
            bits += self.chunks[number].width() + 1;
            counts.push(count(bits).mask(self.ends[number]));
        }
        counts.push(count(bits).mask(self.follows[which.end - 1]));
        counts.into_iter().reduce(T::or).expect("a chunk")
    }
}

/// For each flag, whether it or one behind it is set.
fn any_from<T: Word>(mut flags: Vec<T>) -> Vec<T> {
    let mut step = 1;
    while step < flags.len() {
        for number in 0..flags.len() - step {
            flags[number] = flags[number].or(flags[number + step]);
        }
        step *= 2;
    }
    flags
}
