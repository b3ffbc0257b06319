// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core has counted.

use coretrace_abi::registers::csr::Control;
use coretrace_abi::registers::{Access, CORE};
use coretrace_target::topology::Receiver;
use coretrace_target::{Bus, BusError};

/// Every counter of a core by name, all as of one cycle.
pub struct Counters(pub Vec<(&'static str, u32)>);

impl Counters {
    /// Samples the counters of a core and reads them.
    ///
    /// # Errors
    /// If an access fails.
    pub fn read(core: &Receiver, bus: &mut dyn Bus) -> Result<Counters, BusError> {
        let control = core.registers + u64::from(Control::OFFSET);
        let settings = Control(bus.read32(control)?).with_snapshot(true);
        bus.write32(control, settings.0)?;
        let mut counts = Vec::new();
        for (offset, register) in CORE.placed() {
            if register.bits(Access::Snapshot) != 0 {
                let value = bus.read32(core.registers + u64::from(offset))?;
                counts.push((register.name, value));
            }
        }
        Ok(Counters(counts))
    }

    /// The counter with a name.
    pub fn of(&self, name: &str) -> u32 {
        let found = self.0.iter().find(|(of, _)| *of == name);
        found.map_or(0, |(_, value)| *value)
    }
}
