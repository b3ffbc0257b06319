// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends a start when somebody asks for it, and lets its undo through.

use crate::bus::{Bus, BusError};

/// A bus whose first access fails after `is_asked` has said yes. The accesses behind it are those of the undo,
/// and nobody can interrupt them.
pub struct Interruptible<B, F> {
    bus: B,
    is_asked: F,
    is_over: bool,
}

impl<B: Bus, F: FnMut() -> bool> Interruptible<B, F> {
    /// Nobody has asked yet.
    pub fn new(bus: B, is_asked: F) -> Self {
        Self {
            bus,
            is_asked,
            is_over: false,
        }
    }

    fn check(&mut self) -> Result<(), BusError> {
        if self.is_over || !(self.is_asked)() {
            return Ok(());
        }
        self.is_over = true;
        Err(BusError::Interrupted)
    }
}

impl<B: Bus, F: FnMut() -> bool> Bus for Interruptible<B, F> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.check()?;
        self.bus.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.check()?;
        self.bus.write32(address, value)
    }
}
