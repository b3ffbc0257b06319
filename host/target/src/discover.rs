// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on a chip by its ROM tables, and where a topology has something: components with their identification, by reads alone.
//!
//! Until the class of a component is known, only its identification at FD0 to FFC is read, because other
//! reads may fault.
//!
//! Source: Arm IHI 0029, ROM tables and component identification.

use std::collections::BTreeSet;

use coretrace_coresight::map::common::{
    CIDR0, CIDR1, CIDR2, CIDR3, CLAIMCLR, CORESIGHT_CLASS, DEVARCH, DEVID, DEVTYPE, LSR, PIDR0,
    PIDR1, cidr1, devarch, devtype, lsr, pidr0, pidr1,
};
use coretrace_coresight::map::{ComponentKind, Register, rom, tmc};

use crate::bus::{Bus, BusError};
use crate::topology::{Index, Topology};

/// Tables within tables, at most.
const DEEPEST: usize = 4;

/// Something at an address of a ROM table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Physical address.
    pub base: u64,
    /// Tables above it; 0 for the first table, and for a component of the topology that no table has.
    pub depth: usize,
    /// Designer and part number, PIDR1\[7:4\] above PIDR1\[3:0\] and PIDR0.
    pub part: u32,
    /// What it is, as far as it says so.
    pub what: What,
    /// The software lock is closed.
    pub is_locked: bool,
    /// Claim tags that are set.
    pub claims: u32,
}

/// What a component is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A ROM table.
    Table,
    /// A component that trace needs.
    Kind(ComponentKind),
    /// Another CoreSight component: DEVTYPE and DEVARCH.
    Other(u32, u32),
    /// No CoreSight component: its class.
    Class(u32),
    /// Nothing that identifies itself.
    Nothing,
    /// The bus does not let an access through: the topology has nothing there.
    Unread,
    /// It was not read, because this clock is off.
    Off(Index),
}

/// Why a chip could not be searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DiscoverError {
    /// A clock that every component needs is off.
    Clock(Index),
    /// An access to an address failed.
    Bus(u64, BusError),
}

/// Walks over the ROM tables that begin with one, and then to the components of the topology that none of them
/// has: a table below the first may be out of reach. The clocks that all components of the topology need must
/// run; components of the topology whose own clocks are off are not read.
///
/// # Errors
/// If a clock is off, or an access fails.
pub fn discover(
    topology: &Topology,
    table: u64,
    bus: &mut dyn Bus,
) -> Result<Vec<Found>, DiscoverError> {
    let mut running = BTreeSet::new();
    for (index, clock) in topology.clocks.iter().enumerate() {
        let value = bus.read32(clock.address);
        let value = value.map_err(|error| DiscoverError::Bus(clock.address, error))?;
        if value >> clock.bit & 1 == 1 {
            running.insert(index);
        }
    }
    let is_common = |clock: &Index| topology.components.iter().all(|c| c.clocks.contains(clock));
    let mut clocks = 0..topology.clocks.len();
    if let Some(off) = clocks.find(|clock| is_common(clock) && !running.contains(clock)) {
        return Err(DiscoverError::Clock(off));
    }
    let mut walk = Walk {
        topology,
        running,
        bus,
        seen: BTreeSet::new(),
        found: Vec::new(),
    };
    walk.at(table, 0)?;
    for component in &topology.components {
        walk.at(component.base, 0)?;
    }
    Ok(walk.found)
}

struct Walk<'a> {
    topology: &'a Topology,
    running: BTreeSet<Index>,
    bus: &'a mut dyn Bus,
    seen: BTreeSet<u64>,
    found: Vec<Found>,
}

impl Walk<'_> {
    fn read(&mut self, base: u64, register: &Register) -> Result<u32, DiscoverError> {
        let address = base + u64::from(register.offset);
        let value = self.bus.read32(address);
        value.map_err(|error| DiscoverError::Bus(address, error))
    }

    /// Identifies what is at an address, and walks over it if it is a table.
    fn at(&mut self, base: u64, depth: usize) -> Result<(), DiscoverError> {
        if !self.seen.insert(base) {
            return Ok(());
        }
        let known = self.topology.components.iter().find(|c| c.base == base);
        let mut clocks = known.into_iter().flat_map(|c| &c.clocks);
        let off = clocks.find(|clock| !self.running.contains(clock));
        let (part, what) = match off {
            Some(clock) => (0, What::Off(*clock)),
            None => match self.identify(base) {
                Err(DiscoverError::Bus(_, BusError::Refused(_))) => (0, What::Unread),
                identified => identified?,
            },
        };
        let mut found = Found {
            base,
            depth,
            part,
            what,
            is_locked: false,
            claims: 0,
        };
        if let What::Kind(kind) = what
            && kind.has_lock()
        {
            found.is_locked = lsr::LOCKED.of(self.read(base, &LSR)?) == 1;
            found.claims = self.read(base, &CLAIMCLR)?;
        }
        self.found.push(found);
        if what == What::Table && depth < DEEPEST {
            self.table(base, depth)?;
        }
        Ok(())
    }

    fn table(&mut self, base: u64, depth: usize) -> Result<(), DiscoverError> {
        for index in 0..rom::ENTRY.count {
            let address = base + u64::from(rom::ENTRY.at(index));
            let entry = self.bus.read32(address);
            let entry = entry.map_err(|error| DiscoverError::Bus(address, error))?;
            if entry == 0 {
                break;
            }
            if rom::entry::PRESENT.of(entry) == 1 {
                // Offsets are signed, and wrap at 4 GiB.
                let offset = entry & rom::entry::OFFSET.mask();
                let low = (base as u32).wrapping_add(offset);
                self.at(base & !u64::from(u32::MAX) | u64::from(low), depth + 1)?;
            }
        }
        Ok(())
    }

    fn identify(&mut self, base: u64) -> Result<(u32, What), DiscoverError> {
        let class = self.read(base, &CIDR1)?;
        for register in [&CIDR0, &CIDR2, &CIDR3] {
            if Some(self.read(base, register)? & 0xFF) != register.reset {
                return Ok((0, What::Nothing));
            }
        }
        let (low, high) = (self.read(base, &PIDR0)?, self.read(base, &PIDR1)?);
        let part = pidr0::PART_LOW.of(low)
            | pidr1::PART_HIGH.of(high) << 8
            | pidr1::DESIGNER.of(high) << 12;
        let what = match cidr1::CLASS.of(class) {
            rom::CLASS => What::Table,
            CORESIGHT_CLASS => self.component(base, part)?,
            class => What::Class(class),
        };
        Ok((part, what))
    }

    fn component(&mut self, base: u64, part: u32) -> Result<What, DiscoverError> {
        let devtype = devtype::TYPE.of(self.read(base, &DEVTYPE)?);
        let arch = self.read(base, &DEVARCH)?;
        let archid = devarch::ARCHID.of(arch) * devarch::PRESENT.of(arch);
        if archid == rom::ARCHID {
            return Ok(What::Table);
        }
        let mut kinds: Vec<ComponentKind> = ComponentKind::ALL
            .into_iter()
            .filter(|of| of.parts().contains(&(part & 0xFFF)))
            .filter(|of| of.devtype().is_none_or(|of| of == devtype))
            .filter(|of| of.archid().is_none_or(|of| of == archid))
            .collect();
        if kinds.len() > 1 {
            let config = tmc::CONFIG.of(self.read(base, &DEVID)?);
            kinds.retain(|kind| kind.memory() == Some(config));
        }
        let kind = kinds.first().map(|kind| What::Kind(*kind));
        Ok(kind.unwrap_or(What::Other(devtype, arch)))
    }
}
