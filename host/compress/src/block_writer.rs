// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events to blocks that are decoded alone.

use coretrace_abi::compressed::block::{Header, MARGIN_BITS, SIZES};
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_abi::compressed::item::Note;

use crate::coder::Coder;
use crate::frame::{End, Frame};

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
}

/// Writes blocks.
#[derive(Clone, Debug)]
pub struct BlockWriter {
    settings: BlockSettings,
    frame: Frame,
    coder: Coder,
    /// Where execution goes on.
    address: u64,
    /// What the context of the next block needs beside its word.
    identifiers: Option<Note>,
    /// The block has a note.
    has_note: bool,
}

impl BlockWriter {
    /// Execution begins at an address.
    pub fn new(settings: BlockSettings, start: u64) -> BlockWriter {
        let header = Header {
            encoder: settings.encoder.numbers(),
            trace_id: settings.trace_id,
            is_a32: settings.is_a32,
            address: start,
            ..Header::default()
        };
        BlockWriter {
            frame: Frame::new(settings.size, header),
            coder: Coder::new(settings.encoder, !settings.is_a32, start),
            settings,
            address: start,
            identifiers: None,
            has_note: false,
        }
    }

    /// Takes the next event; `sink` gets the block that it does not fit into.
    pub fn event(&mut self, event: &Event, mut sink: impl FnMut(&[u8])) {
        let needed = MARGIN_BITS + self.coder.extra_bits(event);
        if self.coder.overflows(event.instructions().into()) {
            self.close(0, End::Full, &mut sink);
        }
        self.make_room(needed, &mut sink);
        if !self.frame.holds(needed) {
            // So many instructions without a branch have no record.
            return self.lose(1, event.next(), sink);
        }
        self.coder.event(event);
        self.frame.mark_event();
        self.address = event.next();
    }

    /// Takes a note, so many instructions behind the event before; fewer than up to the next branch.
    ///
    /// The X encoders keep it. Of the others, the next block has the context in its header; so has this one if it
    /// has no event yet.
    pub fn note(&mut self, note: Note, instructions: u32, mut sink: impl FnMut(&[u8])) {
        if self.coder.keeps_notes() {
            self.make_room(MARGIN_BITS + note.bits(), &mut sink);
        }
        match note {
            Note::Context(context) => {
                self.frame.set_context(context, instructions);
                self.identifiers = None;
            }
            Note::Identifiers { .. } => self.identifiers = Some(note),
            Note::Timestamp(_) | Note::Bytes(_) => {}
        }
        self.has_note |= self.coder.keeps_notes();
        self.coder.note(note, instructions);
    }

    /// Events were lost, and execution goes on at an address.
    pub fn lose(&mut self, events: u32, next: u64, mut sink: impl FnMut(&[u8])) {
        self.flush(&mut sink);
        self.frame.lose(events);
        self.frame.header.address = next;
        self.address = next;
        self.begin();
    }

    /// Closes the block, if it has an event or a note, though it is not full.
    pub fn flush(&mut self, mut sink: impl FnMut(&[u8])) {
        if self.frame.has_event() || self.has_note {
            self.close(0, End::Short, &mut sink);
        }
    }

    /// The trace ends, so many instructions behind the last event.
    pub fn finish(mut self, instructions: u64, mut sink: impl FnMut(&[u8])) {
        if self.coder.overflows(instructions) {
            self.close(0, End::Full, &mut sink);
        }
        self.close(instructions, End::Trace, &mut sink);
    }

    /// Closes the block if it has no room for so many bits.
    fn make_room(&mut self, bits: u64, sink: &mut impl FnMut(&[u8])) {
        if !self.frame.holds(self.coder.bits() + bits) {
            self.close(0, End::Full, sink);
        }
    }

    /// Begins where execution goes on; gives the encoder before.
    fn begin(&mut self) -> Coder {
        let is_wide = !self.settings.is_a32;
        let next = Coder::new(self.settings.encoder, is_wide, self.address);
        let coder = std::mem::replace(&mut self.coder, next);
        if let Some(note) = self.identifiers {
            self.coder.note(note, 0);
        }
        self.has_note = false;
        coder
    }

    fn close(&mut self, instructions: u64, end: End, sink: &mut impl FnMut(&[u8])) {
        let coder = self.begin();
        self.frame.close(coder.finish(instructions), end, sink);
        self.frame.header.address = self.address;
    }
}
