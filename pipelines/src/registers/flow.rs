// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `flow_core`: their block, and its buses.

use super::buses::{buses, signal};
use super::map::words;
use coretrace_abi::flow_registers;
use coretrace_abi::registers::{FLOW, FRAME_BITS, SITE_BITS};
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};
use rust_hdl::prelude::*;

flow_registers!(buses);

/// Bits of a site.
pub const SITE_W: usize = SITE_BITS as usize;
/// Bits of a frame.
pub const FRAME_W: usize = FRAME_BITS as usize;
/// Bits of a row.
pub const ROW_W: usize = FRAME_W + 6;
/// Bits of a byte address in the map.
pub const ADDRESS_W: usize = FLOW.address_bits();

/// The registers of the core.
#[derive(Default)]
pub struct FlowMap;

impl RegisterMap for FlowMap {
    const WORDS: &'static [RegisterWord] = &words::<{ FLOW.registers() }>(&FLOW);
}

/// The registers of the core behind AXI4-Lite.
pub type FlowRegisters =
    RegisterBlock<FlowMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;
