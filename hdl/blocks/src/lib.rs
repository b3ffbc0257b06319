// SPDX-License-Identifier: MIT OR Apache-2.0
//! rust-hdl blocks of the ETMv4 decoder, their simulation and their Verilog export.

pub mod axi;
pub mod dataflow;
pub mod etm4;
pub mod export;
pub mod jump;
pub mod profile;
pub mod records;
pub mod sim;
pub mod stream;
pub mod tpiu;
