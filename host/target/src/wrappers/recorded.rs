// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keeps a log of every access that succeeded.

use std::fmt;

use crate::bus::{Bus, BusError};

/// An access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Address, and the value that was read.
    Read(u64, u32),
    /// Address, and the value that was written.
    Write(u64, u32),
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(address, value) => write!(f, "R {address:010x} {value:08x}"),
            Self::Write(address, value) => write!(f, "W {address:010x} {value:08x}"),
        }
    }
}

/// A bus with a log.
pub struct Recorded<B> {
    bus: B,
    /// The accesses so far.
    pub log: Vec<Access>,
}

impl<B: Bus> Recorded<B> {
    /// With an empty log.
    pub fn new(bus: B) -> Self {
        Self {
            bus,
            log: Vec::new(),
        }
    }
}

impl<B: Bus> Bus for Recorded<B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let value = self.bus.read32(address)?;
        self.log.push(Access::Read(address, value));
        Ok(value)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.bus.write32(address, value)?;
        self.log.push(Access::Write(address, value));
        Ok(())
    }
}
