// SPDX-License-Identifier: MIT OR Apache-2.0
//! A simulated chip whose cores behind trace ports are `etm4_core` in the rust-hdl simulation.
//!
//! ```text
//! World: trace units ─▶ funnels ─▶ port ─▶ words ─▶ CoreSim ─▶ packets ─▶ Dma ─▶ memory of the World
//!                                                      ▲ AXI4-Lite          ▲ registers
//! Bus ──────────────────────────────────────────────────┴───────────────────┘
//! ```
//!
//! Every access of a register of a core is a transaction on its bus; an access that the core refuses aborts.
#![forbid(unsafe_code)]

mod core;

use coretrace_target::{Bus, BusError, Topology};
use coretrace_target_sim::{SimulatedChip, World};

use crate::core::Core;

/// Ticks of a core alone while one of its registers is reached: eight accesses are time enough for it to send a whole
/// packet.
const ACCESS_TICKS: usize = 16;

/// The chip.
pub struct HardwareChip {
    world: World,
    cores: Vec<Core>,
}

impl HardwareChip {
    /// After reset, with all clocks on.
    pub fn cold(topology: &Topology) -> HardwareChip {
        let without_cores = Topology {
            receivers: Vec::new(),
            ..topology.clone()
        };
        HardwareChip {
            world: World::cold(&without_cores),
            cores: topology.receivers.iter().map(Core::new).collect(),
        }
    }

    /// The cores take what the port made since they were here.
    fn hand_over(&mut self) {
        for core in &mut self.cores {
            let words = core.new_words(self.world.received(core.port()));
            core.tick(&words, &mut self.world.memory);
        }
    }

    fn has_core(&self, address: u64) -> bool {
        self.cores.iter().any(|core| core.has(address))
    }

    /// The core of an address, after the time that an access of it takes.
    ///
    /// # Errors
    /// If there is none.
    fn reach(&mut self, address: u64) -> Result<&mut Core, BusError> {
        self.pass(1);
        let HardwareChip { world, cores } = self;
        let core = cores.iter_mut().find(|core| core.has(address));
        let core = core.ok_or(BusError::Aborted)?;
        for _ in 0..ACCESS_TICKS {
            core.tick(&[], &mut world.memory);
        }
        Ok(core)
    }
}

impl SimulatedChip for HardwareChip {
    fn world(&self) -> &World {
        &self.world
    }

    fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    fn pass(&mut self, ticks: usize) {
        for _ in 0..ticks {
            self.world.run(1);
            self.hand_over();
        }
    }
}

/// An access of memory takes no time, and any other one a tick.
impl Bus for HardwareChip {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        if !self.has_core(address) {
            let value = self.world.read32(address);
            if !self.world.is_memory(address) {
                self.hand_over();
            }
            return value;
        }
        self.reach(address)?.read(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        if !self.has_core(address) {
            let written = self.world.write32(address, value);
            if !self.world.is_memory(address) {
                self.hand_over();
            }
            return written;
        }
        self.reach(address)?.write(address, value)
    }
}
