// SPDX-License-Identifier: MIT OR Apache-2.0
//! Probabilities: what they expect, how sure they are, and how they learn.

use coretrace_abi::compressed::history::{PROBABILITY_MOST, PROBABILITY_START, PROBABILITY_SURE};
use coretrace_hdl_dataflow::{Word, named};

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

/// It learns a yes or a no; `part` is the part of its distance that it moves by.
///
/// A yes is a no for the complement.
#[named]
pub(crate) fn learnt<T: Word>(probability: T, yes: T, part: impl FnOnce(T) -> T) -> T {
    let distance = yes.mux(probability.not(), probability);
    // One sum: the complement is one less than the negative.
    let one = T::constant(1, 1);
    let sum = distance
        .concat(one)
        .add(part(distance).not().concat(one))
        .slice(1, PROBABILITY_W);
    yes.mux(sum.not(), sum)
}
