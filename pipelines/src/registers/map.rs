// SPDX-License-Identifier: MIT OR Apache-2.0
//! The register table as the map of a [`RegisterBlock`].

use super::buses::{PULSES_W, SETTINGS_W, STATUS_W};
use coretrace_abi::registers::{Access, REGISTERS, SOURCE_BASE, SOURCE_STRIDE, SOURCES, place};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};

/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = (SOURCE_BASE + SOURCE_STRIDE * SOURCES as u32)
    .next_power_of_two()
    .ilog2() as usize;

/// The registers of the core.
#[derive(Default)]
pub struct CoreMap;

impl RegisterMap for CoreMap {
    const WORDS: &'static [RegisterWord] = &WORDS;
}

/// The registers of the core behind AXI4-Lite.
pub type CoreRegisters =
    RegisterBlock<CoreMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;

const WORDS: [RegisterWord; REGISTERS] = {
    let mut words = [word(0); REGISTERS];
    let mut index = 0;
    while index < REGISTERS {
        words[index] = word(index);
        index += 1;
    }
    words
};

const fn word(index: usize) -> RegisterWord {
    let (offset, register) = place(index);
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
