// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bytes behind a header, at most eight, and what they mean.
//!
//! A packet of random length and kind would be a branch that no processor predicts. So all kinds are
//! read in the same way, and masks choose what is in a packet: what it does not have is 0.

use coretrace_etm::address::address_form;
use coretrace_etm::packet::{COUNT_FIELD_MASK, cycle_count, elements, timestamp_count};
use coretrace_etm::{AddressForm, Config, Lead, Part, layout};

/// Where some bytes at the start of a word end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extent {
    /// Bit 8n: there are n bytes at most. None for eight.
    most: u64,
    /// Bit 8n: there are n bytes if bit 7 of the last one is 0.
    may: u64,
    /// Bit 7 of the last byte, if it is not one that ends there.
    open: u64,
}

impl Extent {
    /// That of the bytes between a header and its tail; of the first continuation field if there are
    /// none.
    pub fn of(header: u8, config: &Config) -> Extent {
        let row = layout(header, config);
        match (address_form(header), row.lead) {
            (Some((AddressForm::Match(_), _)), _) => Extent::fixed(0),
            (None, Lead::None) if row.tail.contains(Part::Info) => Extent::fixed(0),
            (None, Lead::None) => Extent::closed(5),
            (_, Lead::Short | Lead::Exception) => Extent::continued(2),
            (_, lead) => Extent::fixed(lead.max_bytes().into()),
        }
    }

    const fn fixed(len: u32) -> Extent {
        Extent {
            most: if len < 8 { 1 << (8 * len) } else { 0 },
            may: 0,
            open: 0,
        }
    }

    /// At most so many bytes; bit 7 says that another one follows.
    const fn continued(most: u32) -> Extent {
        let last: u64 = 1 << (8 * (most - 1));
        Extent {
            may: 0x0101_0101_0101_0100 & (last << 1).wrapping_sub(1),
            ..Extent::fixed(most)
        }
    }

    /// As [`Extent::continued`], and bit 7 of the last byte is 0 too.
    const fn closed(most: u32) -> Extent {
        Extent {
            open: 0x80 << (8 * (most - 1)),
            ..Extent::continued(most)
        }
    }

    /// The bytes alone, and how many they are. `None` if there are more than it can say.
    #[inline(always)]
    pub fn split(&self, word: u64) -> Split {
        let ends = self.most | !word << 1 & self.may;
        let mask = (ends & ends.wrapping_neg()).wrapping_sub(1);
        Split {
            len: ends.trailing_zeros() / 8,
            mask,
            bytes: word & mask,
        }
    }

    /// `None` if another byte follows that it cannot have.
    #[inline(always)]
    pub fn split_closed(&self, word: u64) -> Option<Split> {
        let split = self.split(word);
        (split.bytes & self.open == 0).then_some(split)
    }
}

/// Some bytes at the start of a word.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// How many they are.
    len: u32,
    /// Where they are.
    mask: u64,
    /// The word without other bytes.
    pub bytes: u64,
}

impl Split {
    /// How many bytes they are.
    #[inline(always)]
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// The low seven bits of all bytes, joined.
    #[inline(always)]
    fn joined(self) -> u32 {
        joined(self.bytes) as u32
    }
}

/// A continuation field: its value and length. `None` if it has more than five bytes.
#[inline(always)]
pub fn field(word: u64) -> Option<(u32, usize)> {
    const FIELD: Extent = Extent::closed(5);
    let split = FIELD.split_closed(word)?;
    Some((joined(split.bytes) as u32, split.len as usize))
}

/// A timestamp behind another one, and the number of its bytes. `None` if it has nine.
#[inline(always)]
pub fn timestamp(word: u64, before: u64) -> Option<(u64, usize)> {
    const TIMESTAMP: Extent = Extent::closed(8);
    let split = TIMESTAMP.split_closed(word)?;
    let received = (1 << (7 * split.len)) - 1;
    Some((before & !received | joined(split.bytes), split.len as usize))
}

/// Joins the low seven bits of all bytes.
#[inline(always)]
fn joined(bytes: u64) -> u64 {
    let by_2 = bytes & 0x007F_007F_007F_007F | (bytes & 0x7F00_7F00_7F00_7F00) >> 1;
    let by_4 = by_2 & 0x0000_FFFF_0000_FFFF | (by_2 & 0xFFFF_0000_FFFF_0000) >> 2;
    by_4 & 0xFFFF_FFFF | (by_4 & 0xFFFF_FFFF_0000_0000) >> 4
}

/// How the address behind a header is read.
#[derive(Clone, Copy, Debug, Default)]
pub struct AddressMasks {
    /// All bits, if there is an address.
    all: u64,
    /// Its second byte, and those behind it.
    second: u64,
    others: u64,
    /// The upper half, if it is not in the packet.
    upper: u64,
    shift: u8,
    /// The instruction set bit.
    is1: u8,
    /// Bits besides eight of each byte: one of a short address of IS0.
    extra: u8,
}

