// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets to bytes: the inverse of [`crate::parser::parse`].

use crate::config::Config;
use crate::header::{Lead, Part, layout};
use crate::kind::Kind;
use crate::packet::Packet;

/// The most bytes that [`emit`] writes: Trace Info with five fields of five bytes.
pub const MAX_PACKET_BYTES: usize = 32;

/// The bytes of one packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    buffer: [u8; MAX_PACKET_BYTES],
    len: usize,
}

impl Bytes {
    const fn new() -> Bytes {
        Bytes {
            buffer: [0; MAX_PACKET_BYTES],
            len: 0,
        }
    }

    /// The bytes written.
    pub fn as_slice(&self) -> &[u8] {
        &self.buffer[..self.len]
    }

    fn push(&mut self, byte: u8) {
        if let Some(slot) = self.buffer.get_mut(self.len) {
            *slot = byte;
            self.len += 1;
        }
    }

    fn continuation(&mut self, mut value: u32) {
        while value >= 0x80 {
            self.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.push(value as u8);
    }
}

/// Writes a packet in its shortest form. Lead bytes are written unchanged, which preserves the
/// length of a timestamp or a short address.
pub fn emit(packet: &Packet, config: &Config) -> Bytes {
    let mut out = Bytes::new();
    out.push(packet.header);
    match packet.kind {
        Kind::Async => {
            (0..10).for_each(|_| out.push(0));
            out.push(0x80);
            return out;
        }
        Kind::Reserved | Kind::ReservedCfg => return out,
        _ => {}
    }
    let lead = layout(packet.header, config).lead;
    if lead == Lead::Plctl {
        out.push(packet.tail.plctl());
    }
    packet
        .lead
        .iter()
        .take(usize::from(packet.lead_len))
        .for_each(|&byte| out.push(byte));
    for part in Part::ALL
        .into_iter()
        .filter(|&part| packet.tail.contains(part))
    {
        match part {
            Part::Info => out.push(packet.info),
            Part::Vmid => {
                let bytes = packet.vmid.to_le_bytes();
                bytes
                    .iter()
                    .take(usize::from(config.vmid_bytes))
                    .for_each(|&byte| out.push(byte));
            }
            Part::Cid => {
                let bytes = packet.cid.to_le_bytes();
                bytes
                    .iter()
                    .take(usize::from(config.cid_bytes))
                    .for_each(|&byte| out.push(byte));
            }
            _ => out.continuation(part.field_index().map_or(0, |index| packet.fields[index])),
        }
    }
    out
}
