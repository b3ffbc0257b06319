// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes in, entries out.

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

const WORD_BYTES: usize = 4;
const ENTRY_BYTES: usize = ENTRY_WORDS * WORD_BYTES;

/// Reads a profile stream.
#[derive(Clone, Debug, Default)]
pub struct EntryReader {
    /// Entries read, padding among them.
    entries: u64,
    /// Bytes of the current entry, and how many were read.
    part: [u8; ENTRY_BYTES],
    filled: usize,
}

impl EntryReader {
    /// A reader behind so many entries of padding.
    pub(super) fn behind(entries: u64) -> EntryReader {
        EntryReader {
            entries,
            ..EntryReader::default()
        }
    }

    /// Takes bytes; `sink` gets the entries that they complete, without padding.
    ///
    /// # Errors
    /// If an entry cannot be read. `sink` got those before it.
    #[inline]
    pub fn bytes(&mut self, bytes: &[u8], mut sink: impl FnMut(&Entry)) -> Result<(), EntryError> {
        let missing = (ENTRY_BYTES - self.filled) % ENTRY_BYTES;
        let (first, behind) = bytes.split_at(bytes.len().min(missing));
        self.part[self.filled..self.filled + first.len()].copy_from_slice(first);
        self.filled += first.len();
        let part = [self.part];
        let is_whole = self.filled == ENTRY_BYTES;
        let (entries, rest) = behind.as_chunks();
        if is_whole || missing == 0 {
            self.part[..rest.len()].copy_from_slice(rest);
            self.filled = rest.len();
        }
        // The sink is called at one place, so that it becomes part of the loop.
        for entries in [&part[..usize::from(is_whole)], entries] {
            for (number, bytes) in (self.entries..).zip(entries) {
                if let Some(entry) = entry(bytes, number)? {
                    sink(&entry);
                }
            }
            self.entries += entries.len() as u64;
        }
        Ok(())
    }

    /// Takes a word; returns the entry that it completes, unless that is padding.
    ///
    /// # Errors
    /// If the entry cannot be read.
    pub fn word(&mut self, word: u32) -> Result<Option<Entry>, EntryError> {
        let mut found = None;
        self.bytes(&word.to_le_bytes(), |entry| found = Some(*entry))?;
        Ok(found)
    }

    /// Whether an entry is complete: a stream should end here.
    pub fn is_complete(&self) -> bool {
        self.filled == 0
    }
}

/// The entry of these bytes, unless they are padding.
#[inline]
fn entry(bytes: &[u8; ENTRY_BYTES], number: u64) -> Result<Option<Entry>, EntryError> {
    let mut words = [0; ENTRY_WORDS];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<WORD_BYTES>().0) {
        *word = u32::from_le_bytes(*bytes);
    }
    let word = number * ENTRY_WORDS as u64;
    let entry = Entry::of_words(&words).map_err(|code| EntryError::Kind { code, word })?;
    match entry {
        Some(entry) if entry.kind == EntryKind::Start && entry.weight != VERSION => {
            Err(EntryError::Version {
                version: entry.weight,
                word: word + 1,
            })
        }
        entry => Ok(entry),
    }
}
