// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes of either stream in, sums out.

use std::fmt;

use coretrace_abi::profile_stream::{ENTRY_WORDS, EntryKind};
use coretrace_etm::Record;
use coretrace_streams::{BEGINNING_BYTES, Damage, Item, Reader, Sink, begins_packet};

use super::tally::Tally;
use super::timeline::Weights;
use super::{Axis, Bucket, EntryError, EntryReader, Profile, SourceSums, Timeline};

/// Why a stream cannot be added up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamError {
    /// There is no packet of a record stream, and the first word that is not 0 starts no profile.
    Neither {
        /// The word.
        value: u32,
        /// Its number, from 0.
        word: u64,
    },
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
            StreamError::Entries(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StreamError {}

/// What a stream was, besides its sums.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamSummary {
    /// The counts over time: of a profile between marks, of records by timestamp, and by their
    /// number if no timestamp came. `None` if all words were 0.
    pub timeline: Option<Timeline>,
    /// What is missing in a record stream.
    pub damage: Damage,
    /// A profile stream ends in the middle of an entry.
    pub is_cut: bool,
}

/// Adds up a stream. Whether it is one of records shows within its first 8 KiB, wherever it begins.
#[derive(Debug)]
pub struct StreamReader<'a> {
    profile: &'a mut Profile,
    stream: Stream,
}

#[derive(Debug)]
enum Stream {
    Unknown(Beginning),
    Records(Box<Records>),
    Entries(Box<Entries>),
}

/// The bytes of a stream until it is known which it is.
#[derive(Debug, Default)]
struct Beginning {
    /// Bytes that may be entries of padding, all 0, which are not in `bytes`.
    zeros: u64,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Records {
    reader: Reader,
    sums: SourceSums,
    damage: Damage,
}

#[derive(Debug)]
struct Entries {
    reader: EntryReader,
    marks: u64,
    /// Counts since the last mark.
    now: Bucket,
    by_mark: Timeline,
    tally: Tally,
}

const ENTRY_BYTES: usize = 4 * ENTRY_WORDS;

impl<'a> StreamReader<'a> {
    /// Starts a stream that is added to `profile`.
    pub fn new(profile: &'a mut Profile) -> StreamReader<'a> {
        profile.begin_stream();
        StreamReader {
            profile,
            stream: Stream::Unknown(Beginning::default()),
        }
    }

    /// Takes bytes.
    ///
    /// # Errors
    /// If they are not allowed here.
    pub fn bytes(&mut self, mut bytes: &[u8]) -> Result<(), StreamError> {
        if let Stream::Unknown(beginning) = &mut self.stream {
            if beginning.bytes.is_empty() {
                let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
                let padding = zeros / ENTRY_BYTES * ENTRY_BYTES;
                beginning.zeros += padding as u64;
                bytes = &bytes[padding..];
            }
            let missing = BEGINNING_BYTES - beginning.bytes.len();
            let (first, rest) = bytes.split_at(bytes.len().min(missing));
            beginning.bytes.extend(first);
            if beginning.bytes.len() < BEGINNING_BYTES {
                return Ok(());
            }
            self.begin()?;
            bytes = rest;
        }
        self.stream.bytes(bytes, self.profile)
    }

    /// The same for words.
    ///
    /// # Errors
    /// If they are not allowed here.
    pub fn words(&mut self, words: &[u32]) -> Result<(), StreamError> {
        words
            .iter()
            .try_for_each(|word| self.bytes(&word.to_le_bytes()))
    }

    /// The stream ends here. Its sums are in the profile now.
    ///
    /// # Errors
    /// If it was so short that only its end shows that it is neither stream.
    pub fn finish(mut self) -> Result<StreamSummary, StreamError> {
        if let Stream::Unknown(_) = &self.stream {
            self.begin()?;
        }
        Ok(match self.stream {
            Stream::Unknown(_) => StreamSummary::default(),
            Stream::Records(records) => records.finish(self.profile),
            Stream::Entries(mut entries) => {
                entries.tally.add_to(self.profile);
                entries.by_mark.add(entries.now);
                StreamSummary {
                    timeline: Some(entries.by_mark),
                    damage: Damage::default(),
                    is_cut: !entries.reader.is_complete(),
                }
            }
        })
    }

    /// Decides which stream it is, unless there is nothing but zeros.
    fn begin(&mut self) -> Result<(), StreamError> {
        let Stream::Unknown(beginning) = &mut self.stream else {
            return Ok(());
        };
        let Beginning { zeros, bytes } = std::mem::take(beginning);
        let words = bytes
            .as_chunks()
            .0
            .iter()
            .map(|&word| u32::from_le_bytes(word));
        let first = words.enumerate().find(|(_, word)| *word != 0);
        self.stream = match first {
            _ if begins_packet(&bytes) => Stream::records(),
            None => return Ok(()),
            Some((_, value)) if EntryKind::from_code(value as u8 & 0xF).is_some() => {
                Stream::entries(zeros / ENTRY_BYTES as u64)
            }
            Some((at, value)) => {
                let word = zeros / 4 + at as u64;
                return Err(StreamError::Neither { value, word });
            }
        };
        self.stream.bytes(&bytes, self.profile)
    }
}

impl Stream {
    fn records() -> Stream {
        Stream::Records(Box::new(Records {
            reader: Reader::new(),
            sums: SourceSums::new(0),
            damage: Damage::default(),
        }))
    }

