// SPDX-License-Identifier: MIT OR Apache-2.0
//! The header table: what follows each of the 256 header bytes.
//!
//! Every packet is a header, at most one *lead* (the bytes that belong to this packet kind alone)
//! and a *tail*: a set of parts in a fixed order. The tail is the look-ahead of a byte-wise
//! decoder: the next part is the lowest bit that is still set.
//!
//! Source: Arm IHI 0064, instruction trace protocol; ETE chapter of Arm DDI 0487.

use crate::config::{Config, Gate};
use crate::kind::Kind;

/// Zero bytes of an A-Sync, its header among them.
pub const ASYNC_ZEROS: usize = 11;
/// The last byte of an A-Sync.
pub const ASYNC_END: u8 = 0x80;
/// Bytes of an A-Sync.
pub const ASYNC_BYTES: usize = ASYNC_ZEROS + 1;
/// The byte after header 0x00 of a Discard.
pub const DISCARD: u8 = 0x03;
/// The byte after header 0x00 of an Overflow.
pub const OVERFLOW: u8 = 0x05;
/// The header of a Trace Info.
pub const TRACE_INFO: u8 = 0x01;
/// The header of a Timestamp without a count.
pub const TIMESTAMP: u8 = 0x02;
/// The header of an Exception.
pub const EXCEPTION: u8 = 0x06;

/// The bytes right after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Lead {
    /// None: the packet ends here or goes on with its tail.
    None,
    /// Header 0x00: one byte that names the extension; 0x00 there starts an A-Sync.
    Extension,
    /// Trace Info: continuation bytes, the first one selects the tail.
    Plctl,
    /// Timestamp: at most 9 continuation bytes, the ninth carries 8 bits.
    Timestamp,
    /// Short address: 1 byte, and another one if bit 7 of it is set.
    Short,
    /// Long address of 4 bytes.
    Long32,
    /// Long address of 8 bytes.
    Long64,
    /// One byte.
    Byte,
    /// Exception: 1 byte, and another one if bit 7 of it is set.
    Exception,
    /// ETE Instrumentation: exception level, then 8 bytes of value.
    Instrumentation,
}

impl Lead {
    /// The most bytes that a lead has in a legal packet.
    pub const fn max_bytes(self) -> u8 {
        match self {
            Lead::None => 0,
            Lead::Extension | Lead::Byte => 1,
            Lead::Short | Lead::Exception => 2,
            Lead::Long32 => 4,
            Lead::Plctl => 5,
            Lead::Long64 => 8,
            Lead::Timestamp | Lead::Instrumentation => 9,
        }
    }
}

/// Whether a packet keeps its lead bytes. PLCTL is not kept: the tail has the same information.
pub const fn keeps_lead_bytes(lead: Lead) -> bool {
    !matches!(lead, Lead::None | Lead::Plctl)
}

/// Whether a record reports a packet's lead bytes. For an address or a timestamp it does not: it
/// reports the value.
pub const fn reports_lead_bytes(lead: Lead) -> bool {
    matches!(
        lead,
        Lead::Extension | Lead::Byte | Lead::Exception | Lead::Instrumentation
    )
}

/// A part of the tail. The discriminant is its bit number in [`Parts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Part {
    /// Context information byte; it selects the next two.
    Info,
    /// VMID, VMIDSIZE bytes.
    Vmid,
    /// Context ID, CIDSIZE bytes.
    Cid,
    /// Continuation field 0: COMMIT, CANCEL, conditional KEY or result, Trace Info INFO.
    Field0,
    /// Continuation field 1: COUNT, second conditional result, Trace Info KEY.
    Field1,
    /// Continuation field 2: Trace Info SPEC.
    Field2,
    /// Continuation field 3: Trace Info CYCT.
    Field3,
    /// Continuation field 4: Trace Info WNDW.
    Field4,
}

impl Part {
    /// Number of different parts, the width of [`Parts`].
    pub const COUNT: usize = 8;
    /// Every part, in stream order.
    pub const ALL: [Part; Part::COUNT] = [
        Part::Info,
        Part::Vmid,
        Part::Cid,
        Part::Field0,
        Part::Field1,
        Part::Field2,
        Part::Field3,
        Part::Field4,
    ];

    /// The continuation field's number, if it is one.
    pub const fn field_index(self) -> Option<usize> {
        (self as usize).checked_sub(Part::Field0 as usize)
    }
}

/// A set of tail parts, one bit a [`Part`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Parts(pub u8);

impl Parts {
    /// The empty set.
    pub const NONE: Parts = Parts(0);

    /// The set of one part.
    pub const fn of(part: Part) -> Parts {
        Parts(1 << part as u8)
    }

    /// The set with another part.
    pub const fn with(self, part: Part) -> Parts {
        Parts(self.0 | 1 << part as u8)
    }

    /// Whether a part is in the set.
    pub const fn contains(self, part: Part) -> bool {
        self.0 & (1 << part as u8) != 0
    }

    /// The Trace Info sections that a PLCTL byte selects.
    pub const fn of_plctl(plctl: u8) -> Parts {
        Parts((plctl & 0x1F) << Part::Field0 as u8)
    }

