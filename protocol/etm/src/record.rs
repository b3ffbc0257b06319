// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder reports for every packet: the packet and the trace state after it.
//!
//! The model and the hardware report the same records. Every byte of a stream belongs to exactly
//! one record, so the lengths add up to the number of input bytes: no loss goes unnoticed.

use crate::address::Address;
use crate::atom::Atoms;
use crate::kind::Kind;

/// Continuation fields that a record keeps. The fifth, Trace Info WNDW, has no meaning.
pub const RECORD_FIELDS: usize = 4;

/// The execution context after a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Context {
    /// The context information byte last read; 0 after Trace Info.
    pub info: u8,
    /// VMID last read; 0 after Trace Info.
    pub vmid: u32,
    /// Context ID last read; 0 after Trace Info.
    pub cid: u32,
}

impl Context {
    /// Exception level, 0 to 3.
    pub const fn el(&self) -> u8 {
        self.info & 3
    }

    /// AArch64 state.
    pub const fn sf(&self) -> bool {
        self.info & 0x10 != 0
    }

    /// Non-secure state.
    pub const fn ns(&self) -> bool {
        self.info & 0x20 != 0
    }

    /// ETE with FEAT_RME: Root (with NS = 0) or Realm (with NS = 1).
    pub const fn nse(&self) -> bool {
        self.info & 0x08 != 0
    }

    /// The information byte announced a VMID.
    pub const fn announces_vmid(&self) -> bool {
        self.info & 0x40 != 0
    }

    /// The information byte announced a context ID.
    pub const fn announces_cid(&self) -> bool {
        self.info & 0x80 != 0
    }
}

/// One packet, error or stretch of unread bytes. Unread bytes have a place and a kind only; a
/// packet cut off by the end of the trace also has a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Offset of the first byte in the stream of this trace ID.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// What it is.
    pub kind: Kind,
    /// The header byte; 0 for [`Kind::NotSync`].
    pub header: u8,
    /// Under the lenient policy: an error came before, since the last A-Sync.
    pub suspect: bool,
    /// The atoms in the header: of Atom packets, Mispredict, Cancel formats 2 and 3, and Unnumbered
    /// Data Synchronization Markers.
    pub atoms: Atoms,
    /// The exception number, of [`Kind::Exception`].
    pub exception: u16,
    /// Lead bytes of this packet: exception information, cycle count byte, conditional result,
    /// instrumentation value. For 0x00 headers the extension byte. See
    /// [`reports_lead_bytes`](crate::header::reports_lead_bytes).
    pub lead: [u8; 9],
    /// Continuation fields of this packet.
    pub fields: [u32; RECORD_FIELDS],
    /// Cycle count with the threshold added (0: unknown), or a timestamp's COUNT; else 0.
    pub count: u32,
    /// The number of P0 elements that the packet commits or cancels; else 0.
    pub elements: u32,
    /// The newest address register after this packet.
    pub address: Address,
    /// The timestamp after this packet.
    pub timestamp: u64,
    /// The context after this packet.
    pub context: Context,
}

impl Record {
    /// A record of this kind with every value 0.
    pub const fn blank(kind: Kind) -> Record {
        Record {
            offset: 0,
            len: 0,
            kind,
            header: 0,
            suspect: false,
            atoms: Atoms { count: 0, bits: 0 },
            exception: 0,
            lead: [0; 9],
            fields: [0; RECORD_FIELDS],
            count: 0,
            elements: 0,
            address: Address {
                value: 0,
                is1: false,
            },
            timestamp: 0,
            context: Context {
                info: 0,
                vmid: 0,
                cid: 0,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_bit_of_the_information_byte_is_one_property() {
        for info in 0..=u8::MAX {
            let context = Context {
                info,
                ..Context::default()
            };
            let flags = [
                context.nse(),
                context.sf(),
                context.ns(),
                context.announces_vmid(),
                context.announces_cid(),
            ];
            let bits = (3..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit);
            // Bit 2 is reserved.
            assert_eq!(context.el() | bits.sum::<u8>(), info & !4, "{info:#04x}");
        }
    }
}
