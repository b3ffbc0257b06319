// SPDX-License-Identifier: MIT OR Apache-2.0
//! The registers of the source of software trace that `etm4_core_stm` and `etm4_core_itm` have beside the other one:
//! each written once, as those of `etm4_core`, which these cores have at the same places.

use super::map::Register;
use super::rows::{fields, table};
use super::table::GLOBAL as CORE;
use crate::software_stream;

/// Name of the map.
pub const NAME: &str = "etm4_software";

/// Hands the registers of the source of software trace to the macro `$make`; `rows` says what they are.
#[macro_export]
macro_rules! software_registers {
    ($make:ident) => {
        $make! {
            global {
                SOFTWARE_KIND at 0x80, "What the source of software trace is." {
                    live ITM(is_itm)[0; 1] = 0, "It is an ITM, otherwise an STM.";
                    constant FORMAT[8; 8] = software_stream::VERSION as u32, "Version of the software stream.";
                }
                SOFTWARE_CONTROL at 0x84, "Settings of the source of software trace. While ENABLE or SOFTWARE_STATUS.BUSY is 1, changes of the others wait." {
                    setting ENABLE(enable)[0; 1] = 0, "Record the source.";
                    setting LENIENT(lenient)[1; 1] = 0, "Error policy: 0 resync, 1 lenient.";
                    setting TRACE_ID(trace_id)[8; 7] = 0, "Trace ID of the source.";
                    pulse FLUSH(flush)[16; 1] = 0, "Write 1 to end the packet of the software stream.";
                }
                SOFTWARE_ITM_TCR at 0x88, "Copy of ITM_TCR of an ITM." {
                    setting VALUE(itm_tcr)[0; 32] = 0, "Value of the register.";
                }
                SOFTWARE_STATUS at 0x8C, "Current state of the source of software trace." {
                    live RUNNING(running)[0; 1] = 0, "Its bytes are taken.";
                    live BUSY(busy)[1; 1] = 0, "They are taken, or its stream has not rested for 4096 cycles since: records may wait.";
                }
                SOFTWARE_BYTES at 0x90, "Bytes received from the source of software trace." {
                    snapshot COUNT(bytes)[0; 32] = 0, "Saturating count.";
                }
                SOFTWARE_RECORDS at 0x94, "Packets and errors decoded." {
                    snapshot COUNT(records)[0; 32] = 0, "Saturating count.";
                }
                SOFTWARE_LOSSES at 0x98, "Losses at the trace port reported to the source of software trace." {
                    snapshot COUNT(losses)[0; 32] = 0, "Saturating count.";
                }
                SOFTWARE_LOST_ROWS at 0x9C, "Rows of the trace port dropped since the source was enabled, because nobody read its stream or its records were too many." {
                    snapshot COUNT(lost_rows)[0; 32] = 0, "Saturating count. Unaffected by CLEAR.";
                }
            }
            source {}
        }
    };
}

software_registers!(table);

/// The registers of `etm4_core`, and these behind them.
const REGISTERS: [Register; CORE.len() + GLOBAL.len()] = {
    let none = Register {
        name: "",
        offset: 0,
        fields: &[],
        text: "",
    };
    let mut all = [none; CORE.len() + GLOBAL.len()];
    let mut index = 0;
    while index < all.len() {
        all[index] = if index < CORE.len() {
            CORE[index]
        } else {
            GLOBAL[index - CORE.len()]
        };
        index += 1;
    }
    all
};

/// The registers of the whole core.
pub const OF_CORE: &[Register] = &REGISTERS;
