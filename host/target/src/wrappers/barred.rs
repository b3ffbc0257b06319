// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a topology that must not be accessed, and why.

use crate::bus::{Bus, BusError};
use crate::plan::Part;
use crate::topology::Topology;

/// A bus that refuses accesses to some parts.
pub struct Barred<'a, B> {
    /// The bus.
    pub bus: B,
    /// What the parts are of.
    pub topology: &'a Topology,
    /// The parts, each with the reason.
    pub parts: Vec<(Part, String)>,
}

impl<B> Barred<'_, B> {
    fn check(&self, address: u64) -> Result<(), BusError> {
        let component = self.topology.at(address);
        let receiver = self.topology.receiver_at(address);
        let here = match (component, receiver) {
            (Some((index, _)), _) => Part::Component(index),
            (None, Some(index)) => Part::Receiver(index),
            (None, None) => return Ok(()),
        };
        match self.parts.iter().find(|(part, _)| *part == here) {
            Some((_, why)) => Err(BusError::Refused(why.clone())),
            None => Ok(()),
        }
    }
}

impl<B: Bus> Bus for Barred<'_, B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.check(address)?;
        self.bus.read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.check(address)?;
        self.bus.write32(address, value)
    }
}
