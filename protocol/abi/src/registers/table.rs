// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers. Here they stand once; hardware and documents read them.
//!
//! To add a counter: a row here, a port and a line in `control`. A test says what is missing.

use super::SOURCES;
use super::map::Access::{Constant, Live, Pulse, ReadWrite, Snapshot};
use super::map::{Field, Register};
use crate::record_filter::FilterKind;
use crate::record_stream;

/// Name of the map.
pub const NAME: &str = "etm4";

/// Byte offset of the registers of source 0.
pub const SOURCE_BASE: u32 = 0x100;

/// Bytes from the registers of one source to those of the next.
pub const SOURCE_STRIDE: u32 = 0x80;

/// The first word of the map.
const MAGIC: u32 = u32::from_be_bytes(*b"ETM4");

/// Version of this map: a new major number says that older software must not use it.
const MAP_VERSION: (u32, u32) = (2, 0);

/// Bytes that the trace port takes in each cycle.
pub const BYTES_PER_CYCLE: u32 = 4;

const fn field(
    name: &'static str,
    low: u32,
    width: u32,
    access: super::Access,
    reset: u32,
    text: &'static str,
) -> Field {
    Field {
        name,
        low,
        width,
        access,
        reset,
        text,
    }
}

const fn register(
    name: &'static str,
    offset: u32,
    fields: &'static [Field],
    text: &'static str,
) -> Register {
    Register {
        name,
        offset,
        fields,
        text,
    }
}

/// A saturating counter, read as of the last snapshot.
macro_rules! counter {
    ($name:literal, $offset:literal, $text:literal) => {
        register(
            $name,
            $offset,
            &Field::whole("COUNT", Snapshot, 0, "Saturating count."),
            $text,
        )
    };
}

/// A register of the trace unit, as it is read there.
macro_rules! trace_unit {
    ($name:literal, $offset:literal) => {
        register(
            $name,
            $offset,
            &Field::whole(
                "VALUE",
                ReadWrite,
                0,
                "Value of the register in the trace unit.",
            ),
            concat!("Copy of ", $name, " of the source's trace unit."),
        )
    };
}

/// Half an address.
macro_rules! address_half {
    ($name:literal, $offset:literal, $text:literal) => {
        register(
            $name,
            $offset,
            &Field::whole("ADDRESS", ReadWrite, 0, "Address bits."),
            $text,
        )
    };
}

/// Kinds of records by their bits, and whether there is a range.
const FILTER: [Field; FilterKind::ALL.len() + 1] = {
    let range = "Leave out what has a newest address outside RANGE_FIRST to RANGE_LAST.";
    let mut fields = [field("RANGE", 31, 1, ReadWrite, 0, range); FilterKind::ALL.len() + 1];
    let mut bit = 0;
    while bit < FilterKind::ALL.len() {
        let kind = FilterKind::ALL[bit];
        fields[bit] = field(kind.name(), bit as u32, 1, ReadWrite, 0, kind.text());
        bit += 1;
    }
    fields
};

