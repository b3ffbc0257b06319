// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words in, entries out.

use std::fmt;

use coretrace_abi::profile_stream::{ENTRY_WORDS, Entry, EntryKind, VERSION};

/// Why words are not a profile stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryError {
    /// A kind of entry that does not exist.
    Kind {
        /// Its code.
        code: u8,
        /// Number of the entry's first word in the stream, from 0.
        word: u64,
    },
    /// The stream is of another version of the format.
    Version {
        /// The version.
        version: u32,
        /// Number of the word with the version, from 0.
        word: u64,
    },
}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EntryError::Kind { code, word } => {
                write!(f, "word {word} has kind {code}, which no entry has")
            }
            EntryError::Version { version, word } => write!(
                f,
                "word {word} names version {version} of the format; version {VERSION} can be read"
            ),
        }
    }
}

impl std::error::Error for EntryError {}

/// Reads a profile stream word by word.
#[derive(Clone, Debug, Default)]
pub struct EntryReader {
    /// Words read.
    position: u64,
    /// Words of the current entry, and how many were read.
    words: [u32; ENTRY_WORDS],
    count: usize,
}

impl EntryReader {
    /// Takes a word; returns the entry that it completes, unless that is padding.
    ///
    /// # Errors
    /// If the entry cannot be read.
    pub fn word(&mut self, word: u32) -> Result<Option<Entry>, EntryError> {
        self.words[self.count] = word;
        self.count += 1;
        self.position += 1;
        if self.count < ENTRY_WORDS {
            return Ok(None);
        }
        self.count = 0;
        let first = self.position - ENTRY_WORDS as u64;
        let entry =
            Entry::of_words(&self.words).map_err(|code| EntryError::Kind { code, word: first })?;
        match entry {
            Some(entry) if entry.kind == EntryKind::Start && entry.weight != VERSION => {
                Err(EntryError::Version {
                    version: entry.weight,
                    word: first + 1,
                })
            }
            entry => Ok(entry),
        }
    }

    /// Whether an entry is complete: a stream should end here.
    pub fn is_complete(&self) -> bool {
        self.count == 0
    }
}
