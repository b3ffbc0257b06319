// SPDX-License-Identifier: MIT OR Apache-2.0
//! Places in tables, and what a word was in the cycle before.

use coretrace_hdl_dataflow::Word;

/// The groups of so many bits of a value, one upon the other.
pub(crate) fn fold<T: Word>(value: T, bits: u32) -> T {
    let groups = (0..value.width()).step_by(bits as usize).map(|low| {
        let kept = bits.min(value.width() - low);
        value.slice(low, kept).extend(bits)
    });
    groups.reduce(T::xor).expect("a value has bits")
}

/// What a word was in the cycle before, at the same stage: events of several cycles meet in one.
pub(crate) fn before<T: Word>(word: T) -> T {
    let (held, next) = T::register(word.width(), word.stage());
    T::set_next(next, word);
    held
}
