// SPDX-License-Identifier: MIT OR Apache-2.0
//! A host that is killed in the midst of a session.

use coretrace_target::{Bus, BusError};
use coretrace_target_sim::World;

/// A host that is killed: after so many accesses none is made.
pub struct Killed<'a> {
    pub world: &'a mut World,
    pub left: usize,
}

impl Killed<'_> {
    fn next(&mut self) -> Result<&mut World, BusError> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or(BusError::Refused("killed".to_owned()))?;
        Ok(self.world)
    }
}

impl Bus for Killed<'_> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.next()?.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.next()?.write32(address, value)
    }
}
