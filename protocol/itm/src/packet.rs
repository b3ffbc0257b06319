// SPDX-License-Identifier: MIT OR Apache-2.0
//! A packet: its bytes, and the fields in them.

use crate::{Kind, Payload, Rule, header};

/// The most bytes of a payload.
pub const PAYLOAD_BYTES: usize = 6;

/// A packet. Fields are those of its kind; of other kinds they mean nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// What it is.
    pub kind: Kind,
    /// The header byte.
    pub header: u8,
    /// The payload, without the bytes of a sync; the bytes behind [`Packet::len`] are 0.
    pub payload: [u8; PAYLOAD_BYTES],
    /// Bytes of the payload.
    pub len: u8,
}

impl Packet {
    /// A packet without a payload.
    pub const fn new(kind: Kind, header: u8) -> Packet {
        Packet {
            kind,
            header,
            payload: [0; PAYLOAD_BYTES],
            len: 0,
        }
    }

    /// A packet of the value with this header: of a header with a continued payload, the shortest one. None
    /// if the value does not fit, or the header is a sync or reserved.
    pub fn of_value(byte: u8, value: u64) -> Option<Packet> {
        let row = header(byte, Rule::Arm);
        let mut packet = Packet::new(row.kind, byte);
        let mut left = value;
        match row.payload {
            _ if row.kind == Kind::Reserved => return None,
            Payload::Sync => return None,
            Payload::None => {}
            Payload::Fixed(bytes) => {
                for _ in 0..bytes {
                    packet.push(left as u8);
                    left >>= 8;
                }
            }
            Payload::Continued(most) => loop {
                let rest = left >> 7;
                let is_last = rest == 0 || packet.len + 1 == most;
                packet.push(left as u8 & 0x7F | if is_last { 0 } else { 0x80 });
                left = rest;
                if is_last {
                    break;
                }
            },
        }
        (left == 0).then_some(packet)
    }

    /// Appends a byte of the payload; what is too much is left out.
    pub(crate) fn push(&mut self, byte: u8) {
        if let Some(place) = self.payload.get_mut(usize::from(self.len)) {
            *place = byte;
            self.len += 1;
        }
    }

    /// The bytes of the payload.
    pub fn bytes(&self) -> &[u8] {
        &self.payload[..usize::from(self.len)]
    }

    /// Stimulus port in its page, or discriminator of the DWT, 5 bits.
    pub const fn source(&self) -> u8 {
        self.header >> 3
    }

    /// The value: payload of a write or of the DWT, ticks of a timestamp without flags, or bits of an extension.
    pub fn value(&self) -> u64 {
        match self.kind {
            Kind::Software | Kind::Hardware => {
                let mut value = [0; 8];
                value[..PAYLOAD_BYTES].copy_from_slice(&self.payload);
                u64::from_le_bytes(value)
            }
            Kind::LocalTimestamp if self.len == 0 => u64::from(self.header >> 4 & 7),
            Kind::GlobalTimestamp1 => self.continued() & 0x03FF_FFFF,
            Kind::Extension => {
                (self.continued() << 3 | u64::from(self.header >> 4 & 7)) & 0x7FFF_FFFF
            }
            _ => self.continued(),
        }
    }

    /// 7 bits a byte.
    fn continued(&self) -> u64 {
        let bytes = self.bytes().iter().rev();
        bytes.fold(0, |value, byte| value << 7 | u64::from(byte & 0x7F))
    }

    /// Local timestamp: bit 0 says that the timestamp was delayed, bit 1 that the packet before it was.
    pub const fn delays(&self) -> u8 {
        if self.len == 0 {
            0
        } else {
            self.header >> 4 & 3
        }
    }

    /// Global timestamp 1: whether the frequency of the clock changed.
    pub const fn frequency_changed(&self) -> bool {
        self.len == 4 && self.payload[3] & 0x20 != 0
    }

    /// Global timestamp 1: whether the high bits changed, so that a global timestamp 2 follows.
    pub const fn wrapped(&self) -> bool {
        self.len == 4 && self.payload[3] & 0x40 != 0
    }

    /// Global timestamp 1: the bits that it has.
    pub const fn global_bits(&self) -> u32 {
        match self.len {
            4 => 26,
            len => 7 * len as u32,
        }
    }

    /// Extension: whether it is one of the DWT.
    pub const fn is_of_hardware(&self) -> bool {
        self.header & 4 != 0
    }

    /// Extension: the bits that it has: 3, 10, 17, 24 or 31.
    pub const fn extension_bits(&self) -> u32 {
        match self.len {
            4 => 31,
            len => 3 + 7 * len as u32,
        }
    }

    /// Extension: the page of stimulus ports, if it sets that.
    pub const fn page(&self) -> Option<u8> {
        if self.len == 0 && !self.is_of_hardware() {
            Some(self.header >> 4 & 7)
        } else {
            None
        }
    }
}
