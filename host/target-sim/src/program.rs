// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a traced core does: its trace is a sequence of numbered addresses, or a recording.

use std::sync::Arc;

use coretrace_etm::emit::emit;
use coretrace_etm::{Config, Kind, Packet};

/// Bytes of a recording that a trace unit sends in a tick.
const STEP: usize = 8;

/// Packets from an A-Sync to the next.
const SYNC_PERIOD: u64 = 512;

/// The trace of a core, from the moment in which its trace unit is enabled.
#[derive(Clone, Debug)]
pub enum Program {
    /// A-Sync, Trace Info, Trace On, and then addresses that count up, with an A-Sync now and then; the
    /// number of the next packet.
    Numbers(u64),
    /// The bytes of a recording, and the place of the next one. At its end the core is idle.
    Recording(Arc<[u8]>, usize),
}

impl Program {
    /// Begins again.
    pub fn restart(&mut self) {
        match self {
            Program::Numbers(number) => *number = 0,
            Program::Recording(_, place) => *place = 0,
        }
    }

    /// What the trace unit sends in a tick.
    pub fn next(&mut self, config: &Config) -> Vec<u8> {
        match self {
            Program::Numbers(number) => {
                *number += 1;
                emit(&packet(*number - 1), config).as_slice().to_vec()
            }
            Program::Recording(bytes, place) => {
                let first = *place;
                *place = bytes.len().min(first + STEP);
                bytes[first..*place].to_vec()
            }
        }
    }
}

fn packet(number: u64) -> Packet {
    match number {
        _ if number.is_multiple_of(SYNC_PERIOD) => Packet::new(Kind::Async, 0x00),
        _ if number % SYNC_PERIOD == 1 => Packet::new(Kind::TraceInfo, 0x01),
        2 => Packet::new(Kind::TraceOn, 0x04),
        _ => {
            let mut packet = Packet::new(Kind::AddrLong64Is0, 0x9D);
            let address = number - 3;
            packet.lead[0] = (address & 0x7F) as u8;
            packet.lead[1] = (address >> 7 & 0x7F) as u8;
            packet.lead_len = 8;
            packet
        }
    }
}