    /// The PLCTL byte that selects these Trace Info sections.
    pub const fn plctl(self) -> u8 {
        self.0 >> Part::Field0 as u8
    }

    /// The parts that a context information byte announces.
    pub const fn of_info(info: u8, config: &Config) -> Parts {
        let mut parts = Parts::NONE;
        if info & 0x40 != 0 && config.vmid_bytes != 0 {
            parts = parts.with(Part::Vmid);
        }
        if info & 0x80 != 0 && config.cid_bytes != 0 {
            parts = parts.with(Part::Cid);
        }
        parts
    }

    /// Removes the part that comes first in the stream.
    pub fn take_first(&mut self) -> Option<Part> {
        let part = *Part::ALL.get(self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(part)
    }
}

/// One row of the header table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The packet kind (the lead distinguishes extension packets and two ETE exceptions).
    pub kind: Kind,
    /// When the header is legal.
    pub gate: Gate,
    /// What follows the header.
    pub lead: Lead,
    /// What follows the lead.
    pub tail: Parts,
}

impl Layout {
    /// The error kind of this header while its gate is closed. OpenCSD distinguishes "not in this
    /// configuration" from "reserved" for these three gates only.
    pub const fn closed_kind(&self) -> Kind {
        match self.gate {
            Gate::Conditional | Gate::DataSync | Gate::Etm4 => Kind::ReservedCfg,
            _ => Kind::Reserved,
        }
    }
}

const F0: Parts = Parts::of(Part::Field0);
const F1: Parts = Parts::of(Part::Field1);
const INFO: Parts = Parts::of(Part::Info);

const fn row(kind: Kind, gate: Gate, lead: Lead, tail: Parts) -> Layout {
    Layout {
        kind,
        gate,
        lead,
        tail,
    }
}

const fn plain(kind: Kind) -> Layout {
    row(kind, Gate::Always, Lead::None, Parts::NONE)
}

const fn gated(kind: Kind, gate: Gate) -> Layout {
    row(kind, gate, Lead::None, Parts::NONE)
}

const RESERVED: Layout = gated(Kind::Reserved, Gate::Never);

