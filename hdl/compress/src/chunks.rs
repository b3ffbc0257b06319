// SPDX-License-Identifier: MIT OR Apache-2.0
//! A value in chunks: each chunk has a fixed place, and the bit behind it says whether another one follows.
//!
//! The value fills all places; what is behind the last chunk that it needs is 0, because the value is. A
//! bit that belongs behind the last chunk therefore is added to the place of the next one: by an exclusive
//! or, so that the places may hold the complement of the value until the end.

use super::beat::{BEAT_BITS, BEAT_COUNT_W};
use coretrace_hdl_dataflow::{Word, any, join};
use std::ops::Range;

/// The chunks of a value.
pub struct Chunks<T> {
    chunks: Vec<T>,
    /// Bits of the value in each; the last one may have more.
    kept: Vec<u32>,
    /// Whether another chunk follows.
    follows: Vec<T>,
    /// Whether this one is the last.
    ends: Vec<T>,
}

impl<T: Word> Chunks<T> {
    /// Of a value in chunks of these sizes; the last one is that of all further chunks. One register is in front of
    /// the flags.
    pub fn of(value: T, sizes: &[u32]) -> Chunks<T> {
        Chunks::of_complement(value, T::constant(0, 1), sizes)
    }

    /// Of a value, or of the complement of one if `is_complement`: the flags are those of the value.
    pub fn of_complement(value: T, is_complement: T, sizes: &[u32]) -> Chunks<T> {
        let last = *sizes.last().expect("a size");
        let sizes = sizes.iter().copied().chain(std::iter::repeat(last));
        let mut low = 0;
        let mut chunks = Vec::new();
        let mut kept = Vec::new();
        let mut used = Vec::new();
        for size in sizes {
            if low >= value.width() {
                break;
            }
            let bits = size.min(value.width() - low);
            let chunk = value.slice(low, bits);
            chunks.push(chunk.extend(size));
            kept.push(bits);
            used.push(chunk.xor(repeat(is_complement, bits)).any());
            low += size;
        }
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
            kept,
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
            self.follows[number].concat(chunk.xor(behind))
        });
        let behind = self.ends[which.end - 1].and(behind);
        join(places.chain([behind])).extend(BEAT_BITS as u32)
    }

    /// 1 at the places that have a bit of the value in [`bits`](Chunks::bits).
    pub fn places(&self, which: Range<usize>) -> T {
        let places = which.map(|number| {
            let kept = (1 << self.kept[number]) - 1;
            T::constant(kept, self.chunks[number].width() + 1)
        });
        join(places).extend(BEAT_BITS as u32)
    }

    /// How many bits these chunks have, and `behind` more if one of them is the last.
    pub fn count(&self, which: Range<usize>, behind: u32) -> T {
        let count = |bits: u32| T::constant(bits.into(), BEAT_COUNT_W as u32);
        let mut bits = 0;
        let mut counts = Vec::new();
        for number in which.clone() {
            bits += self.chunks[number].width() + 1;
            counts.push(count(bits + behind).mask(self.ends[number]));
        }
        counts.push(count(bits).mask(self.follows[which.end - 1]));
        counts.into_iter().reduce(T::or).expect("a chunk")
    }
}

/// A bit, as often as that.
pub fn repeat<T: Word>(bit: T, width: u32) -> T {
    T::constant(u64::MAX >> (64 - width), width).mask(bit)
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
