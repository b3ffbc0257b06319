// SPDX-License-Identifier: MIT OR Apache-2.0
//! A register table as the map of a [`RegisterBlock`](coretrace_hdl_parts::axi::RegisterBlock).

use coretrace_abi::registers::{Access, Map};
use coretrace_hdl_parts::axi::RegisterWord;

/// The words of a map that has `N` registers.
pub(super) const fn words<const N: usize>(map: &Map) -> [RegisterWord; N] {
    let mut words = [word(map, 0); N];
    let mut index = 0;
    while index < N {
        words[index] = word(map, index);
        index += 1;
    }
    words
}

const fn word(map: &Map, index: usize) -> RegisterWord {
    let (offset, register) = map.place(index);
    RegisterWord {
        index: offset as usize / 4,
        stored: register.bits(Access::ReadWrite),
        pulses: register.bits(Access::Pulse),
        events: register.bits(Access::Event),
        sampled: register.bits(Access::Snapshot),
        live: register.bits(Access::Live),
        ones: register.reset() & register.bits(Access::Constant),
        reset: register.reset() & register.bits(Access::ReadWrite),
    }
}
