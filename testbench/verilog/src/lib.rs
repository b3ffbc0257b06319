// SPDX-License-Identifier: MIT OR Apache-2.0
//! Exported Verilog in Verilator, Icarus and Yosys: lint, co-simulation and a fast engine.
//!
//! | module | what it does |
//! |---|---|
//! | [`tools`] | finds the programs; tests skip or fail without them |
//! | [`lint`] | three linters over one text, with all waivers in one table |
//! | [`cosim`], [`recording`] | records a run in Rust and replays it in Verilog |
//! | [`engine`] | runs an exported top over long input at Verilator's speed |
//! | [`preset`] | presets of `coretrace_pipelines` in the engine |

mod build;
pub mod cosim;
pub mod engine;
mod icarus;
pub mod lint;
pub mod preset;
pub mod recording;
pub mod tools;
mod work;
