// SPDX-License-Identifier: MIT OR Apache-2.0
//! What those who run a simulated chip need of it: a bus, time, and the world behind it.

use coretrace_target::Bus;

use crate::world::World;

/// A simulated chip: a [`World`], or one with more around it.
pub trait SimulatedChip: Bus {
    /// Its components and its memory.
    fn world(&self) -> &World;

    /// The same, for conditions and recordings.
    fn world_mut(&mut self) -> &mut World;

    /// Lets time pass, as if so many accesses were made elsewhere.
    fn pass(&mut self, ticks: usize);
}

impl SimulatedChip for World {
    fn world(&self) -> &World {
        self
    }

    fn world_mut(&mut self) -> &mut World {
        self
    }

    fn pass(&mut self, ticks: usize) {
        self.run(ticks);
    }
}
