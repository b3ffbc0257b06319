// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `etm4_recompressor_xe`: their block, and its buses.

use super::buses::{buses, signal};
use super::map::words;
use coretrace_abi::recompressor_xe_registers;
use coretrace_abi::registers::RECOMPRESSOR_XE;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};
use rust_hdl::prelude::*;

recompressor_xe_registers!(buses);

/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = RECOMPRESSOR_XE.address_bits();

/// The registers of the core.
#[derive(Default)]
pub struct RecompressorXeMap;

impl RegisterMap for RecompressorXeMap {
    const WORDS: &'static [RegisterWord] =
        &words::<{ RECOMPRESSOR_XE.registers() }>(&RECOMPRESSOR_XE);
}

/// The registers of the core behind AXI4-Lite.
pub type RecompressorXeRegisters =
    RegisterBlock<RecompressorXeMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;
