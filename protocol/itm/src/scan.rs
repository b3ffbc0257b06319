// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole packets from memory, all bytes at once: what the parser gives, faster.

use crate::packet::PAYLOAD_BYTES;
use crate::{Kind, Packet, Payload, Rule, header};

/// Bit 7 of each byte behind the first: without it, a continued payload ends.
const CONTINUES: u64 = 0x8080_8080_8080_8000;

/// The packet that bytes begin with. None of a sync and of what is no packet, and of fewer than 8 bytes.
#[inline(always)]
pub fn scan(bytes: &[u8], rule: Rule) -> Option<Packet> {
    let eight = u64::from_le_bytes(*bytes.first_chunk()?);
    let byte = eight as u8;
    let row = header(byte, rule);
    let len = match row.payload {
        Payload::None if row.kind != Kind::Reserved => 0,
        Payload::Fixed(len) => len,
        Payload::Continued(most) => {
            let end = (!eight & CONTINUES).trailing_zeros() as u8 / 8;
            (end <= most).then_some(end)?
        }
        Payload::None | Payload::Sync => return None,
    };
    let kept = (eight >> 8) & ((1 << (8 * u32::from(len))) - 1);
    let mut payload = [0; PAYLOAD_BYTES];
    payload.copy_from_slice(&kept.to_le_bytes()[..PAYLOAD_BYTES]);
    Some(Packet {
        kind: row.kind,
        header: byte,
        payload,
        len,
    })
}
