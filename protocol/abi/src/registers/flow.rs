// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of `flow_core`: each written once, as those of `etm4_core`.

use super::BYTES_PER_CYCLE;
use super::rows::{fields, table};
use crate::flow_stream;
use crate::flow_table::SPACE_RULES;

/// Name of the map.
pub const NAME: &str = "etm4_flow";

/// The first word of the map.
const MAGIC: u32 = u32::from_be_bytes(*b"FLOW");

/// Version of this map: a new major number says that older software must not use it.
const MAP_VERSION: (u32, u32) = (2, 0);

/// Bits of a site of the core: it counts 2^12 branches.
pub const SITE_BITS: u32 = 12;
/// Bits of a frame of the core: 64 pages of 4 KiB.
pub const FRAME_BITS: u32 = 6;

/// Hands all registers of `flow_core` to the macro `$make`; `rows` says what they are.
#[macro_export]
macro_rules! flow_registers {
    ($make:ident) => {
        $crate::walk_registers! { $make
            global {
                ID at 0x00, "Identifies the core." {
                    constant ID[0; 32] = MAGIC, "ASCII `FLOW`.";
                }
                VERSION at 0x04, "Versions." {
                    constant MINOR[0; 8] = MAP_VERSION.1, "Minor version of this map.";
                    constant MAJOR[8; 8] = MAP_VERSION.0, "Major version of this map.";
                    constant STREAM_FORMAT[16; 8] = flow_stream::VERSION, "Version of the flow stream.";
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
                    pulse CLEAR(clear)[9; 1] = 0, "Write 1 to clear the counters of the port and the source; with SNAPSHOT, after sampling.";
                    pulse READ_OUT(read_out)[10; 1] = 0, "Write 1 to read the sums of all sites; requests before a read-out has begun share it.";
                    pulse ARM(arm)[11; 1] = 0, "Write 1 to empty the ring of hops, to let it record, and to set TRIGGER_EVENTS to 0.";
                }
                STATUS at 0x10, "Current state of the core." {
                    live IN_SYNC(in_sync)[0; 1] = 0, "The trace port is synchronised to frames.";
                    live RUNNING(running)[1; 1] = 0, "The source is being decoded.";
                    live READING(reading)[2; 1] = 0, "A read-out goes on.";
                    live REFUSED(refused)[3; 1] = 0, "The speculation depth of the source (TRCIDR8) is more than 255: its program is not followed, all atoms are skipped.";
                    live COUNTING(counting)[4; 1] = 0, "What is executed is counted.";
                    live FROZEN(frozen)[5; 1] = 0, "The ring of hops is frozen.";
                    live TRIGGERS(triggers)[6; 1] = 0, "The core has triggers, a ring of hops, and sums of cycles: it has one walker.";
                }
                INTERRUPT_STATUS at 0x14, "What has happened. The output `irq` is 1 while a bit is 1 here and in INTERRUPT_ENABLE." {
                    event LOSS(loss)[0; 1] = 0, "Words or frames of the trace port were lost, or the place in the program.";
                    event READ_OUT_DONE(read_out_done)[1; 1] = 0, "The END of a read-out has gone into the stream.";
                    event FROZE(froze)[2; 1] = 0, "A trigger froze the ring of hops, which goes into the stream.";
                }
                INTERRUPT_ENABLE at 0x18, "Which bits of INTERRUPT_STATUS interrupt. May be changed at any time." {
                    setting LOSS(loss_enable)[0; 1] = 0, "Interrupt while LOSS is 1.";
                    setting READ_OUT_DONE(read_out_done_enable)[1; 1] = 0, "Interrupt while READ_OUT_DONE is 1.";
                    setting FROZE(froze_enable)[2; 1] = 0, "Interrupt while FROZE is 1.";
                }
            } walk {
                TRIGGER_EVENTS at 0x50, "Triggers that are events, since ARM or the reset." {
                    snapshot COUNT(trigger_events)[0; 32] = 0, "Saturating count. Unaffected by CLEAR.";
                }
                TRIGGER_FREEZE at 0x54, "When the ring of hops is frozen. Change it only before ARM." {
                    setting EVENTS(freeze_after)[0; 32] = 0, "At so many events since ARM; 0: never.";
                }
                TRIGGER_CONTROL at 0x58, "What triggers do. Change it only while ENABLE of the source is 0." {
                    setting WINDOWED(windowed)[0; 1] = 0, "Count only behind a trigger that starts, up to one that stops. Without triggers it does nothing.";
                }
            } write {
                TABLE_WRITE at 0x68, "Writes TABLE_HIGH and TABLE_LOW into the flow table. Only while ENABLE of the source is 0, but for the rows, exits and runs of a shadow copy." {
                    setting INDEX(table_index)[0; 24] = 0, "Which word: a slot, a row, a site or a bucket.";
                    setting MEMORY(table_memory)[24; 3] = 0, "0 pages, 1 rows, 2 exits, 3 runs, 6 buckets.";
                    pulse WRITE(table_write)[31; 1] = 0, "Write 1 to write the word.";
                }
            }
            source {
                SOURCE_CONTROL at 0x00, "Source settings. Change them and the copies below only while ENABLE is 0." {
                    setting ENABLE(enable)[0; 1] = 0, "Decode the source.";
                    setting ETE(ete)[1; 1] = 0, "The trace unit is an ETE, not an ETMv4.";
                    setting V8M(v8m)[2; 1] = 0, "The traced core is an Armv8-M.";
                    setting TRACE_ID(trace_id)[8; 7] = 0, "Trace ID of the source.";
                }
            } then {
            } then {
            } then {
            }
        }
    };
}

flow_registers!(table);
