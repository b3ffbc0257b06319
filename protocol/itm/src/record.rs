// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder reports for every packet: the packet and the trace state after it.

use crate::{Kind, Packet, State};

/// A packet, an error, or bytes that were not read. Every byte of a stream belongs to exactly one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Offset of the first byte in the stream of this trace ID.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// What it is.
    pub kind: Kind,
    /// The packet; of an error or of a packet that was cut off, the part that was read.
    pub packet: Packet,
    /// The last byte; 0 if they were not read.
    pub last: u8,
    /// Under the lenient policy: an error came before, since the last sync.
    pub suspect: bool,
    /// The state after it.
    pub state: State,
}

impl Record {
    /// Its bytes; none if they were not read.
    pub fn raw(&self) -> impl Iterator<Item = u8> {
        let is_sync = self.packet.kind == Kind::Sync || self.kind == Kind::Sync;
        let Record {
            len, packet, last, ..
        } = *self;
        let len = if self.kind == Kind::NotSync { 0 } else { len };
        (0..len).map(move |place| match place {
            _ if place + 1 == len => last,
            0 => packet.header,
            _ if is_sync => 0,
            _ => packet.payload[(place as usize - 1).min(packet.payload.len() - 1)],
        })
    }
}
