// SPDX-License-Identifier: MIT OR Apache-2.0
//! A design that the tools read.

use std::path::Path;

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
