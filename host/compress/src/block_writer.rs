// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events to blocks that are decoded alone.

use coretrace_abi::compressed::block::{HEADER_WORDS, Header, MARGIN_BITS, SIZES, TRAILER_WORDS};
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;

use crate::coder::Coder;

/// What all blocks of a trace have in common.
#[derive(Clone, Copy, Debug)]
pub struct BlockSettings {
    /// The encoder.
    pub encoder: Encoder,
    /// Bytes of a block: a power of two from 4 KiB to 64 KiB.
    pub size: usize,
    /// The trace ID.
    pub trace_id: u8,
    /// The instructions are A32.
    pub is_a32: bool,
}

impl BlockSettings {
    /// Blocks of the usual size.
    pub fn new(encoder: Encoder, trace_id: u8, is_a32: bool) -> BlockSettings {
        let [_, size, _] = SIZES;
        BlockSettings {
            encoder,
            size,
            trace_id,
            is_a32,
        }
    }

    /// Bits of a block.
    fn capacity(&self) -> u64 {
        8 * (self.size - 4 * (HEADER_WORDS + TRAILER_WORDS)) as u64
    }
}

/// Writes blocks.
#[derive(Clone, Debug)]
pub struct BlockWriter {
    settings: BlockSettings,
    /// Of the block that is being filled.
    header: Header,
    coder: Coder,
    /// Where execution goes on.
    address: u64,
    /// The block has an event.
    has_event: bool,
}

impl BlockWriter {
    /// Execution begins at an address.
    pub fn new(settings: BlockSettings, start: u64) -> BlockWriter {
        BlockWriter {
            header: Header {
                encoder: settings.encoder.numbers(),
                trace_id: settings.trace_id,
                is_a32: settings.is_a32,
                is_first: true,
                address: start,
                ..Header::default()
            },
            coder: Coder::new(settings.encoder, !settings.is_a32, start),
            settings,
            address: start,
            has_event: false,
        }
    }

    /// Takes the next event; `sink` gets the block that it does not fit into.
    pub fn event(&mut self, event: &Event, mut sink: impl FnMut(&[u8])) {
        let needed = MARGIN_BITS + self.coder.extra_bits(event);
        if self.settings.capacity() < self.coder.bits() + needed {
            self.close(0, &mut sink);
        }
        if self.settings.capacity() < needed {
            // So many instructions without a branch have no record.
            return self.lose(1, event.next(), sink);
        }
        self.coder.event(event);
        self.has_event = true;
        self.address = event.next();
    }

    /// Events were lost, and execution goes on at an address.
    pub fn lose(&mut self, events: u32, next: u64, mut sink: impl FnMut(&[u8])) {
        self.flush(&mut sink);
        self.header.lost_before = true;
        self.header.lost = self.header.lost.saturating_add(events);
        self.go_to(next);
    }

    /// Closes the block, if it has an event, though it is not full.
    pub fn flush(&mut self, mut sink: impl FnMut(&[u8])) {
        if self.has_event {
            self.header.is_short = true;
            self.close(0, &mut sink);
        }
    }

    /// The trace ends, so many instructions behind the last event.
    pub fn finish(mut self, instructions: u64, mut sink: impl FnMut(&[u8])) {
        self.header.is_short = true;
        self.header.is_end = true;
        self.close(instructions, &mut sink);
    }

    /// Begins a block at an address; the coder of the one before.
    fn go_to(&mut self, address: u64) -> Coder {
        self.address = address;
        self.header.address = address;
        self.has_event = false;
        let is_wide = !self.settings.is_a32;
        let coder = Coder::new(self.settings.encoder, is_wide, address);
        std::mem::replace(&mut self.coder, coder)
    }

    fn close(&mut self, instructions: u64, sink: &mut impl FnMut(&[u8])) {
        let size = self.settings.size;
        let words = self.header.words();
        let (bits, records) = self.go_to(self.address).finish(instructions);
        let mut block: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        block.extend(bits.into_bytes());
        debug_assert!(
            block.len() <= size - 4 * TRAILER_WORDS,
            "the margin is too small"
        );
        block.resize(size - 4 * TRAILER_WORDS, 0);
        block.extend((records as u32).to_le_bytes());
        block.extend(crc32fast::hash(&block).to_le_bytes());
        sink(&block);
        self.header = Header {
            sequence: self.header.sequence.wrapping_add(1),
            is_first: false,
            lost_before: false,
            is_short: false,
            ..self.header
        };
    }
}
