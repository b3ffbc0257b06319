// SPDX-License-Identifier: MIT OR Apache-2.0
//! Names of exceptions and of broken packets, as OpenCSD spells them.

use coretrace_etm::{ArchProfile, HEADERS, Kind, Record};

use super::Value;

const RESERVED: &str = "Reserved";

/// Exception types of the application and real-time profiles.
const A_PROFILE: [&str; 16] = [
    "PE_Reset",
    "Debug_Halt",
    "Call",
    "Trap",
    "System_Error",
    RESERVED,
    "Inst_Debug",
    "Data_Debug",
    RESERVED,
    RESERVED,
    "Alignment",
    "Inst_Fault",
    "Data_Fault",
    RESERVED,
    "IRQ",
    "FIQ",
];

/// Exception types of the microcontroller profile; interrupts have no row.
const M_PROFILE: [&str; 27] = [
    RESERVED,
    "PE_Reset",
    "NMI",
    "HardFault",
    "MemManage",
    "BusFault",
    "UsageFault",
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    "SVC",
    "DebugMonitor",
    RESERVED,
    "PendSV",
    "SysTick",
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    RESERVED,
    "DebugHalt",
    "LazyFP_Push",
    "Lockup",
];

/// The name of an exception type, or the number of the interrupt.
pub fn exception(profile: ArchProfile, number: u16) -> Value {
    let table: &[&str] = match (profile.is_m(), number) {
        (false, _) => &A_PROFILE,
        (true, 0x10..=0x17) => return Value::Interrupt(number - 0x10),
        (true, 0x208..=0x3EF) => return Value::Interrupt(number - 0x200),
        (true, _) => &M_PROFILE,
    };
    Value::Word(table.get(usize::from(number)).unwrap_or(&RESERVED))
}

/// The packet that the bytes of an error seemed to be, by header; `None` if it is not an error.
pub fn broken_packet(record: &Record) -> Option<&'static str> {
    let begins_an_async = match record.kind {
        Kind::BadSequence => record.lead[0] == 0,
        Kind::Incomplete => record.len > 1,
        Kind::ReservedCfg => false,
        _ => return None,
    };
    Some(match record.header {
        0 if !begins_an_async => "I_EXTENSION",
        header => HEADERS[usize::from(header)].kind.listing_name(),
    })
}
