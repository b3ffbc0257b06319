// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table of headers. Source: Arm DDI 0403, appendix "Debug ITM and DWT Packet Protocol".

use crate::Kind;

/// What follows a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// So many bytes, the lowest first: 1, 2 or 4.
    Fixed(u8),
    /// 7 bits a byte, the lowest first; bit 7 says that another byte follows. At most so many bytes.
    Continued(u8),
    /// Zero bytes and 0x80.
    Sync,
}

/// A row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// What the packet is.
    pub kind: Kind,
    /// What follows.
    pub payload: Payload,
}

/// Which headers are packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Rule {
    /// Those of the manual.
    #[default]
    Arm,
    /// As OpenCSD: 0x80, 0x90, 0xA0 and 0xB0 are local timestamps.
    OpenCsd,
}

/// The most bytes of the payload of a timestamp or an extension.
const CONTINUED: Payload = Payload::Continued(4);

/// The row of a header.
pub const fn header(byte: u8, rule: Rule) -> Header {
    if matches!(rule, Rule::OpenCsd) && matches!(byte, 0x80 | 0x90 | 0xA0 | 0xB0) {
        return Header {
            kind: Kind::LocalTimestamp,
            payload: CONTINUED,
        };
    }
    HEADERS[byte as usize]
}

/// The rows of all headers.
pub const HEADERS: [Header; 256] = {
    let reserved = Header {
        kind: Kind::Reserved,
        payload: Payload::None,
    };
    let (mut rows, mut byte) = ([reserved; 256], 0);
    while byte < rows.len() {
        rows[byte] = row(byte as u8);
        byte += 1;
    }
    rows
};

const fn row(byte: u8) -> Header {
    let continued = byte & 0x80 != 0;
    let (kind, payload) = match (byte & 0x0F, byte >> 4) {
        (0x0, 0x0) => (Kind::Sync, Payload::Sync),
        (0x0, 0x7) => (Kind::Overflow, Payload::None),
        (0x0, 0x1..=0x6) => (Kind::LocalTimestamp, Payload::None),
        (0x0, 0xC..=0xF) => (Kind::LocalTimestamp, CONTINUED),
        (0x4, 0x9) => (Kind::GlobalTimestamp1, CONTINUED),
        (0x4, 0xB) => (Kind::GlobalTimestamp2, Payload::Continued(6)),
        (0x8 | 0xC, _) if continued => (Kind::Extension, CONTINUED),
        (0x8 | 0xC, _) => (Kind::Extension, Payload::None),
        (0x0 | 0x4, _) => (Kind::Reserved, Payload::None),
        (low, _) => {
            let kind = if low & 4 == 0 {
                Kind::Software
            } else {
                Kind::Hardware
            };
            (kind, Payload::Fixed([0, 1, 2, 4][(low & 3) as usize]))
        }
    };
    Header { kind, payload }
}
