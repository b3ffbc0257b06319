// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Vivado scripts, run by tclsh with stubs of Vivado's commands (`stubs.tcl`, `ip_stubs.tcl`).
//!
//! What these tests cannot say: that Vivado takes the commands, and that its reports look as here.

mod flow;
mod gate;
mod ip;
mod tclsh;
