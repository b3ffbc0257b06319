// SPDX-License-Identifier: MIT OR Apache-2.0
//! Literals: a size, a sign, and the distance from the target that was sent before.

use super::beat::BEAT_COUNT_W;
use super::branch_bits::ADDRESS_W;
use coretrace_abi::compressed::history::LITERAL_WIDTHS;
use coretrace_hdl_dataflow::{Word, mux_tree, named};

/// Bits of the number of a size.
const SIZE_W: u32 = LITERAL_WIDTHS.len().ilog2();
/// Bits of a size and a sign.
pub(crate) const HEADER_W: u32 = SIZE_W + 1;

/// A literal in its two parts.
pub(crate) struct Literal<T> {
    pub header: T,
    pub bits: T,
    pub count: T,
}

/// The literal of a target; if it `is_sent`, the next one is a distance from it.
///
/// Three registers are in the way.
#[named]
pub(crate) fn literal<T: Word>(clear: T, is_sent: T, target: T) -> Literal<T> {
    let width = ADDRESS_W as u32;
    let (last, last_next) = T::register(width, 0);
    let behind = is_sent.mux(target, last);
    T::set_next(last_next, behind.mask(clear.not()));

    // One sum: the complement is one less than the negative. Addresses have a sign.
    let one = T::constant(1, 1);
    let signed = |address: T| address.bit(width - 1).concat(address);
    let sum = signed(target)
        .concat(one)
        .add(signed(last).not().concat(one));
    let distance = sum.slice(1, width + 1).reg();
    let is_negative = distance.bit(width);
    let low = distance.slice(0, width);
    let size = is_negative
        .mux(low.not(), low)
        .add(is_negative.extend(width))
        .reg();

    let is_above = |number: usize| {
        let fits = LITERAL_WIDTHS[number];
        size.slice(fits, width - fits).any()
    };
    let above: Vec<T> = (0..LITERAL_WIDTHS.len() - 1).map(is_above).collect();
    let number = (1..LITERAL_WIDTHS.len()).fold(T::constant(0, SIZE_W), |less, number| {
        above[number - 1].mux(T::constant(number as u64, SIZE_W), less)
    });
    let number = number.reg();
    let counts = LITERAL_WIDTHS.map(|width| T::constant(width.into(), BEAT_COUNT_W as u32));
    Literal {
        header: is_negative.concat(number),
        bits: size.reg(),
        count: mux_tree(&counts, number, SIZE_W),
    }
}
