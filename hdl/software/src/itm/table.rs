// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a header means: `coretrace_itm::HEADERS` as words.

use super::layouts::{LEN_W, outcome, part};
use coretrace_hdl_dataflow::{Table, Word, layout};
use coretrace_itm::{HEADERS, Kind, Payload};
use std::sync::LazyLock;

layout! {
    /// What follows a header.
    pub struct Entry {
        /// The part that the next byte is of.
        next: 2,
        /// Bytes of the payload, at most.
        left: LEN_W,
        /// How a record ends.
        outcome: 3,
    }
}

layout! {
    /// What a packet changes in the trace state.
    pub struct Change {
        /// It is an overflow.
        overflow: 1,
        /// It is a local timestamp.
        local: 1,
        /// It is the low part of a global timestamp.
        global_low: 1,
        /// It is the high part of one.
        global_high: 1,
        /// It is an extension of the ITM.
        extension: 1,
    }
}

/// What follows a header.
pub fn header_entry(header: usize) -> Entry<u64> {
    let row = HEADERS[header];
    let (next, left) = match row.payload {
        Payload::None => (part::HEADER, 0),
        Payload::Fixed(bytes) => (part::FIXED, bytes),
        Payload::Continued(most) => (part::CONTINUED, most),
        Payload::Sync => (part::SYNC, 0),
    };
    let outcome = match (row.kind, next) {
        (Kind::Reserved, _) => outcome::RESERVED,
        (_, part::HEADER) => outcome::PACKET,
        _ => outcome::NONE,
    };
    Entry {
        next,
        left: left.into(),
        outcome,
    }
}

static ENTRIES: LazyLock<Table> = LazyLock::new(|| Entry::table(header_entry));

static CHANGES: LazyLock<Table> = LazyLock::new(|| {
    Change::table(|header| {
        let is = |kind: Kind| HEADERS[header].kind == kind;
        Change {
            overflow: is(Kind::Overflow),
            local: is(Kind::LocalTimestamp),
            global_low: is(Kind::GlobalTimestamp1),
            global_high: is(Kind::GlobalTimestamp2),
            extension: is(Kind::Extension) && header & 4 == 0,
        }
    })
});

/// The entry of a header.
pub fn entry<T: Word>(header: T) -> Entry<T> {
    Entry::split(header.rom(&ENTRIES))
}

/// What a packet with a header changes.
pub fn change<T: Word>(header: T) -> Change<T> {
    Change::split(header.rom(&CHANGES))
}
