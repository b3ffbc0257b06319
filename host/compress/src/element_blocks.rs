// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements to blocks that are decoded alone.

use coretrace_abi::compressed::block::{Header, MARGIN_BITS};
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::encoder::ELEMENTS;
use coretrace_abi::compressed::item::{Note, SHORT_BITS};

use crate::elements::Elements;
use crate::frame::{End, Frame};

/// Writes blocks of XE.
#[derive(Clone, Debug)]
pub struct ElementBlockWriter {
    frame: Frame,
    coder: Elements,
}

impl ElementBlockWriter {
    /// Blocks of so many bytes, a power of two from 4 KiB to 64 KiB, with a trace ID.
    pub fn new(size: usize, trace_id: u8) -> ElementBlockWriter {
        let header = Header {
            encoder: (ELEMENTS, 0),
            trace_id,
            ..Header::default()
        };
        ElementBlockWriter {
            frame: Frame::new(size, header),
            coder: Elements::new(),
        }
    }

    /// Takes the next element; `sink` gets the block that it does not fit into.
    pub fn element(&mut self, element: &Element, mut sink: impl FnMut(&[u8])) {
        self.make_room(MARGIN_BITS, &mut sink);
        self.coder.element(element);
        self.frame.mark_event();
    }

    /// Takes a note.
    pub fn note(&mut self, note: Note, mut sink: impl FnMut(&[u8])) {
        let more = note.bits().saturating_sub(SHORT_BITS);
        self.make_room(MARGIN_BITS + more, &mut sink);
        if let Note::Context(context) = note {
            self.frame.set_context(context, 0);
        }
        self.coder.note(note);
    }

    /// Elements were lost.
    pub fn lose(&mut self, elements: u32, mut sink: impl FnMut(&[u8])) {
        self.flush(&mut sink);
        self.frame.lose(elements);
    }

    /// Closes the block, if it has an element or a note, though it is not full.
    pub fn flush(&mut self, mut sink: impl FnMut(&[u8])) {
        if self.frame.has_event() || self.coder.bits() > 0 {
            self.close(End::Short, &mut sink);
        }
    }

    /// The trace ends.
    pub fn finish(mut self, mut sink: impl FnMut(&[u8])) {
        self.close(End::Trace, &mut sink);
    }

    /// Closes the block if it has no room for so many bits.
    fn make_room(&mut self, bits: u64, sink: &mut impl FnMut(&[u8])) {
        if !self.frame.holds(self.coder.bits() + bits) {
            self.close(End::Full, sink);
        }
    }

    fn close(&mut self, end: End, sink: &mut impl FnMut(&[u8])) {
        let bits = std::mem::take(&mut self.coder).finish();
        let records = bits.len();
        self.frame.close((bits, records), end, sink);
    }
}
