// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a traced core does: its trace is a sequence of numbered addresses.

use coretrace_etm::emit::{Bytes, emit};
use coretrace_etm::{Config, Kind, Packet};

/// Packet number `number` after the trace unit was enabled: A-Sync, Trace Info, Trace On, and then
/// addresses that count up.
pub fn packet(number: u64, config: &Config) -> Bytes {
    let packet = match number {
        0 => Packet::new(Kind::Async, 0x00),
        1 => Packet::new(Kind::TraceInfo, 0x01),
        2 => Packet::new(Kind::TraceOn, 0x04),
        _ => {
            let mut packet = Packet::new(Kind::AddrLong64Is0, 0x9D);
            let address = number - 3;
            packet.lead[0] = (address & 0x7F) as u8;
            packet.lead[1] = (address >> 7 & 0x7F) as u8;
            packet.lead_len = 8;
            packet
        }
    };
    emit(&packet, config)
}
