// SPDX-License-Identifier: MIT OR Apache-2.0
//! Area and timing of a Verilog design on UltraScale+, by open tools.
//!
//! Yosys maps the design, [`netlist`] reads what it wrote, and [`timing`] finds the longest paths
//! between registers. [`route`] places and routes on devices that open tools know. [`report`] puts
//! the figures of many designs into tables, JSON and a plot.
#![forbid(unsafe_code)]

pub mod design;
pub mod estimate;
pub mod netlist;
pub mod report;
pub mod route;
pub mod timing;
pub mod tools;
