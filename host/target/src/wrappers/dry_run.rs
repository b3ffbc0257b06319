// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads of the machine, and no write.

use crate::bus::{Bus, BusError};

/// A bus that refuses every write.
pub struct DryRun<B>(pub B);

impl<B: Bus> Bus for DryRun<B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.0.read32(address)
    }

    fn write32(&mut self, _: u64, _: u32) -> Result<(), BusError> {
        Err(BusError::Refused("nothing is written here".to_owned()))
    }
}
