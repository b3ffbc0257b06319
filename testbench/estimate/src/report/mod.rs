// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of many designs: tables, JSON and a plot.

pub mod before;
pub mod design_section;
pub mod document_block;
pub mod goals;
pub mod markdown;
pub mod measure;
pub mod measured;
pub mod picorv32;
pub mod plot;
pub mod published;
pub mod tables;
