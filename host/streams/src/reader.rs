// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words in, records out.

use std::fmt;

use coretrace_abi::record_stream::{
    AddressRule, BAD_SEQUENCE, Body, KnownAddresses, START_WORDS, rules, tag,
};
use coretrace_etm::header::{DISCARD, OVERFLOW};
use coretrace_etm::{
    Address, AddressRegisters, Config, Context, Fields, Kind, Outcome, Protocol, RawRecord, Record,
};

use crate::start::Start;

/// An item of a record stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// The source was enabled; the items that follow belong to this source.
    Start(&'a Start),
    /// Bytes of the source were lost here. The value is the number of trace port words lost since
    /// reset, saturating.
    Lost(u32),
    /// A packet or an error, with offset and length 0: the stream does not have them.
    Record(&'a Record),
}

/// Why words are not a record stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// A tag that does not exist.
    Tag {
        /// The tag.
        tag: u8,
        /// Number of the tag word in the stream, from 0.
        word: u64,
    },
    /// The stream is of another version of the format.
    Version {
        /// The version.
        version: u8,
        /// Number of the word with the version, from 0.
        word: u64,
    },
    /// A record before the source was named.
    NoStart {
        /// Number of the tag word, from 0.
        word: u64,
    },
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReadError::Tag { tag, word } => {
                write!(f, "word {word} has tag {tag:#04x}, which no record has")
            }
            ReadError::Version { version, word } => write!(
                f,
                "word {word} names version {version} of the format; version {} can be read",
                coretrace_abi::record_stream::VERSION
            ),
            ReadError::NoStart { word } => write!(
                f,
                "word {word} has a record before any source was named: the beginning is missing"
            ),
        }
    }
}

impl std::error::Error for ReadError {}

/// Reads a stream word by word. After an error the rest cannot be read: the start of a group
/// depends on all words before it.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    /// Words read.
    position: u64,
    /// Tags of the group still to read, the next one in bits 7:0.
    tags: u32,
    /// Number of the tag word.
    group: u64,
    /// Words of the tag, and how many of them there are.
    words: [u32; START_WORDS],
    count: usize,
    source: Option<Source>,
}

/// The trace state of the source.
#[derive(Clone, Debug)]
struct Source {
    start: Start,
    config: Config,
    known: KnownAddresses,
    timestamp: u64,
    context: Context,
    fields: Fields,
    threshold: u32,
    suspect: bool,
}

