// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets whose bytes are all there: what [`Parser`](crate::Parser) does byte by byte, in one step.

use crate::config::Config;
use crate::header::{Lead, Part, Parts, keeps_lead_bytes, layout};
use crate::packet::{Packet, ete_exception_kind};

/// Bytes of a continuation field that have a meaning.
const FIELD_BYTES: usize = 5;

/// The packet at the start of some bytes, or the error that a header is, and its length. `None` if
/// bytes are missing, behind header 0x00, and for continuation fields of more than five bytes: the
/// parser reads these.
#[inline]
pub fn whole(bytes: &[u8], config: &Config) -> Option<(Packet, usize)> {
    let (&header, behind) = bytes.split_first()?;
    let row = layout(header, config);
    let mut packet = Packet::new(row.kind, header);
    if !config.allows(row.gate) {
        packet.kind = row.closed_kind();
        return Some((packet, 1));
    }
    packet.tail = row.tail;
    let len = lead_len(row.lead, behind, &mut packet, config)?;
    let (lead, mut rest) = behind.split_at_checked(len)?;
    if keeps_lead_bytes(row.lead) {
        let byte = |place| if place < len { lead[place] } else { 0 };
        packet.lead = core::array::from_fn(byte);
        packet.lead_len = len as u8;
    }
    let mut todo = packet.tail;
    while let Some(part) = todo.take_first() {
        match part {
            Part::Info => {
                packet.info = *rest.split_off_first()?;
                todo = Parts::of_info(packet.info, config);
                packet.tail.0 |= todo.0;
            }
            Part::Vmid => packet.vmid = number(rest.split_off(..config.vmid_bytes.into())?),
            Part::Cid => packet.cid = number(rest.split_off(..config.cid_bytes.into())?),
            _ => {
                let field = part.field_index()?;
                packet.fields[field] = continuation(&mut rest)?;
            }
        }
    }
    Some((packet, bytes.len() - rest.len()))
}

/// The number of lead bytes. Of an exception and a Trace Info, the first one says more.
#[inline]
fn lead_len(lead: Lead, bytes: &[u8], packet: &mut Packet, config: &Config) -> Option<usize> {
    let continues = |byte: &&u8| **byte & 0x80 != 0;
    let most = usize::from(lead.max_bytes());
    match lead {
        Lead::Extension => None,
        Lead::Short | Lead::Timestamp => {
            let more = bytes.iter().take(most - 1).take_while(continues);
            Some(more.count() + 1)
        }
        Lead::Plctl => {
            packet.tail = Parts::of_plctl(*bytes.first()?);
            Some(bytes.iter().take_while(continues).count() + 1)
        }
        Lead::Exception => {
            let first = bytes.first()?;
            let special = ete_exception_kind(*first).filter(|_| config.is_ete());
            packet.kind = special.unwrap_or(packet.kind);
            Some(1 + usize::from(continues(&first) || special.is_some()))
        }
        _ => Some(most),
    }
}

/// A little-endian number of at most four bytes.
fn number(bytes: &[u8]) -> u32 {
    let more = |number, byte: &u8| number << 8 | u32::from(*byte);
    bytes.iter().rev().fold(0, more)
}

/// Takes a continuation field: 7 bits a byte, bit 7 says that another byte follows. `None` if it has
/// more than five bytes, or not all of it is there.
#[inline]
pub fn continuation(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0;
    for place in 0..FIELD_BYTES {
        let byte = *bytes.split_off_first()?;
        value |= u32::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
