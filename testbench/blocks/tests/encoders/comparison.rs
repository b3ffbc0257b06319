// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of the model for a program, and those that a compressor sent.

use crate::programs::Program;
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_compress::{BlockSettings, BlockWriter};

/// Address bits of the words of a block.
pub const BLOCK_A: usize = 9;
/// Bytes of a block.
pub const BLOCK: usize = 8 << BLOCK_A;
/// The trace ID in each header.
pub const TRACE_ID: u8 = 0x2A;

/// What came in and what came out since a program began.
pub struct Comparison {
    program: &'static Program,
    writer: BlockWriter,
    is_flush_due: bool,
    model: Vec<u8>,
    sent: Vec<u8>,
    /// Events that were lost.
    pub lost: u64,
    /// Blocks that were closed because they were full.
    pub full: u64,
}

impl Comparison {
    pub fn new(program: &'static Program, encoder: Encoder, is_a32: bool, start: u64) -> Self {
        let mut settings = BlockSettings::new(encoder, TRACE_ID, is_a32);
        settings.size = BLOCK;
        Comparison {
            program,
            writer: BlockWriter::new(settings, start),
            is_flush_due: false,
            model: vec![],
            sent: vec![],
            lost: 0,
            full: 0,
        }
    }

    /// A word came out; whether its block ends with it.
    pub fn word(&mut self, word: u64) -> bool {
        self.sent.extend(word.to_le_bytes());
        self.sent.len().is_multiple_of(BLOCK)
    }

    /// An event came in, or would have.
    pub fn event(&mut self, event: &Event, is_lost: bool) {
        let before = self.model.len();
        let sink = |block: &[u8]| self.model.extend_from_slice(block);
        if is_lost {
            self.writer.lose(1, event.next(), sink);
            self.lost += 1;
        } else {
            self.writer.event(event, sink);
            self.full += u64::from(self.model.len() > before);
        }
    }

    /// The block will be closed in the next cycle without an event.
    pub fn flush(&mut self) {
        self.is_flush_due = true;
    }

    /// A cycle without an event.
    pub fn pause(&mut self) {
        if std::mem::take(&mut self.is_flush_due) {
            let sink = |block: &[u8]| self.model.extend_from_slice(block);
            self.writer.flush(sink);
        }
    }

    /// What the compressor did wrong; it says how many events were lost.
    pub fn difference(&self, lost: u64) -> Option<String> {
        let name = self.program.name;
        let mut model = self.model.clone();
        if self.program.is_cut {
            // Words of the block that the reset cut may have come out.
            let mut writer = self.writer.clone();
            writer.flush(|block| model.extend_from_slice(block));
        }
        let mut words = self.sent.chunks(8).zip(model.chunks(8));
        if let Some(place) = words.position(|(sent, model)| sent != model) {
            let (block, word) = (place / (BLOCK / 8), place % (BLOCK / 8));
            return Some(format!("{name}: word {word} of block {block}"));
        }
        let (sent, model) = (self.sent.len(), model.len());
        if sent > model || sent < model && !self.program.is_cut {
            return Some(format!("{name}: {sent} bytes, not {model}"));
        }
        let counted = self.lost;
        if lost != counted || lost > 0 && !self.program.loses {
            return Some(format!("{name}: {lost} lost, and {counted} in the model"));
        }
        None
    }
}
