// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of either stream in, sums out.

use std::fmt;

use coretrace_abi::profile_stream::EntryKind;
use coretrace_abi::record_stream::tag;

use super::record_times::RecordTimes;
use super::{Axis, EntryError, EntryReader, Profile, Timeline, entry_of};
use coretrace_streams::{Item, ReadError, Reader};

/// Why words cannot be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// The first word that is not 0 starts neither kind of stream.
    Neither {
        /// The word.
        value: u32,
        /// Its number, from 0.
        word: u64,
    },
    /// A record stream that cannot be read.
    Records(ReadError),
    /// A profile stream that cannot be read.
    Entries(EntryError),
}

impl fmt::Display for StreamError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StreamError::Neither { value, word } => write!(
                f,
                "word {word} is {value:#010x}, which begins neither a record stream nor a profile"
            ),
            StreamError::Records(error) => error.fmt(f),
            StreamError::Entries(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {}

/// Adds up a stream word by word. Its first word that is not 0 shows which of the two it is.
#[derive(Debug)]
pub struct StreamReader<'a> {
    profile: &'a mut Profile,
    stream: Stream,
}

#[derive(Debug)]
enum Stream {
    /// The number of words so far, all 0.
    Unknown(u64),
    Records(Box<Records>),
    Entries(Entries),
}

#[derive(Debug)]
struct Records {
    reader: Reader,
    /// The source that was started last.
    trace_id: u8,
    times: RecordTimes,
}

#[derive(Debug)]
struct Entries {
    reader: EntryReader,
    marks: u64,
    by_mark: Timeline,
}

impl<'a> StreamReader<'a> {
    /// Starts a stream that is added to `profile`.
    pub fn new(profile: &'a mut Profile) -> StreamReader<'a> {
        profile.begin_stream();
        StreamReader {
            profile,
            stream: Stream::Unknown(0),
        }
    }

    /// Takes a word.
    ///
    /// # Errors
    /// If the word is not allowed here. All words before it have been added up.
    pub fn word(&mut self, word: u32) -> Result<(), StreamError> {
        if let Stream::Unknown(zeros) = &mut self.stream {
            if word == 0 {
                *zeros += 1;
                return Ok(());
            }
            let zeros = *zeros;
            self.stream = Stream::begun_by(word).ok_or(StreamError::Neither {
                value: word,
                word: zeros,
            })?;
            // The numbers of words, and the places of entries, count from the beginning.
            (0..zeros).try_for_each(|_| self.stream.word(0, self.profile))?;
        }
        self.stream.word(word, self.profile)
    }

    /// Whether a group or an entry is complete: a stream should end here.
    pub fn is_complete(&self) -> bool {
        match &self.stream {
            Stream::Unknown(_) => true,
            Stream::Records(records) => records.reader.is_complete(),
            Stream::Entries(entries) => entries.reader.is_complete(),
        }
    }

    /// The counts over time: of a profile between marks, of records by timestamp, and by their
    /// number if no timestamp came. `None` if all words were 0.
    pub fn timeline(self) -> Option<Timeline> {
        match self.stream {
            Stream::Unknown(_) => None,
            Stream::Records(records) => Some(records.times.timeline()),
            Stream::Entries(entries) => Some(entries.by_mark),
        }
    }
}

impl Stream {
    fn begun_by(word: u32) -> Option<Stream> {
        if matches!(word as u8, tag::START | tag::LOST) {
            return Some(Stream::Records(Box::new(Records {
                reader: Reader::new(),
                trace_id: 0,
                times: RecordTimes::new(),
            })));
        }
        EntryKind::from_code(word as u8 & 0xF)?;
        Some(Stream::Entries(Entries {
            reader: EntryReader::default(),
            marks: 0,
            by_mark: Timeline::new(Axis::Mark, 0),
        }))
    }

    fn word(&mut self, word: u32, profile: &mut Profile) -> Result<(), StreamError> {
        match self {
            Stream::Unknown(_) => Ok(()),
            Stream::Records(records) => records.word(word, profile).map_err(StreamError::Records),
            Stream::Entries(entries) => entries.word(word, profile).map_err(StreamError::Entries),
        }
    }
}

impl Records {
    fn word(&mut self, word: u32, profile: &mut Profile) -> Result<(), ReadError> {
        self.reader.word(word, |item| {
            match item {
                Item::Start(start) => self.trace_id = start.trace_id,
                Item::Lost(_) => {}
                Item::Record(record) => self.times.record(record),
            }
            if let Some(entry) = entry_of(self.trace_id, &item) {
                profile.add(&entry);
                self.times.add((&entry).into());
            }
        })
    }
}

impl Entries {
    fn word(&mut self, word: u32, profile: &mut Profile) -> Result<(), EntryError> {
        if let Some(entry) = self.reader.word(word)? {
            profile.add(&entry);
            self.by_mark.add((&entry).into());
            if entry.kind == EntryKind::Mark {
                self.marks += 1;
                self.by_mark.advance(self.marks);
            }
        }
        Ok(())
    }
}
