// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `coretrace_abi::registers` as a block with an AXI4-Lite port.

mod control;

pub use control::{ADDRESS_W, ControlRegisters};
