// SPDX-License-Identifier: MIT OR Apache-2.0
//! The static timing estimate of a mapped netlist.

mod components;
pub mod delay;
mod dependencies;
pub mod path;
pub mod sta;
