// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which nibbles have at least 21 nibbles F before them, across packets and words.

use crate::input::of_next;
use crate::words::Byte;
use coretrace_hdl_dataflow::{Table, Word, all, any, join, named};
use coretrace_stm::ASYNC_FS;
use std::sync::LazyLock;

/// Pairs of nibbles F before the last one of an ASYNC, if one more F is before them.
const PAIRS: u64 = ASYNC_FS as u64 / 2;
/// Bits of a number of pairs, up to one more.
const PAIRS_W: u32 = 4;

/// What a byte does with the number of pairs, in the bits above it.
mod run {
    /// It does not count.
    pub const STAYS: u64 = 0;
    /// It is FF.
    pub const GROWS: u64 = 1;
}

static RUNS: LazyLock<Table> = LazyLock::new(|| {
    Table::new(PAIRS_W, |index| {
        let pairs = index as u64 % (1 << PAIRS_W);
        match index as u64 >> PAIRS_W {
            run::STAYS => pairs,
            run::GROWS => (pairs + 1).min(PAIRS + 1),
            // Any other one.
            _ => 0,
        }
    })
});

/// For both nibbles of each byte whether an ASYNC may end there: with the second one, if the first one is F.
/// `restarts` says that no F before the word counts.
#[named]
pub fn hits<T: Word>(bytes: &[Byte<T>], restarts: T) -> Vec<[T; 2]> {
    let steps = bytes.iter().map(|byte| {
        let ends = byte.octet.slice(4, 4).is(0xF);
        let is_full = byte.octet.is(0xFF);
        let [breaks, grows] = [is_full.not(), is_full].map(|bit| byte.keep.and(bit).reg());
        (breaks, grows, ends.reg())
    });
    let steps: Vec<(T, T, T)> = steps.collect();
    let now = steps[0].0.stage();
    let (held_pairs, next_pairs) = T::register(PAIRS_W, now);
    let (held_odd, next_odd) = T::register(1, now);
    let (mut pairs, mut is_odd) = (held_pairs, held_odd);
    let mut hits = Vec::new();
    for (breaks, grows, ends) in steps {
        // Registered, so that the comparison is not behind the loop.
        let (before, was_odd) = (pairs.reg(), is_odd.reg());
        let is_long = before.is(PAIRS).or(before.is(PAIRS + 1));
        let is_longer = any(&[before.is(PAIRS + 1), all(&[before.is(PAIRS), was_odd])]);
        hits.push([is_longer, is_long]);
        pairs = join([pairs, grows, breaks]).extend(8).rom(&RUNS);
        is_odd = breaks.mux(ends, is_odd);
    }
    let goes_on = of_next(restarts, now).not();
    T::set_next(next_pairs, pairs.mask(goes_on));
    T::set_next(next_odd, is_odd.and(goes_on));
    hits
}
