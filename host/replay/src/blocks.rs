// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks in a memory, and the events of each.

use coretrace_abi::compressed::block::{
    HEADER_WORDS, Header, REST_BITS, SIZES, TRAILER_WORDS, Trailer,
};
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::{ELEMENTS, Encoder};
use coretrace_abi::compressed::item::{Item, Note};

use crate::code::Code;
use crate::elements::ElementsReplay;
use crate::history::HistoryReplay;
use crate::index_trace::IndexedStreams;
use crate::items::{Fallible, Items};
use crate::nexus::NexusStreams;
use crate::raptor::RaptorReplay;
use crate::reader::{Damaged, Reader};
use crate::sequences::Sequences;
use crate::stream_cache::CachedStreams;
use crate::streams::StreamReplay;
use crate::votes::VotesReplay;

/// Bytes of a word.
const WORD: usize = 4;

/// A block whose checksum is right.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    /// What it says of itself in front of its records.
    pub header: Header,
    /// And behind them.
    pub trailer: Trailer,
    /// Its place in the memory.
    pub offset: usize,
    /// Bytes between the block before it and this one.
    pub skipped: usize,
    /// Blocks of its source between the one before it and this one that are not in the memory, by their numbers:
    /// modulo 2^16. 0 for the first block, and where the encoder was enabled again. Of the oldest block of a ring,
    /// which comes behind the newest one, it says nothing.
    pub missing: u16,
    payload: &'b [u8],
}

impl<'b> Block<'b> {
    /// The block of this size at the beginning of a memory, if there is one.
    fn read(bytes: &'b [u8], size: usize) -> Option<Block<'b>> {
        let block = bytes.get(..size)?;
        let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
        let mut words = block.chunks_exact(WORD).map(word);
        let first: Vec<u32> = words.by_ref().take(HEADER_WORDS).collect();
        let header = Header::of_words(first.try_into().ok()?)?;
        let (checked, crc) = block.split_last_chunk::<WORD>()?;
        if crc32fast::hash(checked) != u32::from_le_bytes(*crc) {
            return None;
        }
        let (inside, trailer) = checked.split_last_chunk::<WORD>()?;
        Some(Block {
            header,
            trailer: Trailer::of_word(u32::from_le_bytes(*trailer)),
            offset: 0,
            skipped: 0,
            missing: 0,
            payload: &inside[WORD * HEADER_WORDS..],
        })
    }

    /// Bytes of the whole block.
    pub fn bytes(&self) -> usize {
        WORD * (HEADER_WORDS + TRAILER_WORDS) + self.payload.len()
    }

    /// The events of a block of branches.
    ///
    /// # Errors
    /// As [`Block::items`].
    pub fn events<'e, C: Code>(&self, code: &'e C) -> Result<Fallible<'e, Event>, Damaged>
    where
        'b: 'e,
    {
        let items = self.items(code)?;
        Ok(Box::new(
            items.filter_map(|item| item.map(Item::event).transpose()),
        ))
    }

    /// The events and notes of a block of branches, and what is behind the last event.
    ///
    /// # Errors
    /// If nobody knows the encoder, or the block has fewer bits than it says.
    pub fn items<'e, C: Code>(&self, code: &'e C) -> Result<Fallible<'e, Item<Event>>, Damaged>
    where
        'b: 'e,
    {
        let encoder = Encoder::numbered(self.header.encoder).ok_or(Damaged)?;
        let start = self.header.address;
        code.note(&Note::Context(self.header.context));
        let reader = Reader::new(self.payload, self.trailer.bits.into())?;
        let all = 8 * self.payload.len() as u64;
        let mut rest = Reader::new(self.payload, all)?;
        rest.skip(self.trailer.bits.into())?;
        Ok(match encoder {
            Encoder::Raptor(preset) => {
                let instructions = rest.field(REST_BITS)?;
                Box::new(Items::new(RaptorReplay::new(
                    preset,
                    code,
                    start,
                    reader,
                    instructions,
                )))
            }
            Encoder::StreamCache(scheme) => {
                let source = CachedStreams::new(scheme, !self.header.is_a32, reader);
                Box::new(Items::new(StreamReplay::new(
                    source,
                    code,
                    behind_streams(rest)?,
                )))
            }
            Encoder::Nexus => {
                let source = NexusStreams::new(reader);
                Box::new(Items::new(StreamReplay::new(
                    source,
                    code,
                    behind_streams(rest)?,
                )))
            }
            Encoder::IndexTrace(records) => {
                let source = IndexedStreams::new(records, !self.header.is_a32, reader);
                Box::new(Items::new(StreamReplay::new(
                    source,
                    code,
                    behind_streams(rest)?,
                )))
            }
            Encoder::History(preset) => {
                Box::new(Items::new(HistoryReplay::new(preset, code, start, reader)))
            }
            Encoder::Votes => Box::new(Items::new(VotesReplay::new(code, start, reader))),
        })
    }

    /// The elements and notes of a block of XE.
    ///
    /// # Errors
    /// If it is none, or has fewer bits than it says.
    pub fn elements(&self) -> Result<ElementsReplay<'b>, Damaged> {
        if self.header.encoder != (ELEMENTS, 0) {
            return Err(Damaged);
        }
        let reader = Reader::new(self.payload, self.trailer.bits.into())?;
        Ok(ElementsReplay::new(reader))
    }
}

/// Where execution went on behind the last stream, and for how many instructions.
fn behind_streams(mut rest: Reader<'_>) -> Result<(u64, u32), Damaged> {
    let instructions = rest.field(REST_BITS)? as u32;
    Ok((rest.field(u64::BITS)?, instructions))
}

/// The blocks in a memory, which may begin anywhere and have damaged words.
#[derive(Clone, Debug)]
pub struct Blocks<'b> {
    bytes: &'b [u8],
    offset: usize,
    /// Known from the first block on.
    size: Option<usize>,
    sequences: Sequences,
}

impl<'b> Blocks<'b> {
    /// Of a memory that begins at a word.
    pub fn new(bytes: &'b [u8]) -> Blocks<'b> {
        Blocks {
            bytes,
            offset: 0,
            size: None,
            sequences: Sequences::default(),
        }
    }

    fn at(&self, offset: usize) -> Option<(usize, Block<'b>)> {
        let bytes = &self.bytes[offset..];
        let [least, _, most] = SIZES;
        let sizes = std::iter::successors(Some(least), |size| Some(2 * size));
        let sizes = sizes.take_while(|&size| size <= most);
        let mut sizes = sizes.filter(|&size| self.size.is_none_or(|known| known == size));
        sizes.find_map(|size| Some((size, Block::read(bytes, size)?)))
    }
}

impl<'b> Iterator for Blocks<'b> {
    type Item = Block<'b>;

    fn next(&mut self) -> Option<Block<'b>> {
        let end = self.offset;
        while self.offset < self.bytes.len() {
            let offset = self.offset;
            let Some((size, block)) = self.at(offset) else {
                self.offset += WORD;
                continue;
            };
            self.size = Some(size);
            self.offset += size;
            return Some(Block {
                offset,
                skipped: offset - end,
                missing: self.sequences.missing(&block.header),
                ..block
            });
        }
        None
    }
}
