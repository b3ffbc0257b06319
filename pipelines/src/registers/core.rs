// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `etm4_core`: their block, and its buses.

use super::buses::{buses, signal};
use super::map::words;
use coretrace_abi::core_registers;
use coretrace_abi::registers::CORE;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};
use rust_hdl::prelude::*;

core_registers!(buses);

/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = CORE.address_bits();

/// The registers of the core.
#[derive(Default)]
pub struct CoreMap;

impl RegisterMap for CoreMap {
    const WORDS: &'static [RegisterWord] = &words::<{ CORE.registers() }>(&CORE);
}

/// The registers of the core behind AXI4-Lite.
pub type CoreRegisters =
    RegisterBlock<CoreMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;
