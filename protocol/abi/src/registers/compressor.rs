// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `trace_compressor`: each written once, as those of `etm4_core`.

use super::block_rows::{GREATEST_SIZE, TIME_OUT, USUAL_SIZE};
use super::rows::{fields, table};
use super::table::SOURCES;
use crate::compressed::block;
use crate::compressed::branch_beat;

/// Name of the map.
pub const NAME: &str = "etm4_compressor";

/// The first word of the map.
const MAGIC: u32 = u32::from_be_bytes(*b"TCMP");

/// Version of this map: a new major number says that older software must not use it.
const MAP_VERSION: (u32, u32) = (1, 0);

/// Hands all registers of `trace_compressor` to the macro `$make`; `rows` says what they are.
#[macro_export]
macro_rules! compressor_registers {
    ($make:ident) => {
        $crate::block_registers! { compressor_rows $make
            settings 0x04 0x08
            events 0x40 0x44
            blocks 0x48 0x4C 0x50
        }
    };
}

/// The registers of `trace_compressor`, with those of its blocks.
#[macro_export]
macro_rules! compressor_rows {
    ($make:ident settings { $($settings:tt)* } events { $($events:tt)* } blocks { $($blocks:tt)* }) => {
        $make! {
            global {
                ID at 0x00, "Identifies the core." {
                    constant ID[0; 32] = MAGIC, "ASCII `TCMP`.";
                }
                VERSION at 0x04, "Versions." {
                    constant MINOR[0; 8] = MAP_VERSION.1, "Minor version of this map.";
                    constant MAJOR[8; 8] = MAP_VERSION.0, "Major version of this map.";
                    constant BLOCK_FORMAT[16; 8] = block::VERSION, "Version of the blocks.";
                }
                CAPABILITIES at 0x08, "Capabilities of the core." {
                    constant SOURCES[0; 8] = SOURCES as u32, "Number of cores whose branches are compressed.";
                    constant BEAT_BYTES[8; 8] = branch_beat::BYTES as u32, "Bytes of a branch event at the input.";
                    constant GREATEST_SIZE[16; 3] = GREATEST_SIZE, "Greatest value of BLOCK_SIZE.";
                }
                CONTROL at 0x0C, "Control of the whole core." {
                    pulse SNAPSHOT(snapshot)[8; 1] = 0, "Write 1 to sample all counters in one cycle.";
                    pulse CLEAR(clear)[9; 1] = 0, "Write 1 to clear all counters; with SNAPSHOT, after sampling.";
                    pulse FLUSH(flush)[10; 1] = 0, "Write 1 to close the block behind the events so far, if it has any.";
                }
                STATUS at 0x10, "Current state of the core." {
                    live RUNNING(running)[0; 1] = 0, "Events are taken.";
                    live BUSY(busy)[1; 1] = 0, "An event waits, a block has an event, or a block is on its way out.";
                }
                INTERRUPT_STATUS at 0x14, "What has happened. The output `irq` is 1 while a bit is 1 here and in INTERRUPT_ENABLE." {
                    event LOSS(loss)[0; 1] = 0, "An event was lost.";
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
            }
            source {
                SOURCE_CONTROL at 0x00, "Source settings. Change all but ENABLE only while ENABLE is 0." {
                    setting ENABLE(enable)[0; 1] = 0, "Take events. When it becomes 0, the last block is closed and sent.";
                    setting A32(is_a32)[1; 1] = 0, "The instructions are A32, not A64; blocks say so.";
                    setting TRACE_ID(trace_id)[8; 7] = 0, "Trace ID, which blocks have.";
                }
                $($settings)*
                $($events)*
                $($blocks)*
            }
        }
    };
}

compressor_registers!(table);