impl AddressMasks {
    /// That of a header.
    pub fn of(header: u8) -> AddressMasks {
        let (form, is1) = address_form(header).unwrap_or((AddressForm::Zero, false));
        if matches!(form, AddressForm::Match(_) | AddressForm::Zero) {
            return AddressMasks::default();
        }
        let is_short = form == AddressForm::Short;
        AddressMasks {
            all: !0,
            second: if is_short || is1 { 0xFF00 } else { 0x7F00 },
            others: if is_short { 0 } else { !0xFFFF },
            upper: if form == AddressForm::Long32 {
                !0 << 32
            } else {
                0
            },
            shift: if is1 { 1 } else { 2 },
            is1: is1.into(),
            extra: (is_short && !is1).into(),
        }
    }

    /// The address in these bytes, from the one that it builds on, as
    /// [`with_is1`](coretrace_etm::Address::with_is1). `cleared`: bits that are 0 in an address of 32
    /// bits.
    #[inline(always)]
    pub fn resolve(&self, lead: Split, base: u64, cleared: u64) -> u64 {
        let Split { bytes, mask, .. } = lead;
        let low = bytes & 0x7F | (bytes & self.second) >> 1;
        let given = low << self.shift | bytes & self.others | u64::from(self.is1);
        let in_packet =
            (mask << self.extra | u64::from(self.extra) | cleared & self.upper) & self.all;
        base ^ (base ^ given) & in_packet
    }
}

/// How the bytes or the continuation field behind a header are read.
#[derive(Clone, Copy, Debug, Default)]
pub struct FieldMasks {
    /// Those of the continuation fields, and of the P0 elements and cycles in them.
    fields: [u32; 2],
    elements: u32,
    cycles: u32,
    /// The cycles in a field behind it.
    tail_cycles: u32,
    /// Of the upper half of a byte: a number of P0 elements.
    upper_elements: u8,
    /// The bytes that a record reports, and the exception number in them.
    lead: u16,
    exception: u16,
}

impl FieldMasks {
    /// That of a header.
    pub fn of(header: u8, config: &Config) -> FieldMasks {
        let row = layout(header, config);
        let has = |part| row.lead == Lead::None && row.tail.contains(part);
        let is_first = has(Part::Field0);
        let is_second = !is_first && has(Part::Field1);
        let counts = |lead, field| cycle_count(row.kind, header, lead, field, 0).unwrap_or(0);
        let elements = |lead, field| elements(row.kind, header, lead, field, config);
        let field_cycles = mask(counts(0, 1) != counts(0, 0)) & COUNT_FIELD_MASK;
        FieldMasks {
            fields: [mask(is_first), mask(is_second)],
            elements: mask(elements(0, 1) != elements(0, 0)),
            cycles: match row.lead {
                Lead::None => field_cycles & mask(is_second),
                _ => mask(counts(1, 0) != counts(0, 0)) & 0xF,
            },
            tail_cycles: timestamp_count(header, !0, config).unwrap_or(field_cycles),
            upper_elements: mask(elements(0x10, 0) != elements(0, 0)) as u8 & 0xF,
            lead: mask(row.lead != Lead::None) as u16,
            exception: mask(row.lead == Lead::Exception) as u16 & 0x3FF,
        }
    }

    /// The exception number.
    #[inline(always)]
    pub fn exception(&self, lead: Split) -> u16 {
        let bytes = lead.bytes as u16;
        (bytes >> 1 & 0x1F | (bytes >> 8 & 0x1F) << 5) & self.exception
    }

    /// The first two continuation fields.
    #[inline(always)]
    pub fn fields(&self, lead: Split) -> [u32; 2] {
        self.fields.map(|mask| lead.joined() & mask)
    }

    /// P0 elements that are committed or cancelled.
    #[inline(always)]
    pub fn elements(&self, lead: Split) -> u32 {
        let upper = lead.bytes as u8 >> 4 & self.upper_elements;
        (lead.joined() & self.elements).wrapping_add(upper.into())
    }

    /// Cycles.
    #[inline(always)]
    pub fn cycles(&self, lead: Split) -> u32 {
        lead.joined() & self.cycles
    }

    /// Cycles in a field behind it.
    #[inline(always)]
    pub fn tail_cycles(&self, field: u32) -> u32 {
        field & self.tail_cycles
    }

    /// The bytes that a record reports.
    #[inline(always)]
    pub fn lead(&self, lead: Split) -> [u8; 9] {
        let [first, second] = (lead.bytes as u16 & self.lead).to_le_bytes();
        [first, second, 0, 0, 0, 0, 0, 0, 0]
    }
}

/// All bits of a field that is there.
const fn mask(is_there: bool) -> u32 {
    if is_there { !0 } else { 0 }
}
