// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state, and what packets change in it.

use crate::{Kind, Packet, Stamp};

/// How timestamps are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// VERSION 3: natural binary.
    Natural,
    /// VERSION 4: Gray code, one bit changes between two values.
    Gray,
}

/// Why a packet that is well-formed has no meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Illegal {
    /// A VERSION other than 3 and 4.
    Version,
    /// A timestamp, and no VERSION was read before.
    Coding,
}

/// The trace state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct State {
    /// The master that writes.
    pub master: u8,
    /// Whether the master is known: a M8 came, and no GERR behind it.
    pub is_master_known: bool,
    /// The channel that is written.
    pub channel: u16,
    /// The timestamp, natural binary.
    pub timestamp: u64,
    /// The coding of timestamps, of the last VERSION.
    pub coding: Option<Coding>,
    /// Frequency of the timestamps in Hz, of the last FREQ.
    pub frequency: Option<u32>,
}

impl State {
    /// Changes what a packet changes; nothing if it is illegal.
    ///
    /// # Errors
    /// Why it is illegal.
    #[inline]
    pub fn apply(&mut self, packet: &Packet) -> Result<(), Illegal> {
        if packet.opcode.is_stamped {
            let coding = self.coding.ok_or(Illegal::Coding)?;
            self.timestamp = stamped(self.timestamp, coding, packet.stamp);
        }
        match packet.opcode.kind {
            Kind::Master => {
                self.master = packet.data as u8;
                self.is_master_known = true;
                self.channel = 0;
            }
            Kind::MasterError => self.channel = 0,
            Kind::GlobalError => {
                self.is_master_known = false;
                (self.master, self.channel) = (0, 0);
            }
            Kind::Channel8 => self.channel = self.channel & 0xFF00 | packet.data as u16,
            Kind::Channel16 => self.channel = packet.data as u16,
            Kind::Frequency => self.frequency = Some(packet.data as u32),
            Kind::Version => {
                self.coding = Some(match packet.data {
                    3 => Coding::Natural,
                    4 => Coding::Gray,
                    _ => return Err(Illegal::Version),
                });
                (self.master, self.channel) = (0, 0);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The timestamp after an update of its low bits, which are replaced in the coding of the stream.
#[inline]
const fn stamped(timestamp: u64, coding: Coding, stamp: Stamp) -> u64 {
    let keep = match u64::MAX.checked_shl(4 * stamp.nibbles as u32) {
        Some(keep) => keep,
        None => 0,
    };
    match coding {
        Coding::Natural => timestamp & keep | stamp.value,
        Coding::Gray => binary(gray(timestamp) & keep | stamp.value),
    }
}

/// A number in Gray code.
pub const fn gray(binary: u64) -> u64 {
    binary ^ binary >> 1
}

/// The number that a Gray code means: each bit is the parity of those from it upwards.
pub const fn binary(gray: u64) -> u64 {
    let (mut value, mut distance) = (gray, 1);
    while distance < u64::BITS {
        value ^= value >> distance;
        distance *= 2;
    }
    value
}
