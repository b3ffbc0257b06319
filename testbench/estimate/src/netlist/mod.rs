// SPDX-License-Identifier: MIT OR Apache-2.0
//! A netlist mapped to UltraScale+: its cells, their area, and names of nets.

pub mod area;
mod carries;
pub mod cell;
mod json;
mod net_names;
mod raw;
