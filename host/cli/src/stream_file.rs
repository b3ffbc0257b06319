// SPDX-License-Identifier: MIT OR Apache-2.0
//! A file of 32-bit words, as DMA stores them: little-endian. It is read in pieces, never as a
//! whole.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::error::say;

const WORD_BYTES: usize = 4;

/// Bytes to read at a time.
const BUFFER_BYTES: usize = 1 << 16;

/// Passes every word of a file to `sink` and returns the number of words. Reports bytes after the
/// last whole word on standard error.
///
/// # Errors
/// If the file cannot be read, or `sink` fails.
pub fn read_words(path: &Path, mut sink: impl FnMut(u32) -> Result<()>) -> Result<u64> {
    let name = path.display();
    let file = File::open(path).with_context(|| format!("{name}: is the name right?"))?;
    ensure!(
        !file.metadata()?.is_dir(),
        "{name} is a folder: name a file"
    );
    let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
    let mut words = 0;
    let mut part = [0; WORD_BYTES];
    let mut filled = 0;
    loop {
        let bytes = file
            .fill_buf()
            .with_context(|| format!("cannot read {name}"))?;
        let read = bytes.len();
        if read == 0 {
            break;
        }
        for &byte in bytes {
            part[filled] = byte;
            filled += 1;
            if filled == WORD_BYTES {
                filled = 0;
                words += 1;
                sink(u32::from_le_bytes(part))
                    .with_context(|| format!("cannot go on in {name}"))?;
            }
        }
        file.consume(read);
    }
    if filled > 0 {
        say(&format!(
            "warning: {name}: {filled} bytes after word {words} are a partial word: the file was cut"
        ));
    }
    Ok(words)
}

/// Reports on standard error that the last group or entry of a file is incomplete.
pub fn say_cut(path: &Path, words: u64) {
    say(&format!(
        "warning: {}: it ends after {words} words in the middle of a group: its last words were not \
         stored, or the file was cut",
        path.display()
    ));
}
