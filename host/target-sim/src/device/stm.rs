// SPDX-License-Identifier: MIT OR Apache-2.0
//! A system trace macrocell: EN and BUSY, and the STP packets of a program that writes numbers to the first
//! stimulus port.

use coretrace_coresight::map::triggers::stm::{SPER, TCSR, tcsr};
use coretrace_stm::{Kind, OPCODES, Packet, Stamp, emit};

use super::{Tick, Traced, is_allowed};
use crate::outcome::Outcome;

/// Ticks from EN 0 to BUSY 0.
const STOPPING: u32 = 4;

/// Packets from an ASYNC to the next.
const SYNC_PERIOD: u32 = 64;

/// The master of a program.
const MASTER: u64 = 0x40;

/// Ticks of the timestamp generator from a packet to the next.
const STEP: u64 = 10;

/// The state.
#[derive(Clone, Debug, Default)]
pub struct Stm {
    is_enabled: bool,
    /// Ticks until all that it made has left.
    busy_in: u32,
    /// What it holds back until it stops.
    held: Vec<Traced>,
    /// The number of the next packet.
    number: u32,
    /// The first nibble of a byte whose second one was not made yet.
    nibble: Option<u8>,
    /// Every byte that it made.
    pub sent: Vec<u8>,
}

impl Stm {
    /// Whether it traces.
    pub fn is_on(&self) -> bool {
        self.is_enabled
    }

    /// Enables it from outside of a session.
    pub fn enable(&mut self, words: &mut [u32]) {
        self.is_enabled = true;
        words[TCSR.offset as usize / 4] |= tcsr::EN.mask();
    }

    fn is_busy(&self) -> bool {
        self.is_enabled || self.busy_in > 0
    }

    pub(super) fn read(&self, offset: u32, value: u32) -> u32 {
        match offset {
            _ if offset == TCSR.offset => {
                value & !tcsr::BUSY.mask()
                    | tcsr::SYNCEN.mask()
                    | tcsr::BUSY.with(self.is_busy().into())
            }
            _ => value,
        }
    }

    pub(super) fn write(
        &mut self,
        offset: u32,
        value: u32,
        is_configuration: bool,
        words: &mut [u32],
        out: &mut Outcome,
    ) {
        let is_busy = self.is_busy();
        let old = std::mem::replace(&mut words[offset as usize / 4], value);
        if offset != TCSR.offset {
            if is_configuration && is_busy {
                out.broken.push("BUSY");
            }
            return;
        }
        let is_on = tcsr::EN.of(value) == 1;
        let changes_id = tcsr::ID.of(old) != tcsr::ID.of(value);
        if is_busy && (changes_id || is_on && !self.is_enabled) {
            out.broken.push("BUSY");
        }
        if is_on && !self.is_enabled {
            (self.number, self.nibble) = (0, None);
            out.is_opened = true;
        }
        if !is_on && self.is_enabled {
            self.busy_in = STOPPING;
            self.fill(words);
        }
        self.is_enabled = is_on;
    }

    pub(super) fn tick(&mut self, words: &[u32]) -> Tick {
        let mut bytes = Vec::new();
        if self.is_enabled {
            // What was made before leaves.
            bytes = std::mem::take(&mut self.held);
            if words[SPER.offset as usize / 4] & 1 == 1 && is_allowed(words) {
                self.make(&packet(self.number, words), words);
                self.number = self.number.wrapping_add(1);
            }
        } else if self.busy_in > 0 {
            self.busy_in -= 1;
            if self.busy_in == 0 {
                bytes = std::mem::take(&mut self.held);
            }
        }
        Tick {
            bytes,
            is_flush: false,
        }
    }

    /// NULL fills the last byte.
    fn fill(&mut self, words: &[u32]) {
        if self.nibble.is_some() {
            self.make(&Packet::NULL, words);
        }
    }

    fn make(&mut self, packet: &Packet, words: &[u32]) {
        let id = tcsr::ID.of(words[TCSR.offset as usize / 4]) as u8;
        let Stm {
            nibble, sent, held, ..
        } = self;
        emit(packet, |next| match nibble.take() {
            None => *nibble = Some(next),
            Some(first) => {
                let byte = first | next << 4;
                sent.push(byte);
                held.push((id, byte));
            }
        });
    }
}

/// A packet by its number. The program writes numbers that count up.
fn packet(number: u32, words: &[u32]) -> Packet {
    let has_times = tcsr::TSEN.of(words[TCSR.offset as usize / 4]) == 1;
    let (kind, data) = match number % SYNC_PERIOD {
        0 => (Kind::Async, 0),
        1 => (Kind::Version, 3),
        2 => (Kind::Master, MASTER),
        3 => (Kind::Channel8, 0),
        _ => (Kind::Data32, number.into()),
    };
    let is_stamped = has_times && kind == Kind::Data32;
    let is_it = |of: &&coretrace_stm::Opcode| {
        of.kind == kind && !of.is_marked && of.is_stamped == is_stamped
    };
    let opcode = OPCODES.iter().find(is_it);
    let mut packet = opcode.map_or(Packet::NULL, |opcode| Packet::new(*opcode));
    packet.data = data;
    if is_stamped {
        packet.stamp = Stamp {
            nibbles: 8,
            value: (u64::from(number) * STEP) & 0xFFFF_FFFF,
        };
    }
    packet
}
