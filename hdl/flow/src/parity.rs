// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parity of the words of a flow table.

use coretrace_hdl_dataflow::Word;

/// Whether a word has an odd number of ones: then it is damaged.
pub(crate) fn is_odd<T: Word>(word: T) -> T {
    let width = word.width();
    if width == 1 {
        return word;
    }
    let half = width.div_ceil(2);
    let high = word.slice(half, width - half).extend(half);
    is_odd(word.slice(0, half).xor(high))
}
