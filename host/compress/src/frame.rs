// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is around the bits of a block: header, zeros, and checksum.

use coretrace_abi::compressed::block::{HEADER_WORDS, Header, TRAILER_WORDS, Trailer};

use crate::bits::Bits;

/// Bytes of a word.
const WORD: usize = 4;

/// Why a block is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It has no room for the next event.
    Full,
    /// A flush or a loss.
    Short,
    /// The trace ends.
    Trace,
}

/// The frame of the block that is being filled.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The header of the block.
    pub header: Header,
    /// Bytes of a block.
    size: usize,
    /// The newest context.
    context: u32,
    /// The block has an event.
    has_event: bool,
}

impl Frame {
    /// Of the first block, with so many bytes.
    pub fn new(size: usize, header: Header) -> Frame {
        Frame {
            header: Header {
                is_first: true,
                ..header
            },
            size,
            context: header.context,
            has_event: false,
        }
    }

    /// Whether so many bits fit into a block.
    pub fn holds(&self, bits: u64) -> bool {
        bits <= 8 * (self.size - WORD * (HEADER_WORDS + TRAILER_WORDS)) as u64
    }

    /// Whether the block has an event.
    pub fn has_event(&self) -> bool {
        self.has_event
    }

    /// The block has one from here on.
    pub fn mark_event(&mut self) {
        self.has_event = true;
    }

    /// The context so many instructions behind the event before. In front of all of the block it is that of
    /// the block.
    pub fn set_context(&mut self, context: u32, instructions: u32) {
        self.context = context;
        if !self.has_event && instructions == 0 {
            self.header.context = context;
        }
    }

    /// Gives the block to `sink`, with these bits, so many of which are records, and begins the next one.
    pub fn close(&mut self, (bits, records): (Bits, u64), end: End, sink: &mut impl FnMut(&[u8])) {
        let words = self.header.words();
        let mut block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        block.extend(bits.into_bytes());
        let place = self.size - WORD * TRAILER_WORDS;
        debug_assert!(block.len() <= place, "the margin is too small");
        block.resize(place, 0);
        let trailer = Trailer {
            bits: records as u32,
            is_short: end != End::Full,
            is_end: end == End::Trace,
        };
        block.extend(trailer.word().to_le_bytes());
        block.extend(crc32fast::hash(&block).to_le_bytes());
        sink(&block);
        self.has_event = false;
        self.header = Header {
            sequence: self.header.sequence.wrapping_add(1),
            context: self.context,
            is_first: false,
            lost_before: false,
            ..self.header
        };
    }

    /// So many events were lost in front of the block.
    pub fn lose(&mut self, events: u32) {
        self.header.context = self.context;
        self.header.lost_before = true;
        self.header.lost = self.header.lost.saturating_add(events);
    }
}