    fn entries(padding: u64) -> Stream {
        Stream::Entries(Box::new(Entries {
            reader: EntryReader::behind(padding),
            marks: 0,
            now: Bucket::default(),
            by_mark: Timeline::new(Axis::Mark, 0),
            tally: Tally::default(),
        }))
    }

    fn bytes(&mut self, bytes: &[u8], profile: &mut Profile) -> Result<(), StreamError> {
        match self {
            Stream::Unknown(_) => {}
            Stream::Records(records) => records.bytes(bytes, profile),
            Stream::Entries(entries) => entries
                .bytes(bytes, profile)
                .map_err(StreamError::Entries)?,
        }
        Ok(())
    }
}

impl Records {
    fn bytes(&mut self, bytes: &[u8], profile: &mut Profile) {
        let (reader, mut adder) = self.adder(profile);
        reader.bytes_to(bytes, &mut adder);
    }

    fn finish(mut self, profile: &mut Profile) -> StreamSummary {
        let (reader, mut adder) = self.adder(profile);
        reader.finish_to(&mut adder);
        StreamSummary {
            timeline: Some(self.sums.finish(profile)),
            damage: self.damage,
            is_cut: false,
        }
    }

    fn adder<'a>(&'a mut self, profile: &'a mut Profile) -> (&'a mut Reader, Adder<'a>) {
        let adder = Adder {
            sums: &mut self.sums,
            damage: &mut self.damage,
            profile,
        };
        (&mut self.reader, adder)
    }
}

/// Adds up the items of a record stream.
struct Adder<'a> {
    sums: &'a mut SourceSums,
    damage: &'a mut Damage,
    profile: &'a mut Profile,
}

impl Sink for Adder<'_> {
    #[inline(always)]
    fn record(&mut self, record: &Record) {
        self.sums.record(record, self.profile);
    }

    #[cold]
    fn other(&mut self, item: Item<'_>) {
        if let Item::Start(start) | Item::Source(start) = item {
            self.sums.set_trace_id(start.trace_id);
        }
        self.damage.count(&item);
        self.sums.add(&item, self.profile);
    }
}

impl Entries {
    fn bytes(&mut self, bytes: &[u8], profile: &mut Profile) -> Result<(), EntryError> {
        let Entries {
            reader,
            marks,
            now,
            by_mark,
            tally,
        } = self;
        let mut weights = Weights::default();
        let read = reader.bytes(bytes, |entry| {
            tally.add(entry, profile);
            weights.add(entry);
            if entry.kind == EntryKind::Mark {
                *marks += 1;
                *now += weights.take();
                by_mark.add(std::mem::take(now));
                by_mark.advance(*marks);
            }
        });
        *now += weights.take();
        read
    }
}