impl Reader {
    /// A reader at the start of a stream.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Takes a word; `sink` gets the items that it completes.
    ///
    /// # Errors
    /// If the word is not allowed here.
    pub fn word(&mut self, word: u32, mut sink: impl FnMut(Item<'_>)) -> Result<(), ReadError> {
        if self.tags == 0 {
            self.tags = word;
            self.group = self.position;
        } else {
            self.words[self.count] = word;
            self.count += 1;
        }
        self.position += 1;
        while self.tags != 0 {
            let tag = self.tags as u8;
            if self.count < self.words_of(tag)? {
                break;
            }
            self.complete(tag, &mut sink)?;
            self.count = 0;
            self.tags >>= 8;
        }
        Ok(())
    }

    /// Whether a group is complete: a stream should end here.
    pub fn is_complete(&self) -> bool {
        self.tags == 0
    }

    /// The number of words of a tag, as far as known: at least one more than are present if some
    /// are missing.
    fn words_of(&self, tag: u8) -> Result<usize, ReadError> {
        let word = self.group;
        let (rule, body) = rules(tag).ok_or(ReadError::Tag { tag, word })?;
        let Some(source) = &self.source else {
            return match body {
                _ if tag == tag::NONE => Ok(0),
                Body::Start | Body::Lost => Ok(body.words(0)),
                _ => Err(ReadError::NoStart { word }),
            };
        };
        let address = source.known.words(rule);
        if body == Body::Context && self.count <= address {
            return Ok(address + 1);
        }
        Ok(address + body.words(self.words[address]))
    }

    fn complete(&mut self, tag: u8, sink: &mut impl FnMut(Item<'_>)) -> Result<(), ReadError> {
        match (tag, &mut self.source) {
            (tag::NONE, _) => {}
            (tag::START, source) => {
                let start = Start::of_words(&self.words).map_err(|version| ReadError::Version {
                    version,
                    word: self.group + 1,
                })?;
                *source = Some(Source::new(start));
                sink(Item::Start(&start));
            }
            (tag::LOST, source) => {
                if let Some(source) = source {
                    source.fields.clear();
                    source.known.count(tag, AddressRule::None);
                    source.suspect = source.start.lenient;
                }
                sink(Item::Lost(self.words[0]));
            }
            (tag, Some(source)) => {
                if let Some(record) = source.record(tag, &self.words) {
                    sink(Item::Record(&record));
                }
            }
            (_, None) => return Err(ReadError::NoStart { word: self.group }),
        }
        Ok(())
    }
}

impl Source {
    fn new(start: Start) -> Source {
        Source {
            start,
            config: start.config(),
            known: KnownAddresses {
                explicit: start.explicit,
                ete: start.protocol == Protocol::Ete,
                ..KnownAddresses::default()
            },
            timestamp: 0,
            context: Context::default(),
            fields: Fields::default(),
            threshold: 0,
            suspect: false,
        }
    }

    /// The record of a tag and its words; none yet for a continuation field.
    fn record(&mut self, tag: u8, words: &[u32; START_WORDS]) -> Option<Record> {
        let (rule, body) = rules(tag)?;
        let address = self.known.words(rule);
        self.address(rule, &words[..address]);
        let lead = self.body(body, &words[address..]);
        self.known.count(tag, rule);
        if tag == tag::FIELD {
            return None;
        }
        let of_extension = |byte: u8| [byte, 0, 0, 0, 0, 0, 0, 0, 0];
        let octet = words[0] as u8;
        let (outcome, header, lead) = match tag {
            tag::ASYNC => (Outcome::Async, 0, lead),
            tag::DISCARD => (Outcome::Packet, 0, of_extension(DISCARD)),
            tag::OVERFLOW => (Outcome::Packet, 0, of_extension(OVERFLOW)),
            tag::ERROR if words[0] >> BAD_SEQUENCE & 1 == 1 => {
                (Outcome::BadSequence, 0, of_extension(octet))
            }
            tag::ERROR => (Outcome::Reserved, octet, lead),
            header => (Outcome::Packet, header, lead),
        };
        Some(self.end(outcome, header, lead))
    }

    fn address(&mut self, rule: AddressRule, words: &[u32]) {
        let registers = &mut self.known.registers;
        let newest = registers.0[0];
        let address = match (rule, words) {
            (AddressRule::None, _) => return,
            (AddressRule::Match(register), []) => registers.0[usize::from(register)],
            (_, [low]) => resolve(*low, (newest.value >> 32) as u32),
            (_, [low, high, ..]) => resolve(*low, *high),
            (_, []) => newest,
        };
        registers.push(address);
    }

    /// Takes the words of a body; the lead bytes among them.
    fn body(&mut self, body: Body, words: &[u32]) -> [u8; 9] {
        let mut lead = [0; 9];
        match body {
            Body::Field => self.fields.push(words[0]),
            Body::Lead | Body::Plctl => lead[..4].copy_from_slice(&words[0].to_le_bytes()),
            Body::LongLead => {
                lead[..4].copy_from_slice(&words[0].to_le_bytes());
                lead[4..8].copy_from_slice(&words[1].to_le_bytes());
                lead[8] = words[2] as u8;
            }
            Body::Timestamp | Body::TimestampField => {
                self.timestamp = u64::from(words[1]) << 32 | u64::from(words[0]);
            }
            Body::Context => {
                let context = &mut self.context;
                context.info = words[0] as u8;
                let mut rest = words[1..].iter();
                if context.announces_vmid() {
                    context.vmid = rest.next().copied().unwrap_or_default();
                }
                if context.announces_cid() {
                    context.cid = rest.next().copied().unwrap_or_default();
                }
            }
            Body::None | Body::Error | Body::Lost | Body::Start => {}
        }
        match body {
            Body::Plctl => self.fields.push(words[1]),
            Body::TimestampField => self.fields.push(words[2]),
            _ => {}
        }
        lead
    }

    /// The record, after applying its kind to the trace state.
    fn end(&mut self, outcome: Outcome, header: u8, lead: [u8; 9]) -> Record {
        let mut ending = RawRecord {
            outcome,
            suspect: self.suspect && outcome != Outcome::Async,
            header,
            lead,
            fields: self.fields,
            address: self.known.registers.0[0],
            timestamp: self.timestamp,
            context: self.context,
        };
        self.fields.clear();
        let kind = ending.kind(&self.config);
        match kind {
            Kind::Async => self.suspect = false,
            Kind::TraceInfo => {
                self.known.registers = AddressRegisters::default();
                self.timestamp = 0;
                self.context = Context::default();
            }
            Kind::PeReset | Kind::TransactionFail => {
                self.known.registers.push(Address::default());
            }
            _ if kind.is_error() => self.suspect |= self.start.lenient,
            _ => {}
        }
        ending.address = self.known.registers.0[0];
        ending.timestamp = self.timestamp;
        ending.context = self.context;
        let record = ending.record(self.threshold, &self.config);
        if kind == Kind::TraceInfo {
            self.threshold = record.fields[3];
        }
        record
    }
}

/// An address from its two words.
fn resolve(low: u32, high: u32) -> Address {
    Address {
        value: u64::from(high) << 32 | u64::from(low & !1),
        is1: low & 1 == 1,
    }
}
