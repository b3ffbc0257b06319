// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probabilities: what they expect, how sure they are, and how they learn.

use coretrace_abi::compressed::history::{PROBABILITY_MOST, PROBABILITY_START, PROBABILITY_SURE};
use coretrace_hdl_dataflow::{Word, join, mux_tree, named};

/// Bits of a probability.
pub(crate) const PROBABILITY_W: u32 = PROBABILITY_MOST.count_ones();

/// It expects a yes.
pub(crate) fn expects<T: Word>(probability: T) -> T {
    probability.bit(PROBABILITY_START.ilog2())
}

/// It is nearly certain of a yes or of a no.
#[named]
pub(crate) fn is_sure<T: Word>(probability: T) -> T {
    let limit = |value: u16| T::constant(value.into(), PROBABILITY_W);
    let is_no = probability.lt(limit(PROBABILITY_SURE));
    let is_yes = limit(PROBABILITY_MOST - PROBABILITY_SURE + 1).lt(probability);
    is_no.or(is_yes)
}

/// It learns a yes or a no: it moves by its distance, shifted right by one of these rates, the one of this number.
///
/// For a yes the distance is the complement, which is added; for a no it is the probability, which is subtracted: so
/// the complement of its bits is added, too.
#[named]
pub(crate) fn learnt<T: Word>(probability: T, yes: T, rates: &[u32], number: T) -> T {
    let (other, is_no) = (probability.not(), yes.not());
    let part = |&rate: &u32| {
        let above = join((0..rate).map(|_| is_no));
        above.concat(other.slice(rate, PROBABILITY_W - rate))
    };
    let parts: Vec<T> = rates.iter().map(part).collect();
    let part = mux_tree(&parts, number, number.width());
    // One sum: the complement is one less than the negative.
    let one = T::constant(1, 1);
    let sum = probability.concat(one).add(part.concat(is_no));
    sum.slice(1, PROBABILITY_W)
}
