// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words within ranges of addresses, and no other.

use std::ops::Range;

use crate::bus::{Bus, BusError};

/// A bus that refuses what is outside its ranges, and what is not aligned.
pub struct Within<B> {
    /// The bus.
    pub bus: B,
    /// The ranges.
    pub ranges: Vec<Range<u64>>,
}

impl<B> Within<B> {
    fn check(&self, address: u64) -> Result<(), BusError> {
        let is_inside = self.ranges.iter().any(|range| range.contains(&address));
        match is_inside && address.is_multiple_of(4) {
            true => Ok(()),
            false => Err(BusError::Refused(format!(
                "{address:#X} is no word of the topology"
            ))),
        }
    }
}

impl<B: Bus> Bus for Within<B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.check(address)?;
        self.bus.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.check(address)?;
        self.bus.write32(address, value)
    }
}
