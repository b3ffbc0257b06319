// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers, each written once: [`core_registers!`](crate::core_registers) has the rows.
//!
//! The macro hands its rows to another macro. Here they become constants for software and for
//! documents; the hardware makes of the same rows the layouts of its buses, whose fields have the
//! names in parentheses.

use super::map::Field;
use super::rows::{FIELD, fields, table};
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
const MAP_VERSION: (u32, u32) = (2, 2);

/// Kinds of records that a filter can drop, a bit each.
const KINDS: [Field; FilterKind::ALL.len()] = {
    let mut fields = [FIELD; FilterKind::ALL.len()];
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

/// Hands all registers of `etm4_core` to the macro `$make`; `rows` says what they are.
#[macro_export]
macro_rules! core_registers {
    ($make:ident) => {
        $crate::trace_port_registers! { $make
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
                    live QUIET(quiet)[2; 1] = 0, "For 1023 cycles no byte of the source was decoded and nothing of the record stream waited: all that came so far has been sent.";
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
            } then {
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
            } then {
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
            } then {
                PACKETS at 0x44, "Packets and errors decoded, without those that RECORD_GAPS counts." {
                    snapshot COUNT(packets)[0; 32] = 0, "Saturating count.";
                }
                ASYNCS at 0x48, "A-Sync packets decoded, without those that RECORD_GAPS counts." {
                    snapshot COUNT(asyncs)[0; 32] = 0, "Saturating count.";
                }
            } then {
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

core_registers!(table);
