// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks in a memory, and the events of each.

use coretrace_abi::compressed::block::{HEADER_WORDS, Header, REST_BITS, SIZES};
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;

use crate::code::Code;
use crate::history::HistoryReplay;
use crate::raptor::RaptorReplay;
use crate::reader::{Damaged, Reader};
use crate::stream_cache::StreamCacheReplay;

/// Bytes of a word.
const WORD: usize = 4;

/// A block whose checksum is right.
#[derive(Clone, Copy, Debug)]
pub struct Block<'b> {
    /// What it says of itself.
    pub header: Header,
    /// Its place in the memory.
    pub offset: usize,
    /// Bytes between the block before it and this one.
    pub skipped: usize,
    /// Bits of its records.
    records: u64,
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
        let (inside, records) = checked.split_last_chunk::<WORD>()?;
        Some(Block {
            header,
            offset: 0,
            skipped: 0,
            records: u32::from_le_bytes(*records).into(),
            payload: &inside[WORD * HEADER_WORDS..],
        })
    }

    /// The events of a block of branches.
    ///
    /// # Errors
    /// If nobody knows the encoder, or the block has fewer bits than it says.
    pub fn events<'e, C: Code>(
        &self,
        code: &'e C,
    ) -> Result<Box<dyn Iterator<Item = Result<Event, Damaged>> + 'e>, Damaged>
    where
        'b: 'e,
    {
        let encoder = Encoder::numbered(self.header.encoder).ok_or(Damaged)?;
        let start = self.header.address;
        let reader = Reader::new(self.payload, self.records)?;
        let all = 8 * self.payload.len() as u64;
        let mut rest = Reader::new(self.payload, all)?;
        rest.skip(self.records)?;
        Ok(match encoder {
            Encoder::Raptor(preset) => {
                let instructions = rest.field(REST_BITS)?;
                Box::new(RaptorReplay::new(preset, code, start, reader, instructions))
            }
            Encoder::StreamCache(scheme) => {
                let instructions = rest.field(REST_BITS)? as u32;
                let rest = (rest.field(u64::BITS)?, instructions);
                let is_wide = !self.header.is_a32;
                Box::new(StreamCacheReplay::new(scheme, is_wide, code, reader, rest))
            }
            Encoder::History(preset) => Box::new(HistoryReplay::new(preset, code, start, reader)),
        })
    }
}

/// The blocks in a memory, which may begin anywhere and have damaged words.
#[derive(Clone, Debug)]
pub struct Blocks<'b> {
    bytes: &'b [u8],
    offset: usize,
    /// Known from the first block on.
    size: Option<usize>,
}

impl<'b> Blocks<'b> {
    /// Of a memory that begins at a word.
    pub fn new(bytes: &'b [u8]) -> Blocks<'b> {
        Blocks {
            bytes,
            offset: 0,
            size: None,
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
                ..block
            });
        }
        None
    }
}
