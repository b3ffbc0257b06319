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
    /// Master and channel change by masks, so that the time it takes does not depend on what packets there are.
    ///
    /// # Errors
    /// Why it is illegal.
    #[inline(always)]
    pub fn apply(&mut self, packet: &Packet) -> Result<(), Illegal> {
        let Packet {
            opcode,
            data,
            stamp,
        } = packet;
        match (opcode.kind, data) {
            (Kind::Version, 3) => self.coding = Some(Coding::Natural),
            (Kind::Version, 4) => self.coding = Some(Coding::Gray),
            (Kind::Version, _) => return Err(Illegal::Version),
            (Kind::Frequency, _) => self.frequency = Some(*data as u32),
            _ => {}
        }
        match self.coding {
            Some(coding) => self.timestamp = stamped(self.timestamp, coding, *stamp),
            None if opcode.is_stamped => return Err(Illegal::Coding),
            None => {}
        }
        let Change { keeps, takes } = CHANGES[opcode.kind as usize];
        self.channel = self.channel & keeps.channel | *data as u16 & takes.channel;
        self.master = self.master & keeps.master | *data as u8 & takes.master;
        self.is_master_known = self.is_master_known & keeps.is_known | takes.is_known;
        Ok(())
    }
}

/// Bits of a master and a channel, and whether the master is known.
#[derive(Clone, Copy)]
struct Names {
    channel: u16,
    master: u8,
    is_known: bool,
}

/// What a packet does with master and channel.
#[derive(Clone, Copy)]
struct Change {
    /// The bits that stay.
    keeps: Names,
    /// The bits that it has in its data.
    takes: Names,
}

/// The change by each kind.
const CHANGES: [Change; Kind::ALL.len()] = {
    const fn names(channel: u16, master: u8, is_known: bool) -> Names {
        Names {
            channel,
            master,
            is_known,
        }
    }
    const NONE: Names = names(0, 0, false);
    const ALL: Names = names(0xFFFF, 0xFF, true);
    let stays = Change {
        keeps: ALL,
        takes: NONE,
    };
    let (mut changes, mut number) = ([stays; Kind::ALL.len()], 0);
    while number < changes.len() {
        let kind = Kind::ALL[number];
        let (keeps, takes) = match kind {
            Kind::Master => (NONE, names(0, 0xFF, true)),
            Kind::MasterError => (names(0, 0xFF, true), NONE),
            Kind::GlobalError => (NONE, NONE),
            Kind::Channel8 => (names(0xFF00, 0xFF, true), names(0xFF, 0, false)),
            Kind::Channel16 => (names(0, 0xFF, true), names(0xFFFF, 0, false)),
            Kind::Version => (names(0, 0, true), NONE),
            _ => (ALL, NONE),
        };
        changes[kind as usize] = Change { keeps, takes };
        number += 1;
    }
    changes
};

/// The timestamp after an update of its low bits, which are replaced in the coding of the stream.
#[inline]
const fn stamped(timestamp: u64, coding: Coding, stamp: Stamp) -> u64 {
    // In two steps, as 16 nibbles are a whole word.
    let half = 2 * stamp.nibbles as u32;
    let keep = u64::MAX.wrapping_shl(half).wrapping_shl(half);
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
