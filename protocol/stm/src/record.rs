// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder reports for every packet: the packet and the trace state after it.

use crate::{Kind, Packet, RawNibbles, State};

/// A packet, an error, or nibbles that were not read. Every nibble of a stream belongs to exactly one
/// record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Offset of the first nibble in the stream of this trace ID.
    pub offset: u64,
    /// Nibbles.
    pub len: u64,
    /// What it is.
    pub kind: Kind,
    /// The packet; of an error the part that was read.
    pub packet: Packet,
    /// Of an error or a packet that was cut off: its kind, if its opcode is complete.
    pub cut: Option<Kind>,
    /// Under the lenient policy: an error came before, since the last ASYNC.
    pub suspect: bool,
    /// The state after it.
    pub state: State,
    /// Its nibbles; none if they were not read.
    pub raw: RawNibbles,
}

impl Record {
    /// The name that OpenCSD's packet lister prints.
    pub const fn name(&self) -> &'static str {
        match self.kind {
            Kind::Async | Kind::Reserved | Kind::BadSequence | Kind::NotSync | Kind::Incomplete => {
                self.kind.name()
            }
            _ => self.packet.opcode.name,
        }
    }

    /// Whether it is a packet with a timestamp.
    pub fn is_stamped(&self) -> bool {
        self.kind == self.packet.opcode.kind && self.packet.opcode.is_stamped
    }
}
