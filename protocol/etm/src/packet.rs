// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet as encoded in the stream: header, lead bytes and tail parts, not resolved against trace
//! state.

use crate::address::{AddressForm, address_form};
use crate::atom::{Atoms, atoms, cancel_count};
use crate::config::Config;
use crate::header::{Part, Parts};
use crate::kind::Kind;

/// Number of continuation fields that a packet can have.
pub const NUM_FIELDS: usize = 5;

/// One packet. Values that the packet does not carry are 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// What it is.
    pub kind: Kind,
    /// The header byte.
    pub header: u8,
    /// The lead bytes as read, `lead_len` of them. Trace Info's PLCTL is not kept: `tail` has it.
    pub lead: [u8; 9],
    /// Lead bytes read, 0 to 9.
    pub lead_len: u8,
    /// The tail parts that the packet has.
    pub tail: Parts,
    /// The context information byte.
    pub info: u8,
    /// VMID.
    pub vmid: u32,
    /// Context ID.
    pub cid: u32,
    /// Continuation fields, 7 bits a byte. Bits above 31 are dropped.
    pub fields: [u32; NUM_FIELDS],
}

impl Packet {
    /// A packet of a header alone.
    pub const fn new(kind: Kind, header: u8) -> Packet {
        Packet {
            kind,
            header,
            lead: [0; 9],
            lead_len: 0,
            tail: Parts::NONE,
            info: 0,
            vmid: 0,
            cid: 0,
            fields: [0; NUM_FIELDS],
        }
    }

    /// The atoms in the header.
    pub const fn atoms(&self) -> Atoms {
        atoms(self.header)
    }

    /// How the packet names an address, and the IS bit.
    pub const fn address_form(&self) -> Option<(AddressForm, bool)> {
        match self.kind {
            Kind::PeReset | Kind::TransactionFail => Some((AddressForm::Zero, false)),
            _ => address_form(self.header),
        }
    }

    /// The received low bits of the timestamp and their number: 7 per byte, 64 for nine bytes.
    pub const fn timestamp(&self) -> (u64, u32) {
        timestamp_bits(&self.lead, self.lead_len)
    }

    /// A continuation field, if the packet has it.
    pub const fn field(&self, part: Part) -> Option<u32> {
        match part.field_index() {
            Some(index) if self.tail.contains(part) => Some(self.fields[index]),
            _ => None,
        }
    }
}

/// Joins the 7-bit groups of a timestamp; see [`Packet::timestamp`].
pub const fn timestamp_bits(lead: &[u8; 9], lead_len: u8) -> (u64, u32) {
    let mut value = 0;
    let mut byte = 0;
    while byte < lead_len as usize && byte < 8 {
        value |= (lead[byte] as u64 & 0x7F) << (7 * byte);
        byte += 1;
    }
    if lead_len >= 9 {
        (value | (lead[8] as u64) << 56, 64)
    } else {
        (value, 7 * lead_len as u32)
    }
}

/// An exception packet's information bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExceptionInfo {
    /// TYPE, 10 bits.
    pub number: u16,
    /// {E1, E0}: 1 the preferred return address follows; 2 it is also the target of the preceding
    /// branch.
    pub interpretation: u8,
    /// M profile: a serious fault is pending.
    pub fault_pending: bool,
}

/// Splits the information bytes into fields. A second byte that the packet does not have must be 0.
pub const fn exception_info(lead: &[u8; 9]) -> ExceptionInfo {
    let (first, second) = (lead[0], lead[1]);
    let upper = if first & 0x80 == 0 {
        0
    } else {
        (second & 0x1F) as u16
    };
    ExceptionInfo {
        number: (first >> 1 & 0x1F) as u16 | upper << 5,
        interpretation: (first & 1) | (first >> 5 & 2),
        fault_pending: first & 0x80 != 0 && second & 0x20 != 0,
    }
}

/// The kind of an exception of this number in an ETE: numbers 0 and 24 are separate packets, always
/// with two lead bytes and never followed by an address.
pub const fn ete_exception_kind(first: u8) -> Option<Kind> {
    match first >> 1 & 0x1F {
        0 => Some(Kind::PeReset),
        24 => Some(Kind::TransactionFail),
        _ => None,
    }
}

/// Bits of a cycle count that count packets can carry: three bytes of 7.
pub const COUNT_FIELD_MASK: u32 = (1 << 21) - 1;

/// The cycle count of a Cycle Count packet, threshold added; 0 if it is unknown. `None` for other
/// packets.
pub const fn cycle_count(
    kind: Kind,
    header: u8,
    lead0: u8,
    field1: u32,
    threshold: u32,
) -> Option<u32> {
    match kind {
        Kind::CycleCountF1 if header & 1 == 1 => Some(0),
        Kind::CycleCountF1 => Some((field1 & COUNT_FIELD_MASK).wrapping_add(threshold)),
        Kind::CycleCountF2 => Some(threshold.wrapping_add((lead0 & 0xF) as u32)),
        Kind::CycleCountF3 => Some(threshold.wrapping_add((header & 3) as u32)),
        _ => None,
    }
}

/// The cycles between the last cycle count and a timestamp: the COUNT field of header 0x03.
pub const fn timestamp_count(header: u8, field1: u32, config: &Config) -> Option<u32> {
    if header == 0x03 {
        let mask = (1 << config.count_bits) - 1;
        Some(field1 & COUNT_FIELD_MASK & mask)
    } else {
        None
    }
}

/// The number of P0 elements that a packet commits; `None` where it has no commit meaning.
pub const fn commit(
    kind: Kind,
    header: u8,
    lead0: u8,
    field0: u32,
    config: &Config,
) -> Option<u32> {
    match kind {
        Kind::Commit => Some(field0),
        _ if config.commopt => None,
        Kind::CycleCountF1 => Some(field0),
        Kind::CycleCountF2 => {
            let a = (lead0 >> 4) as u32;
            if header & 1 == 1 {
                Some(config.max_spec.wrapping_add(a).wrapping_sub(15))
            } else {
                Some(a + 1)
            }
        }
        Kind::CycleCountF3 => Some((header >> 2 & 3) as u32 + 1),
        _ => None,
    }
}

/// The number of P0 elements that a packet commits or cancels, 0 for other packets.
pub const fn elements(kind: Kind, header: u8, lead0: u8, field0: u32, config: &Config) -> u32 {
    match (
        commit(kind, header, lead0, field0, config),
        cancel(kind, header, field0),
    ) {
        (Some(elements), _) | (None, Some(elements)) => elements,
        (None, None) => 0,
    }
}

/// The number of P0 elements that a packet cancels.
pub const fn cancel(kind: Kind, header: u8, field0: u32) -> Option<u32> {
    match kind {
        Kind::CancelF1 | Kind::CancelF1Mispredict => Some(field0),
        Kind::CancelF2 | Kind::CancelF3 => Some(cancel_count(header)),
        _ => None,
    }
}
