// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Vivado scripts, run by tclsh with stubs of Vivado's commands (`stubs.tcl`, `ip_stubs.tcl`).
//!
//! These tests cannot show that Vivado accepts the commands, or that its reports look like the ones
//! here.

mod flow;
mod gate;
mod ip;
mod tclsh;