/// The row of one header. Cycle Count format 1 is listed with its COMMIT field; see [`layout`] for
/// TRCIDR0.COMMOPT.
const fn lookup(header: u8) -> Layout {
    use Gate::{Always, Conditional, DataSync, Ete, EteV13};
    use Lead::{Byte, Long32, Long64, Short};
    match header {
        0x00 => row(Kind::Async, Always, Lead::Extension, Parts::NONE),
        TRACE_INFO => row(Kind::TraceInfo, Always, Lead::Plctl, Parts::NONE),
        TIMESTAMP => row(Kind::Timestamp, Always, Lead::Timestamp, Parts::NONE),
        0x03 => row(Kind::Timestamp, Always, Lead::Timestamp, F1),
        0x04 => plain(Kind::TraceOn),
        0x05 => gated(Kind::FunctionReturn, Gate::FunctionReturn),
        EXCEPTION => row(Kind::Exception, Always, Lead::Exception, Parts::NONE),
        0x07 => gated(Kind::ExceptionReturn, Gate::Etm4),
        0x09 => row(
            Kind::Instrumentation,
            EteV13,
            Lead::Instrumentation,
            Parts::NONE,
        ),
        0x0A => gated(Kind::TransactionStart, Ete),
        0x0B => gated(Kind::TransactionCommit, Ete),
        0x0C | 0x0D => row(Kind::CycleCountF2, Always, Byte, Parts::NONE),
        0x0E => row(
            Kind::CycleCountF1,
            Always,
            Lead::None,
            F0.with(Part::Field1),
        ),
        0x0F => row(Kind::CycleCountF1, Always, Lead::None, F0),
        0x10..=0x1F => plain(Kind::CycleCountF3),
        0x20..=0x27 => gated(Kind::NumDataSync, DataSync),
        0x28..=0x2C => gated(Kind::UnnumDataSync, DataSync),
        0x2D => row(Kind::Commit, Always, Lead::None, F0),
        0x2E => row(Kind::CancelF1, Always, Lead::None, F0),
        0x2F => row(Kind::CancelF1Mispredict, Always, Lead::None, F0),
        0x30..=0x33 => plain(Kind::Mispredict),
        0x34..=0x37 => plain(Kind::CancelF2),
        0x38..=0x3F => plain(Kind::CancelF3),
        0x40..=0x42 => gated(Kind::CondInstrF2, Conditional),
        0x43 => gated(Kind::CondFlush, Conditional),
        0x44..=0x46 => gated(Kind::CondResultF4, Conditional),
        0x48..=0x4A | 0x4C..=0x4E => gated(Kind::CondResultF2, Conditional),
        0x50..=0x5F => row(Kind::CondResultF3, Conditional, Byte, Parts::NONE),
        0x68..=0x6B => row(
            Kind::CondResultF1,
            Conditional,
            Lead::None,
            F0.with(Part::Field1),
        ),
        0x6C => row(Kind::CondInstrF1, Conditional, Lead::None, F0),
        0x6D => row(Kind::CondInstrF3, Conditional, Byte, Parts::NONE),
        0x6E | 0x6F => row(Kind::CondResultF1, Conditional, Lead::None, F0),
        0x70 => gated(Kind::Ignore, Gate::Ignore),
        0x71..=0x7F => plain(Kind::Event),
        0x80 => plain(Kind::Context),
        0x81 => row(Kind::Context, Always, Lead::None, INFO),
        0x82 => row(Kind::AddrCtxt32Is0, Always, Long32, INFO),
        0x83 => row(Kind::AddrCtxt32Is1, Always, Long32, INFO),
        0x85 => row(Kind::AddrCtxt64Is0, Always, Long64, INFO),
        0x86 => row(Kind::AddrCtxt64Is1, Always, Long64, INFO),
        0x88 => gated(Kind::TimestampMarker, Gate::TimestampMarker),
        0x90..=0x92 => plain(Kind::AddrMatch),
        0x95 => row(Kind::AddrShortIs0, Always, Short, Parts::NONE),
        0x96 => row(Kind::AddrShortIs1, Always, Short, Parts::NONE),
        0x9A => row(Kind::AddrLong32Is0, Always, Long32, Parts::NONE),
        0x9B => row(Kind::AddrLong32Is1, Always, Long32, Parts::NONE),
        0x9D => row(Kind::AddrLong64Is0, Always, Long64, Parts::NONE),
        0x9E => row(Kind::AddrLong64Is1, Always, Long64, Parts::NONE),
        0xA0..=0xA2 | 0xAC => row(Kind::Q, Gate::Q, Lead::None, F1),
        0xA5 | 0xA6 => row(Kind::Q, Gate::Q, Short, F1),
        0xAA | 0xAB => row(Kind::Q, Gate::Q, Long32, F1),
        0xAF => gated(Kind::Q, Gate::Q),
        0xB0..=0xB2 => gated(Kind::SrcAddrMatch, Ete),
        0xB4 => row(Kind::SrcAddrShortIs0, Ete, Short, Parts::NONE),
        0xB5 => row(Kind::SrcAddrShortIs1, Ete, Short, Parts::NONE),
        0xB6 => row(Kind::SrcAddrLong32Is0, Ete, Long32, Parts::NONE),
        0xB7 => row(Kind::SrcAddrLong32Is1, Ete, Long32, Parts::NONE),
        0xB8 => row(Kind::SrcAddrLong64Is0, Ete, Long64, Parts::NONE),
        0xB9 => row(Kind::SrcAddrLong64Is1, Ete, Long64, Parts::NONE),
        0xC0..=0xD4 | 0xE0..=0xF4 => plain(Kind::AtomF6),
        0xD5..=0xD7 | 0xF5 => plain(Kind::AtomF5),
        0xD8..=0xDB => plain(Kind::AtomF2),
        0xDC..=0xDF => plain(Kind::AtomF4),
        0xF6 | 0xF7 => plain(Kind::AtomF1),
        0xF8..=0xFF => plain(Kind::AtomF3),
        // 0x08 is Resynchronization in later issues of the architecture; like after every reserved
        // header, the decoder must wait for the next A-Sync.
        _ => RESERVED,
    }
}

/// The header table for TRCIDR0.COMMOPT = 0.
pub const HEADERS: [Layout; 256] = {
    let mut table = [RESERVED; 256];
    let mut header = 0;
    while header < 256 {
        table[header] = lookup(header as u8);
        header += 1;
    }
    table
};

/// What COMMOPT = 1 removes from the tail of Cycle Count format 1: its COMMIT field.
pub const COMMOPT_DROPS: Parts = F0;

/// Whether a header's tail depends on COMMOPT.
pub const fn depends_on_commopt(header: u8) -> bool {
    matches!(header, 0x0E | 0x0F)
}

/// The row of a header under a configuration. The gate is not applied.
pub fn layout(header: u8, config: &Config) -> Layout {
    let mut layout = HEADERS[usize::from(header)];
    if config.commopt && depends_on_commopt(header) {
        layout.tail = Parts(layout.tail.0 & !COMMOPT_DROPS.0);
    }
    layout
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_147_single_byte_packets_of_etmv4() {
        let singles = HEADERS
            .iter()
            .filter(|row| row.lead == Lead::None && row.tail == Parts::NONE)
            .filter(|row| !matches!(row.gate, Gate::Never | Gate::Ete | Gate::EteV13))
            .count();
        // 148 in the specification, which counts Resynchronization.
        assert_eq!(singles, 147);
    }

    #[test]
    fn parts_come_out_in_stream_order() {
        let mut set = F1.with(Part::Info).with(Part::Field4);
        assert_eq!(set.take_first(), Some(Part::Info));
        assert_eq!(set.take_first(), Some(Part::Field1));
        assert_eq!(set.take_first(), Some(Part::Field4));
        assert_eq!(set.take_first(), None);
    }
}
