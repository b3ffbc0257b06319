// SPDX-License-Identifier: MIT OR Apache-2.0
//! Refuses what a plan must not do, at run time: accesses to what is not in the topology, to a component
//! whose clocks were not read as running, and writes to one that was not identified or is claimed.

use coretrace_abi::registers::csr::Id;
use coretrace_coresight::map::common::{
    CIDR1, CLAIMCLR, CORESIGHT_CLASS, FIRST_MANAGEMENT_OFFSET, PIDR0, cidr1, claimset, pidr0,
};

use crate::bus::{Bus, BusError};
use crate::topology::{Index, Topology};

/// What was seen of a component.
#[derive(Clone, Copy, Default)]
struct Seen {
    class: bool,
    part: bool,
    unclaimed: bool,
}

/// A bus with a guard.
pub struct Guarded<'a, B> {
    bus: B,
    topology: &'a Topology,
    clocks: Vec<bool>,
    seen: Vec<Seen>,
    /// Cores that say so.
    cores: Vec<bool>,
}

impl<'a, B: Bus> Guarded<'a, B> {
    /// Nothing was seen yet.
    pub fn new(topology: &'a Topology, bus: B) -> Self {
        Self {
            bus,
            topology,
            clocks: vec![false; topology.clocks.len()],
            seen: vec![Seen::default(); topology.components.len()],
            cores: vec![false; topology.receivers.len()],
        }
    }

    /// The component at an address whose clocks run.
    fn clocked(&self, address: u64) -> Result<(Index, u32), BusError> {
        let Some((index, offset)) = self.topology.at(address) else {
            return refuse(format!("{address:#X} is in no component"));
        };
        let component = &self.topology.components[index];
        match component.clocks.iter().find(|clock| !self.clocks[**clock]) {
            None => Ok((index, offset)),
            Some(clock) => refuse(format!(
                "CLOCK: {} was not read as running, which {} needs",
                self.topology.clocks[*clock].register, component.name
            )),
        }
    }

    /// Notes what a read shows.
    fn note(&mut self, index: Index, offset: u32, value: u32) {
        let kind = self.topology.components[index].kind;
        let seen = &mut self.seen[index];
        if offset == CIDR1.offset {
            seen.class = cidr1::CLASS.of(value) == CORESIGHT_CLASS;
        } else if offset == PIDR0.offset {
            let is_low = |part: &u32| pidr0::PART_LOW.of(*part) == pidr0::PART_LOW.of(value);
            seen.part = kind.parts().iter().any(is_low);
        } else if offset == CLAIMCLR.offset {
            seen.unclaimed = value & !claimset::SELF_HOSTED.mask() == 0;
        }
    }
}

fn refuse<T>(why: String) -> Result<T, BusError> {
    Err(BusError::Refused(why))
}

impl<B: Bus> Bus for Guarded<'_, B> {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        let is_clock = |clock: &crate::topology::Clock| clock.address == address;
        if let Some(clock) = self.topology.clocks.iter().position(is_clock) {
            let value = self.bus.read32(address)?;
            self.clocks[clock] = value >> self.topology.clocks[clock].bit & 1 == 1;
            return Ok(value);
        }
        if let Some(core) = self.topology.receiver_at(address) {
            let value = self.bus.read32(address)?;
            if address == self.topology.receivers[core].registers {
                self.cores[core] = value == Id::RESET.0;
            }
            return Ok(value);
        }
        let (index, offset) = self.clocked(address)?;
        let seen = self.seen[index];
        if offset < FIRST_MANAGEMENT_OFFSET && !(seen.class && seen.part) {
            let name = &self.topology.components[index].name;
            return refuse(format!("IDENT: {name} was not identified"));
        }
        let value = self.bus.read32(address)?;
        self.note(index, offset, value);
        Ok(value)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        if self
            .topology
            .clocks
            .iter()
            .any(|clock| clock.address == address)
        {
            return self.bus.write32(address, value);
        }
        if let Some(core) = self.topology.receiver_at(address) {
            if !self.cores[core] {
                let name = &self.topology.receivers[core].name;
                return refuse(format!("IDENT: {name} was not identified"));
            }
            return self.bus.write32(address, value);
        }
        let (index, offset) = self.clocked(address)?;
        let (seen, component) = (self.seen[index], &self.topology.components[index]);
        if !(seen.class && seen.part) {
            return refuse(format!("IDENT: {} was not identified", component.name));
        }
        // A claim may always be given back.
        if component.kind.has_lock() && !seen.unclaimed && offset != CLAIMCLR.offset {
            return refuse(format!(
                "OWNER: {} was not read as unclaimed",
                component.name
            ));
        }
        self.bus.write32(address, value)
    }
}
