// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words on their way into a file.

use std::io::{Result, Write};

/// Writes words, the lowest byte of each first.
pub struct Words<W> {
    /// Words that are not written yet.
    pub due: Vec<u32>,
    out: W,
    /// The first failure.
    written: Result<()>,
}

impl<W: Write> Words<W> {
    pub fn new(out: W) -> Words<W> {
        Words {
            due: Vec::new(),
            out,
            written: Ok(()),
        }
    }

    /// Writes the words that are due.
    pub fn write(&mut self) {
        let bytes = self.due.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.collect();
        self.due.clear();
        if self.written.is_ok() {
            self.written = self.out.write_all(&bytes);
        }
    }

    /// Whether words could not be written.
    pub fn has_failed(&self) -> bool {
        self.written.is_err()
    }

    /// Writes the rest.
    ///
    /// # Errors
    /// If any word could not be written.
    pub fn finish(mut self) -> Result<()> {
        self.write();
        self.written?;
        self.out.flush()
    }
}