/// The registers of the whole core.
pub const GLOBAL: [Register; 12] = [
    register(
        "ID",
        0x00,
        &Field::whole("ID", Constant, MAGIC, "ASCII `ETM4`."),
        "Says that the core is there.",
    ),
    register(
        "VERSION",
        0x04,
        &[
            field(
                "MINOR",
                0,
                8,
                Constant,
                MAP_VERSION.1,
                "Minor version of this map.",
            ),
            field(
                "MAJOR",
                8,
                8,
                Constant,
                MAP_VERSION.0,
                "Major version of this map.",
            ),
            field(
                "RECORD_FORMAT",
                16,
                8,
                Constant,
                record_stream::VERSION as u32,
                "Version of the record stream.",
            ),
        ],
        "Versions.",
    ),
    register(
        "CAPABILITIES",
        0x08,
        &[
            field(
                "SOURCES",
                0,
                8,
                Constant,
                SOURCES as u32,
                "Trace sources that can be decoded at a time.",
            ),
            field(
                "BYTES_PER_CYCLE",
                8,
                8,
                Constant,
                BYTES_PER_CYCLE,
                "Bytes of the trace port that are taken in each cycle.",
            ),
        ],
        "What the core can do.",
    ),
    register(
        "CONTROL",
        0x0C,
        &[
            field(
                "LENIENT",
                0,
                1,
                ReadWrite,
                0,
                "Error policy: 0 resync, 1 lenient.",
            ),
            field("RECORDS", 1, 1, ReadWrite, 0, "Send the record stream."),
            field("PROFILE", 2, 1, ReadWrite, 0, "Send the profile stream."),
            field(
                "SNAPSHOT",
                8,
                1,
                Pulse,
                0,
                "Write 1 to copy all counters in one cycle.",
            ),
            field(
                "CLEAR",
                9,
                1,
                Pulse,
                0,
                "Write 1 to clear all counters; with SNAPSHOT, after the copy.",
            ),
            field(
                "FLUSH",
                10,
                1,
                Pulse,
                0,
                "Write 1 to send all sums of the profile, and a mark behind them.",
            ),
        ],
        "Control of the whole core. Change bits 2:0 while ENABLE of the source is 0.",
    ),
    register(
        "STATUS",
        0x10,
        &[field(
            "IN_SYNC",
            0,
            1,
            Live,
            0,
            "The trace port is aligned.",
        )],
        "State of the whole core now.",
    ),
    counter!("FRAMES", 0x20, "Whole frames of the trace port."),
    counter!(
        "SYNC_LOSSES",
        0x24,
        "Alignments of the trace port that were lost."
    ),
    counter!(
        "SYNC_ACQUISITIONS",
        0x28,
        "Alignments of the trace port that were found."
    ),
    counter!("NULL_DROPS", 0x2C, "Bytes with the null trace ID."),
    counter!("RESERVED_DROPS", 0x30, "Bytes with a reserved trace ID."),
    counter!(
        "UNCLAIMED_DROPS",
        0x34,
        "Bytes of sources that nobody wants, or before any trace ID."
    ),
    counter!(
        "LOST_WORDS",
        0x38,
        "Words of the trace port that found no room, since reset, 16 bits: CLEAR leaves it."
    ),
];

/// The registers of each source.
pub const SOURCE: [Register; 18] = [
    register(
        "SOURCE_CONTROL",
        0x00,
        &[
            field("ENABLE", 0, 1, ReadWrite, 0, "Decode the source."),
            field(
                "ETE",
                1,
                1,
                ReadWrite,
                0,
                "The trace unit is an ETE, not an ETMv4.",
            ),
            field("V8M", 2, 1, ReadWrite, 0, "The traced core is an Armv8-M."),
            field(
                "FULL_ADDRESSES",
                3,
                1,
                ReadWrite,
                0,
                "The record stream tells every address in full.",
            ),
            field("TRACE_ID", 8, 7, ReadWrite, 0, "Trace ID of the source."),
        ],
        "Which source this is. Change it and the copies below while ENABLE is 0.",
    ),
    trace_unit!("TRCCONFIGR", 0x04),
    trace_unit!("TRCIDR0", 0x08),
    trace_unit!("TRCIDR1", 0x0C),
    trace_unit!("TRCIDR2", 0x10),
    trace_unit!("TRCDEVARCH", 0x14),
    trace_unit!("TRCIDR8", 0x18),
    register(
        "FILTER",
        0x1C,
        &FILTER,
        "Records that the record stream leaves out. With any, it tells every address in full.",
    ),
    address_half!(
        "RANGE_FIRST_LOW",
        0x20,
        "First address of the range, low half."
    ),
    address_half!(
        "RANGE_FIRST_HIGH",
        0x24,
        "First address of the range, high half."
    ),
    address_half!(
        "RANGE_LAST_LOW",
        0x28,
        "Last address of the range, low half."
    ),
    address_half!(
        "RANGE_LAST_HIGH",
        0x2C,
        "Last address of the range, high half."
    ),
    counter!("BYTES", 0x40, "Bytes of the source."),
    counter!("PACKETS", 0x44, "Packets of the source."),
    counter!("ASYNCS", 0x48, "A-Syncs of the source."),
    counter!(
        "LOSSES",
        0x4C,
        "Losses at the trace port that the source was told of."
    ),
    counter!(
        "RESERVED_HEADERS",
        0x50,
        "Errors: headers that do not exist, or not in this trace unit."
    ),
    counter!(
        "BAD_SEQUENCES",
        0x54,
        "Errors: headers 0x00 with no packet behind them."
    ),
];
