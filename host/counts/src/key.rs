// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a row is about.

/// What a row is about. Rows of several traces with the same key are one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Its name. It comes from the program and may contain anything.
    pub name: String,
    /// The number of the process.
    pub pid: Option<u32>,
    /// The number of the thread.
    pub tid: Option<u32>,
    /// The program file.
    pub program: Option<String>,
    /// The source file.
    pub file: Option<String>,
    /// The line in it.
    pub line: Option<u32>,
    /// The first address: in the file if there is one, else in memory.
    pub start: Option<u64>,
    /// The address behind the last one; of a branch its target.
    pub end: Option<u64>,
}
