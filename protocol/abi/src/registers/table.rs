// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers, each written once: [`core_registers!`](crate::core_registers) has the rows.
//!
//! The macro hands its rows to another macro. Here they become constants for software and for
//! documents; the hardware makes of the same rows the layouts of its buses, whose fields have the
//! names in parentheses.

use super::map::Access::{Constant, Event, Live, Pulse, ReadWrite, Snapshot};
use super::map::{Field, Register};
use crate::record_filter::FilterKind;
use crate::record_stream;

/// Name of the map.
pub const NAME: &str = "etm4";

/// Byte offset of the registers of source 0.
pub const SOURCE_BASE: u32 = 0x100;

/// Bytes from the registers of one source to those of the next.
pub const SOURCE_STRIDE: u32 = 0x80;

/// Sources that a core decodes.
pub const SOURCES: usize = 1;

/// Bytes that the trace port takes in each cycle.
pub const BYTES_PER_CYCLE: u32 = 4;

/// The first word of the map.
const MAGIC: u32 = u32::from_be_bytes(*b"ETM4");

/// Version of this map: a new major number says that older software must not use it.
const MAP_VERSION: (u32, u32) = (2, 1);

/// Kinds of records that a filter can drop, a bit each.
const KINDS: [Field; FilterKind::ALL.len()] = {
    let mut fields = [KIND; FilterKind::ALL.len()];
    let mut bit = 0;
    while bit < fields.len() {
        let kind = FilterKind::ALL[bit];
        fields[bit].name = kind.name();
        fields[bit].low = bit as u32;
        fields[bit].text = kind.text();
        bit += 1;
    }
    fields
};

const KIND: Field = Field {
    name: "",
    low: 0,
    width: 1,
    access: ReadWrite,
    reset: 0,
    text: "",
};

