// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events, and what a trace says beside them.
//!
//! The X encoders and XE keep notes, as control records. The others have no place for them: of a context
//! they keep what the header of the next block says.

use super::history::{CONTEXT_BITS, IDENTIFIERS_BITS, LENGTH_BITS, TIMESTAMP_BITS};
use coretrace_etm::Context;

/// What a trace says beside its events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// The context from here on: the context information byte in bits 7:0, the lower bits of the VMID in 15:8
    /// and those of the context ID in 31:16.
    Context(u32),
    /// All bits of the VMID and of the context ID, behind a context that does not have them. A block begins with
    /// them if its context needs them.
    Identifiers {
        /// The VMID.
        vmid: u32,
        /// The context ID.
        cid: u32,
    },
    /// The time.
    Timestamp(u64),
    /// Bytes of a stream, among elements: of packets that are none.
    Bytes(StreamBytes),
}

/// The most bytes of a note.
pub const MOST_BYTES: usize = 32;
/// The most bytes of a short note, as cores make them: a block has room for it wherever it has room for an event.
pub const SHORT_BYTES: usize = 7;
/// Bits of what follows its control record, at most.
pub const SHORT_BITS: u64 = LENGTH_BITS as u64 + 8 * SHORT_BYTES as u64;

/// Bytes of a stream, 1 to [`MOST_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamBytes {
    bytes: [u8; MOST_BYTES],
    length: u8,
}

impl StreamBytes {
    /// These bytes; none if there are too many or too few.
    pub fn new(bytes: &[u8]) -> Option<StreamBytes> {
        let mut all = [0; MOST_BYTES];
        all.get_mut(..bytes.len())?.copy_from_slice(bytes);
        (!bytes.is_empty()).then_some(StreamBytes {
            bytes: all,
            length: bytes.len() as u8,
        })
    }

    /// The bytes.
    pub fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.length.into()).unwrap_or_default()
    }
}

impl Note {
    /// Bits of what follows its control record.
    pub fn bits(&self) -> u64 {
        match self {
            Note::Context(_) => CONTEXT_BITS.into(),
            Note::Identifiers { .. } => IDENTIFIERS_BITS.into(),
            Note::Timestamp(_) => TIMESTAMP_BITS.into(),
            Note::Bytes(bytes) => u64::from(LENGTH_BITS) + 8 * bytes.as_slice().len() as u64,
        }
    }

    /// Of a context of a trace unit.
    pub const fn of_context(context: &Context) -> Note {
        let upper = (context.cid & 0xFFFF) << 16;
        let middle = (context.vmid & 0xFF) << 8;
        Note::Context(upper | middle | context.info as u32)
    }

    /// The identifiers of a context that has more bits of them than its word.
    pub const fn of_identifiers(context: &Context) -> Option<Note> {
        let &Context { vmid, cid, .. } = context;
        if vmid <= 0xFF && cid <= 0xFFFF {
            return None;
        }
        Some(Note::Identifiers { vmid, cid })
    }

    /// What the word of a context says of it.
    pub const fn context(word: u32) -> Context {
        Context {
            info: word as u8,
            vmid: word >> 8 & 0xFF,
            cid: word >> 16,
        }
    }
}

/// What a replayer gives back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<E> {
    /// An event: a branch or an element.
    Event(E),
    /// A note.
    Note {
        /// Instructions since the event before it; fewer than up to the next branch. 0 among elements.
        instructions: u32,
        /// What it says.
        note: Note,
    },
    /// The last item of a trace.
    Rest {
        /// Instructions since the last event.
        instructions: u64,
    },
}

impl<E> Item<E> {
    /// The event, if it is one.
    pub fn event(self) -> Option<E> {
        match self {
            Item::Event(event) => Some(event),
            Item::Note { .. } | Item::Rest { .. } => None,
        }
    }
}
