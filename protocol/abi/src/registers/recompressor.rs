// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `etm4_recompressor`: each written once, as those of `etm4_core`.

use super::block_rows::{TIME_OUT, USUAL_SIZE};
use super::rows::{fields, table};
use super::{BYTES_PER_CYCLE, FRAME_BITS, SITE_BITS};
use crate::compressed::block;
use crate::flow_table::SPACE_RULES;

/// Name of the map.
pub const NAME: &str = "etm4_recompressor";

/// The first word of the map.
const MAGIC: u32 = u32::from_be_bytes(*b"RCMP");

/// Version of this map: a new major number says that older software must not use it.
const MAP_VERSION: (u32, u32) = (2, 0);

/// Hands all registers of `etm4_recompressor` to the macro `$make`; `rows` says what they are.
#[macro_export]
macro_rules! recompressor_registers {
    ($make:ident) => {
        $crate::block_registers! { recompressor_rows $make
            settings 0x1C 0x20
            events 0x44 0x48
            blocks 0x50 0x54 0x58
        }
    };
}

/// The registers of `etm4_recompressor`, with those of its blocks.
#[macro_export]
macro_rules! recompressor_rows {
    ($make:ident settings { $($settings:tt)* } events { $($events:tt)* } blocks { $($blocks:tt)* }) => {
        $crate::walk_registers! { $make
            global {
                ID at 0x00, "Identifies the core." {
                    constant ID[0; 32] = MAGIC, "ASCII `RCMP`.";
                }
                VERSION at 0x04, "Versions." {
                    constant MINOR[0; 8] = MAP_VERSION.1, "Minor version of this map.";
                    constant MAJOR[8; 8] = MAP_VERSION.0, "Major version of this map.";
                    constant BLOCK_FORMAT[16; 8] = block::VERSION, "Version of the blocks.";
                }
                CAPABILITIES at 0x08, "Capabilities of the core." {
                    constant SITE_BITS[0; 8] = SITE_BITS, "Bits of a site: the flow table has 2 to this power of them.";
                    constant BYTES_PER_CYCLE[8; 8] = BYTES_PER_CYCLE, "Width of the trace port in bytes per cycle.";
                    constant FRAME_BITS[16; 8] = FRAME_BITS, "Bits of a frame: the flow table has 2 to this power of them, each of 64 rows.";
                    constant SPACE_RULES[24; 8] = SPACE_RULES as u32, "Rules of address spaces.";
                }
                CONTROL at 0x0C, "Control of the whole core. Change bit 0 only while ENABLE of the source is 0." {
                    setting LENIENT(lenient)[0; 1] = 0, "Error policy: 0 resync, 1 lenient.";
                    pulse SNAPSHOT(snapshot)[8; 1] = 0, "Write 1 to sample all counters in one cycle.";
                    pulse CLEAR(clear)[9; 1] = 0, "Write 1 to clear the counters of the port, the source and the blocks; with SNAPSHOT, after sampling.";
                    pulse FLUSH(flush)[10; 1] = 0, "Write 1 to close the block behind the events so far, if it has any.";
                }
                STATUS at 0x10, "Current state of the core." {
                    live IN_SYNC(in_sync)[0; 1] = 0, "The trace port is synchronised to frames.";
                    live RUNNING(running)[1; 1] = 0, "The source is being decoded.";
                    live BUSY(busy)[2; 1] = 0, "The source is being decoded, or what came of it is not out yet: settings keep their values.";
                    live REFUSED(refused)[3; 1] = 0, "The speculation depth of the source (TRCIDR8) is more than 255: its program is not followed, all atoms are skipped.";
                }
                INTERRUPT_STATUS at 0x14, "What has happened. The output `irq` is 1 while a bit is 1 here and in INTERRUPT_ENABLE." {
                    event LOSS(loss)[0; 1] = 0, "Words or frames of the trace port were lost, or the place in the program, or an event.";
                    event BLOCK(block)[1; 1] = 0, "The last beat of a block was taken.";
                    event STOPPED(stopped)[2; 1] = 0, "The source is disabled, and its last block was taken.";
                }
                INTERRUPT_ENABLE at 0x18, "Which bits of INTERRUPT_STATUS interrupt. May be changed at any time." {
                    setting LOSS(loss_enable)[0; 1] = 0, "Interrupt while LOSS is 1.";
                    setting BLOCK(block_enable)[1; 1] = 0, "Interrupt while BLOCK is 1.";
                    setting STOPPED(stopped_enable)[2; 1] = 0, "Interrupt while STOPPED is 1.";
                }
                ENCODER at 0x1C, "The encoder of the core, as the first word of a block has it." {
                    live PRESET(encoder_preset)[0; 8] = 0, "Number of the preset.";
                    live KIND(encoder_kind)[8; 4] = 0, "Number of the encoder.";
                }
            } walk {
            } write {
                TABLE_WRITE at 0x68, "Writes TABLE_HIGH and TABLE_LOW into the tables. Only while ENABLE of the source is 0." {
                    setting INDEX(table_index)[0; 24] = 0, "Which word: a slot, a row, a site or a bucket.";
                    setting MEMORY(table_memory)[24; 3] = 0, "0 pages, 1 rows, 2 exits, 3 runs, 4 branches, 5 calls, 6 buckets.";
                    pulse WRITE(table_write)[31; 1] = 0, "Write 1 to write the word.";
                }
            }
            source {
                SOURCE_CONTROL at 0x00, "Source settings. Change them and the copies below only while ENABLE and BUSY are 0." {
                    setting ENABLE(enable)[0; 1] = 0, "Decode the source. When it becomes 0, the last block is closed and sent.";
                    setting ETE(ete)[1; 1] = 0, "The trace unit is an ETE, not an ETMv4.";
                    setting A32(is_a32)[3; 1] = 0, "The instructions are A32, not A64; blocks say so.";
                    setting TRACE_ID(trace_id)[8; 7] = 0, "Trace ID of the source, which blocks have.";
                }
            } then {
                $($settings)*
            } then {
                $($events)*
            } then {
                $($blocks)*
            }
        }
    };
}

recompressor_registers!(table);
