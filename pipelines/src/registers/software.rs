// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of a source of software trace beside the one of `etm4_core`: their block, and its buses.

use super::buses::{buses, signal};
use super::core::ADDRESS_W;
use super::map::words;
use coretrace_abi::registers::SOFTWARE;
use coretrace_abi::software_registers;
use coretrace_hdl_dataflow::{Bus, Word, kernel_block, layout};
use coretrace_hdl_parts::axi::{RegisterBlock, RegisterMap, RegisterWord};
use rust_hdl::prelude::*;

software_registers!(buses);

// Both register blocks of a core take the same addresses.
const _: () = assert!(SOFTWARE.address_bits() <= ADDRESS_W);

/// These registers alone.
#[derive(Default)]
pub struct SoftwareMap;

impl RegisterMap for SoftwareMap {
    const WORDS: &'static [RegisterWord] = &words::<{ SOFTWARE.registers() }>(&SOFTWARE);
}

/// These registers behind AXI4-Lite.
pub type SoftwareRegisters =
    RegisterBlock<SoftwareMap, ADDRESS_W, { ADDRESS_W - 2 }, SETTINGS_W, PULSES_W, STATUS_W>;
