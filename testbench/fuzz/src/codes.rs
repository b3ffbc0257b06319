// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD's codes of packet types, `ocsd_etmv4_i_pkt_type`.

use coretrace_etm::Kind;

/// The code of header 0x00 before its second byte.
pub const EXTENSION: u32 = 0;

/// The codes of all kinds.
const CODES: [(u32, Kind); 67] = [
    (0xC0, Kind::AtomF6),
    (0xD5, Kind::AtomF5),
    (0xD8, Kind::AtomF2),
    (0xDC, Kind::AtomF4),
    (0xF6, Kind::AtomF1),
    (0xF8, Kind::AtomF3),
    (0x01, Kind::TraceInfo),
    (0x02, Kind::Timestamp),
    (0x04, Kind::TraceOn),
    (0x05, Kind::FunctionReturn),
    (0x06, Kind::Exception),
    (0x07, Kind::ExceptionReturn),
    (0x0A, Kind::TransactionStart),
    (0x0B, Kind::TransactionCommit),
    (0x0C, Kind::CycleCountF2),
    (0x0E, Kind::CycleCountF1),
    (0x10, Kind::CycleCountF3),
    (0x20, Kind::NumDataSync),
    (0x28, Kind::UnnumDataSync),
    (0x2D, Kind::Commit),
    (0x2E, Kind::CancelF1),
    (0x2F, Kind::CancelF1Mispredict),
    (0x30, Kind::Mispredict),
    (0x34, Kind::CancelF2),
    (0x38, Kind::CancelF3),
    (0x40, Kind::CondInstrF2),
    (0x43, Kind::CondFlush),
    (0x44, Kind::CondResultF4),
    (0x48, Kind::CondResultF2),
    (0x50, Kind::CondResultF3),
    (0x68, Kind::CondResultF1),
    (0x6C, Kind::CondInstrF1),
    (0x6D, Kind::CondInstrF3),
    (0x70, Kind::Ignore),
    (0x71, Kind::Event),
    (0x80, Kind::Context),
    (0x82, Kind::AddrCtxt32Is0),
    (0x83, Kind::AddrCtxt32Is1),
    (0x85, Kind::AddrCtxt64Is0),
    (0x86, Kind::AddrCtxt64Is1),
    (0x88, Kind::TimestampMarker),
    (0x90, Kind::AddrMatch),
    (0x95, Kind::AddrShortIs0),
    (0x96, Kind::AddrShortIs1),
    (0x9A, Kind::AddrLong32Is0),
    (0x9B, Kind::AddrLong32Is1),
    (0x9D, Kind::AddrLong64Is0),
    (0x9E, Kind::AddrLong64Is1),
    (0xA0, Kind::Q),
    (0xB0, Kind::SrcAddrMatch),
    (0xB4, Kind::SrcAddrShortIs0),
    (0xB5, Kind::SrcAddrShortIs1),
    (0xB6, Kind::SrcAddrLong32Is0),
    (0xB7, Kind::SrcAddrLong32Is1),
    (0xB8, Kind::SrcAddrLong64Is0),
    (0xB9, Kind::SrcAddrLong64Is1),
    (0x100, Kind::Async),
    (0x103, Kind::Discard),
    (0x105, Kind::Overflow),
    (0x200, Kind::NotSync),
    (0x201, Kind::Incomplete),
    (0x300, Kind::BadSequence),
    (0x302, Kind::Reserved),
    (0x303, Kind::ReservedCfg),
    (0x400, Kind::PeReset),
    (0x401, Kind::TransactionFail),
    // This version does not know the kind, and has another kind at its code.
    (0x09, Kind::Instrumentation),
];

/// The kind with this code.
pub fn kind(code: u32) -> Option<Kind> {
    CODES.iter().find(|row| row.0 == code).map(|row| row.1)
}

/// The code of a kind.
pub fn code(kind: Kind) -> Option<u32> {
    CODES.iter().find(|row| row.1 == kind).map(|row| row.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_kinds_map_one_to_one() {
        for &of in Kind::ALL {
            assert_eq!(code(of).and_then(kind), Some(of));
        }
        assert_eq!(CODES.len(), Kind::ALL.len());
    }
}
