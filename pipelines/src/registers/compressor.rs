// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `trace_compressor`: their block, and its buses.

use super::buses::{buses, signal};
use super::map::words;
use coretrace_abi::compressor_registers;
use coretrace_abi::registers::COMPRESSOR;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};
use rust_hdl::prelude::*;

compressor_registers!(buses);

/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = COMPRESSOR.address_bits();

/// The registers of the core.
#[derive(Default)]
pub struct CompressorMap;

impl RegisterMap for CompressorMap {
    const WORDS: &'static [RegisterWord] = &words::<{ COMPRESSOR.registers() }>(&COMPRESSOR);
}

/// The registers of the core behind AXI4-Lite.
pub type CompressorRegisters =
    RegisterBlock<CompressorMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;
