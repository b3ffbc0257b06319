// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design that the tools read.

use coretrace_hdl_verilog::Port;
use std::path::{Path, PathBuf};

/// Verilog files and their top module. Results go to the directory of the files.
#[derive(Clone, Copy, Debug)]
pub struct Design<'a> {
    /// Where the files are.
    pub directory: &'a Path,
    /// Names of the files, separated by spaces.
    pub sources: &'a str,
    /// Name of the top module.
    pub top: &'a str,
}

/// A decoder of the report: one Verilog file, named after its top module.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Name of the top module; the file has `.v` behind it.
    pub name: String,
    /// Where the file is.
    pub directory: PathBuf,
    /// Bytes at the input per cycle.
    pub bytes_per_cycle: usize,
    /// Whether it steps one state for each byte of a word.
    pub is_chained: bool,
    /// Ports of the top module.
    pub ports: Vec<Port>,
}
