// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace state, and what packets change in it.

use crate::{Config, Kind, Packet};

/// The trace state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct State {
    /// The page of stimulus ports, 3 bits.
    pub page: u8,
    /// The sum of all local timestamps since the last overflow, in ticks of the timestamp clock; it wraps
    /// at 64 bits.
    pub local_time: u64,
    /// The global timestamp.
    pub global_time: u64,
    /// Whether all bits of the global timestamp are known: a second packet came, and none since then says
    /// that it wrapped.
    pub is_global_complete: bool,
}

impl State {
    /// Changes what a packet changes.
    #[inline]
    pub fn apply(&mut self, packet: &Packet, config: &Config) {
        match packet.kind {
            Kind::Overflow => self.local_time = 0,
            Kind::LocalTimestamp => {
                let ticks = packet.value() * config.prescaler();
                self.local_time = self.local_time.wrapping_add(ticks);
            }
            Kind::GlobalTimestamp1 => {
                let keep = u64::MAX << packet.global_bits();
                self.global_time = self.global_time & keep | packet.value();
                self.is_global_complete &= !packet.wrapped();
            }
            Kind::GlobalTimestamp2 => {
                let low = self.global_time & ((1 << HIGH_BIT) - 1);
                self.global_time = packet.value() << HIGH_BIT | low;
                self.is_global_complete = true;
            }
            Kind::Extension => self.page = packet.page().unwrap_or(self.page),
            _ => {}
        }
    }

    /// The number of a stimulus port, of a write: 0 to 255.
    pub const fn port(&self, packet: &Packet) -> u8 {
        self.page << 5 | packet.source()
    }
}

/// The lowest bit of the global timestamp's second packet.
const HIGH_BIT: u32 = 26;
