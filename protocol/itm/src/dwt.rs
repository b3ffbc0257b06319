// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the DWT reports. Source: Arm DDI 0403, "Hardware source packets".

use crate::{Kind, Packet};

/// What a hardware source packet means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// Counters wrapped: bits 0 CPI, 1 exceptions, 2 sleep, 3 load and store, 4 folded instructions, 5 cycles.
    Counters(u8),
    /// An exception was entered (1), left (2) or returned to (3).
    Exception {
        /// Its number, 9 bits.
        number: u16,
        /// What happened.
        action: u8,
    },
    /// A sample of the program counter; none while the core sleeps.
    ProgramCounter(Option<u32>),
    /// A comparator matched: the address of the instruction.
    DataProgramCounter {
        /// 0 to 3.
        comparator: u8,
        /// The address.
        value: u32,
    },
    /// A comparator matched: the low half of the data address.
    DataAddress {
        /// 0 to 3.
        comparator: u8,
        /// The address.
        value: u32,
    },
    /// A comparator matched: the data.
    DataValue {
        /// 0 to 3.
        comparator: u8,
        /// Whether they were written.
        is_write: bool,
        /// The data.
        value: u32,
    },
    /// A discriminator that the manual reserves.
    Unknown,
}

impl Event {
    /// What a packet means; none if it is not of the DWT.
    pub fn of(packet: &Packet) -> Option<Event> {
        if packet.kind != Kind::Hardware {
            return None;
        }
        let value = packet.value() as u32;
        let discriminator = packet.source();
        let comparator = discriminator >> 1 & 3;
        let is_odd = discriminator & 1 != 0;
        Some(match discriminator {
            0 => Event::Counters(value as u8),
            1 => Event::Exception {
                number: value as u16 & 0x1FF,
                action: (value >> 12) as u8 & 3,
            },
            2 if packet.len == 1 => Event::ProgramCounter(None),
            2 => Event::ProgramCounter(Some(value)),
            8..=15 if is_odd => Event::DataAddress { comparator, value },
            8..=15 => Event::DataProgramCounter { comparator, value },
            16..=23 => Event::DataValue {
                comparator,
                is_write: is_odd,
                value,
            },
            _ => Event::Unknown,
        })
    }
}
