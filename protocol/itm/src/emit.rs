// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets to bytes: the inverse of the parser.

use crate::{Kind, Packet, SYNC_END, SYNC_ZEROS};

/// Gives out the bytes of a packet. A sync has five zero bytes.
pub fn emit(packet: &Packet, mut out: impl FnMut(u8)) {
    if packet.kind == Kind::Sync {
        (0..SYNC_ZEROS).for_each(|_| out(0));
        return out(SYNC_END);
    }
    out(packet.header);
    packet.bytes().iter().for_each(|&byte| out(byte));
}
