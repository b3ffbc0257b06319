// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether words are written.

/// What is done with words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Reads alone.
    Read,
    /// Reads and writes.
    ReadWrite,
}