/// Hands all registers to the macro `$make`: those of the whole core and those of each source, by
/// their offsets.
///
/// A row is `NAME at OFFSET, "text" { fields }`, a field is
/// `kind NAME(signal)[lowest bit; width] = reset value, "text";`, fields with the lowest bits first.
///
/// | kind | software | hardware |
/// |---|---|---|
/// | `constant` | reads | none |
/// | `setting` | reads and writes | a field of the settings |
/// | `kinds` | a field for each `FilterKind`, as a `setting` | one field of the settings for all |
/// | `pulse` | writes 1 | a field of the pulses, 1 for a cycle |
/// | `event` | reads 1 once it has happened, writes 1 to clear | a field of the status and one of the pulses |
/// | `live` | reads the value of now | a field of the status |
/// | `snapshot` | reads the value as of the last snapshot | a field of the status |
#[macro_export]
macro_rules! core_registers {
    ($make:ident) => {
        $make! {
            global {
                ID at 0x00, "Identifies the core." {
                    constant ID[0; 32] = MAGIC, "ASCII `ETM4`.";
                }
                VERSION at 0x04, "Versions." {
                    constant MINOR[0; 8] = MAP_VERSION.1, "Minor version of this map.";
                    constant MAJOR[8; 8] = MAP_VERSION.0, "Major version of this map.";
                    constant RECORD_FORMAT[16; 8] = record_stream::VERSION as u32, "Version of the record stream.";
                }
                CAPABILITIES at 0x08, "Capabilities of the core." {
                    constant SOURCES[0; 8] = SOURCES as u32, "Number of trace sources decoded at a time.";
                    constant BYTES_PER_CYCLE[8; 8] = BYTES_PER_CYCLE, "Width of the trace port in bytes per cycle.";
                }
                CONTROL at 0x0C, "Control of the whole core. Change bits 2:0 only while ENABLE of the source is 0." {
                    setting LENIENT(lenient)[0; 1] = 0, "Error policy: 0 resync, 1 lenient.";
                    setting RECORDS(records)[1; 1] = 0, "Send the record stream.";
                    setting PROFILE(profile)[2; 1] = 0, "Send the profile stream.";
                    pulse SNAPSHOT(snapshot)[8; 1] = 0, "Write 1 to sample all counters in one cycle.";
                    pulse CLEAR(clear)[9; 1] = 0, "Write 1 to clear all counters; with SNAPSHOT, after sampling.";
                    pulse FLUSH(flush)[10; 1] = 0, "Write 1 to send all profile sums, followed by a mark; requests during a flush share its mark.";
                }
                STATUS at 0x10, "Current state of the core." {
                    live IN_SYNC(in_sync)[0; 1] = 0, "The trace port is synchronised to frames.";
                    live RUNNING(running)[1; 1] = 0, "The source is being decoded: its START has been made.";
                }
                INTERRUPT_STATUS at 0x14, "What has happened. The output `irq` is 1 while a bit is 1 here and in INTERRUPT_ENABLE." {
                    event LOSS(loss)[0; 1] = 0, "Words or frames of the trace port were lost, or a stream left out a stretch.";
                    event FLUSH_DONE(flush_done)[1; 1] = 0, "The mark of a flush has been sent.";
                    event ERROR(error)[2; 1] = 0, "The source sent bytes that are not a packet.";
                }
                INTERRUPT_ENABLE at 0x18, "Which bits of INTERRUPT_STATUS interrupt. May be changed at any time." {
                    setting LOSS(loss_enable)[0; 1] = 0, "Interrupt while LOSS is 1.";
                    setting FLUSH_DONE(flush_done_enable)[1; 1] = 0, "Interrupt while FLUSH_DONE is 1.";
                    setting ERROR(error_enable)[2; 1] = 0, "Interrupt while ERROR is 1.";
                }
                FRAMES at 0x20, "Complete frames received." {
                    snapshot COUNT(frames)[0; 32] = 0, "Saturating count.";
                }
                SYNC_LOSSES at 0x24, "Losses of frame synchronisation." {
                    snapshot COUNT(sync_losses)[0; 32] = 0, "Saturating count.";
                }
                SYNC_ACQUISITIONS at 0x28, "Acquisitions of frame synchronisation." {
                    snapshot COUNT(sync_acquisitions)[0; 32] = 0, "Saturating count.";
                }
                NULL_DROPS at 0x2C, "Dropped bytes: null trace ID." {
                    snapshot COUNT(null_drops)[0; 32] = 0, "Saturating count.";
                }
                RESERVED_DROPS at 0x30, "Dropped bytes: reserved trace ID." {
                    snapshot COUNT(reserved_drops)[0; 32] = 0, "Saturating count.";
                }
                UNCLAIMED_DROPS at 0x34, "Dropped bytes: trace ID not enabled, or not known yet." {
                    snapshot COUNT(unclaimed_drops)[0; 32] = 0, "Saturating count.";
                }
                LOST_WORDS at 0x38, "Port words dropped since reset: those behind a full FIFO, until it was half empty. Unaffected by CLEAR." {
                    snapshot COUNT(lost_words)[0; 32] = 0, "Saturating count.";
                }
                RECORD_GAPS at 0x3C, "Stretches that the record stream left out because nobody read it." {
                    snapshot COUNT(record_gaps)[0; 32] = 0, "Saturating count.";
                }
                PROFILE_GAPS at 0x40, "Stretches that the profile stream left out because nobody read it." {
                    snapshot COUNT(profile_gaps)[0; 32] = 0, "Saturating count.";
                }
            }
            source {
                SOURCE_CONTROL at 0x00, "Source settings. Change them and the copies below only while ENABLE is 0." {
                    setting ENABLE(enable)[0; 1] = 0, "Decode the source.";
                    setting ETE(ete)[1; 1] = 0, "The trace unit is an ETE, not an ETMv4.";
                    setting V8M(v8m)[2; 1] = 0, "The traced core is an Armv8-M.";
                    setting FULL_ADDRESSES(full_addresses)[3; 1] = 0, "Write every address of the record stream in full.";
                    setting TRACE_ID(trace_id)[8; 7] = 0, "Trace ID of the source.";
                }
                TRCCONFIGR at 0x04, "Copy of TRCCONFIGR of the source's trace unit." {
                    setting VALUE(trcconfigr)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR0 at 0x08, "Copy of TRCIDR0 of the source's trace unit." {
                    setting VALUE(trcidr0)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR1 at 0x0C, "Copy of TRCIDR1 of the source's trace unit." {
                    setting VALUE(trcidr1)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR2 at 0x10, "Copy of TRCIDR2 of the source's trace unit." {
                    setting VALUE(trcidr2)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCDEVARCH at 0x14, "Copy of TRCDEVARCH of the source's trace unit." {
                    setting VALUE(trcdevarch)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                TRCIDR8 at 0x18, "Copy of TRCIDR8 of the source's trace unit." {
                    setting VALUE(trcidr8)[0; 32] = 0, "Value of the register in the trace unit.";
                }
                FILTER at 0x1C, "Kinds of records to omit. While any bit is 1, every address is written in full." {
                    kinds KINDS(drop)[0; 14] = 0, "";
                    setting RANGE(has_range)[31; 1] = 0, "Omit records whose newest address is outside RANGE_FIRST to RANGE_LAST.";
                }
                RANGE_FIRST_LOW at 0x20, "First address of the range, low half." {
                    setting ADDRESS(first_low)[0; 32] = 0, "Address bits.";
                }
                RANGE_FIRST_HIGH at 0x24, "First address of the range, high half." {
                    setting ADDRESS(first_high)[0; 32] = 0, "Address bits.";
                }
                RANGE_LAST_LOW at 0x28, "Last address of the range, low half." {
                    setting ADDRESS(last_low)[0; 32] = 0, "Address bits.";
                }
                RANGE_LAST_HIGH at 0x2C, "Last address of the range, high half." {
                    setting ADDRESS(last_high)[0; 32] = 0, "Address bits.";
                }
                BYTES at 0x40, "Bytes received from the source." {
                    snapshot COUNT(bytes)[0; 32] = 0, "Saturating count.";
                }
                PACKETS at 0x44, "Packets and errors decoded, without those that RECORD_GAPS counts." {
                    snapshot COUNT(packets)[0; 32] = 0, "Saturating count.";
                }
                ASYNCS at 0x48, "A-Sync packets decoded, without those that RECORD_GAPS counts." {
                    snapshot COUNT(asyncs)[0; 32] = 0, "Saturating count.";
                }
                LOSSES at 0x4C, "Losses at the trace port reported to the source." {
                    snapshot COUNT(losses)[0; 32] = 0, "Saturating count.";
                }
                RESERVED_HEADERS at 0x50, "Errors: headers that are reserved, or not supported by the trace unit." {
                    snapshot COUNT(reserved_headers)[0; 32] = 0, "Saturating count.";
                }
                BAD_SEQUENCES at 0x54, "Errors: header 0x00 without a valid packet after it." {
                    snapshot COUNT(bad_sequences)[0; 32] = 0, "Saturating count.";
                }
            }
        }
    };
}

/// The fields that a line of [`core_registers!`](crate::core_registers) makes.
macro_rules! fields {
    (kinds, $field:ident, $low:literal, $width:literal, $reset:expr, $text:literal) => {{
        assert!($width == $field.len());
        &$field
    }};
    ($kind:ident, $field:ident, $low:literal, $width:literal, $reset:expr, $text:literal) => {
        &[Field {
            name: stringify!($field),
            low: $low,
            width: $width,
            access: fields!($kind),
            reset: $reset,
            text: $text,
        }]
    };
    (constant) => {
        Constant
    };
    (setting) => {
        ReadWrite
    };
    (pulse) => {
        Pulse
    };
    (event) => {
        Event
    };
    (live) => {
        Live
    };
    (snapshot) => {
        Snapshot
    };
}

/// The rows of [`core_registers!`](crate::core_registers) as constants.
macro_rules! table {
    (global { $($global:tt)* } source { $($source:tt)* }) => {
        /// The registers of the whole core.
        pub const GLOBAL: &[Register] = table!($($global)*);

        /// The registers of each source.
        pub const SOURCE: &[Register] = table!($($source)*);
    };
    ($($name:ident at $offset:literal, $text:literal {
        $($kind:ident $field:ident $(($signal:ident))? [$low:literal; $width:literal]
            = $reset:expr, $what:literal;)*
    })*) => {
        &[$(Register {
            name: stringify!($name),
            offset: $offset,
            fields: {
                const LINES: &[&[Field]] = &[
                    $(fields!($kind, $field, $low, $width, $reset, $what)),*
                ];
                const FIELDS: [Field; count(LINES)] = joined(LINES);
                &FIELDS
            },
            text: $text,
        }),*]
    };
}

core_registers!(table);

/// Fields in all lines of a register.
const fn count(lines: &[&[Field]]) -> usize {
    let (mut line, mut count) = (0, 0);
    while line < lines.len() {
        count += lines[line].len();
        line += 1;
    }
    count
}

/// The fields of all lines of a register.
const fn joined<const N: usize>(lines: &[&[Field]]) -> [Field; N] {
    let mut fields = [KIND; N];
    let (mut line, mut place) = (0, 0);
    while line < lines.len() {
        let mut at = 0;
        while at < lines[line].len() {
            fields[place] = lines[line][at];
            place += 1;
            at += 1;
        }
        line += 1;
    }
    fields
}
