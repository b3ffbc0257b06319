// SPDX-License-Identifier: MIT OR Apache-2.0
//! Conditions of a world by name: what is wrong with the chip, as users ask for it.

use coretrace_coresight::map::common::AUTHSTATUS;
use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind, tmc, tpiu, trace_unit};
use coretrace_target::Topology;

use crate::fault::Fault;
use crate::receiver::Receiver;
use crate::world::World;

/// Each condition, with what it means.
pub const CONDITIONS: &[(&str, &str)] = &[
    ("clock-off=CLOCK", "the clock does not run"),
    ("clock-on=CLOCK", "it runs again"),
    ("clock-lost=CLOCK@N", "it stops after N accesses"),
    ("claimed=COMPONENT", "a debugger uses the component"),
    ("stolen=COMPONENT@N", "a debugger takes it after N accesses"),
    (
        "unclaimed=COMPONENT@N",
        "somebody clears its claim tags after N accesses",
    ),
    (
        "locked=COMPONENT@N",
        "somebody closes its software lock after N accesses",
    ),
    (
        "elsewhere=COMPONENT",
        "nothing is at the address of the component",
    ),
    (
        "moved=COMPONENT@N",
        "it is N pages of 4 KiB further up, and the ROM table says so",
    ),
    (
        "forbidden=COMPONENT",
        "the system forbids the debug that it needs",
    ),
    ("never-ready=MEMORY", "the trace memory never becomes ready"),
    (
        "no-flush=BUFFER",
        "a flush of the trace memory or port never ends",
    ),
    (
        "size=BUFFER@N",
        "the trace memory of an ETB or ETF has N words",
    ),
    (
        "fixed-syncs=UNIT",
        "the trace unit has a fixed period of syncs",
    ),
    ("no-power=UNIT", "the trace unit gets no power"),
    ("power-lost=UNIT@N", "it loses its power after N accesses"),
    (
        "ring-full=CORE@N",
        "its host is late, so that no buffer is free for N accesses",
    ),
    (
        "no-port=CORE",
        "nothing of the trace port arrives at the core behind it",
    ),
    (
        "dma-fails=CORE@N",
        "the DMA of the core behind a port stops with an error after N packets",
    ),
];

/// Addresses that no chip has.
const ELSEWHERE: u64 = 1 << 48;

impl World {
    /// Imposes a condition from now on.
    ///
    /// # Errors
    /// If there is no such condition, clock or component, in a sentence.
    pub fn impose(&mut self, topology: &Topology, condition: &str) -> Result<(), String> {
        let unknown = || {
            let names: Vec<&str> = CONDITIONS.iter().map(|(name, _)| *name).collect();
            format!("there is no condition {condition}: {}", names.join(", "))
        };
        let (name, place) = condition.split_once('=').ok_or_else(unknown)?;
        let (place, number) = match place.split_once('@') {
            Some((place, number)) => {
                let number = number.parse::<u32>();
                let number =
                    number.map_err(|_| format!("{condition}: @ is followed by a number"))?;
                (place, Some(number))
            }
            None => (place, None),
        };
        let after = self.accesses().saturating_add(number.unwrap_or(0) as usize);
        let component = || {
            let found = topology.find(place);
            found.ok_or_else(|| format!("{condition}: {} has no {place}", topology.name))
        };
        let clock = || {
            let found = topology.clocks.iter().position(|clock| clock.name == place);
            found.ok_or_else(|| format!("{condition}: {} has no clock {place}", topology.name))
        };
        let no_core = || {
            format!(
                "{condition}: {} has no model of a core {place}",
                topology.name
            )
        };
        match (name, number) {
            ("clock-off", None) => self.stop_clock(clock()?),
            ("clock-on", None) => self.start_clock(clock()?),
            ("clock-lost", Some(_)) => {
                let clock = clock()?;
                self.faults.push(Fault::ClockLost { clock, after });
            }
            ("claimed", None) => self.claim(component()?),
            ("stolen", Some(_)) => {
                let component = component()?;
                self.faults.push(Fault::Stolen { component, after });
            }
            ("unclaimed", Some(_)) => {
                let component = component()?;
                self.faults.push(Fault::Unclaimed { component, after });
            }
            ("locked", Some(_)) => {
                let component = component()?;
                self.faults.push(Fault::Locked { component, after });
            }
            ("elsewhere", None) => self.move_by(component()?, ELSEWHERE),
            ("moved", Some(pages)) => {
                self.relocate(component()?, COMPONENT_BYTES * u64::from(pages));
            }
            ("forbidden", None) => self.leave(component()?, AUTHSTATUS.offset, 0),
            ("never-ready", None) => self.drain(component()?, u32::MAX),
            ("no-flush", None) => {
                let of = &topology.components[component()?];
                let (register, field) = match of.kind {
                    ComponentKind::Tpiu => (&tpiu::FFCR, tpiu::ffcr::F_ON_MAN),
                    _ => (&tmc::FFCR, tmc::ffcr::FLUSH_MAN),
                };
                let address = of.base + u64::from(register.offset);
                let (mask, value) = (field.mask(), u32::MAX);
                self.faults.push(Fault::Read {
                    address,
                    mask,
                    value,
                });
            }
            ("fixed-syncs", None) => {
                let base = topology.components[component()?].base;
                self.faults.push(Fault::Read {
                    address: base + u64::from(trace_unit::TRCSYNCPR.offset),
                    mask: u32::MAX,
                    value: 0,
                });
            }
            ("size", Some(words)) => self.leave(component()?, tmc::RSZ.offset, words),
            ("no-power", None) => self.slow_power(component()?, u32::MAX),
            ("power-lost", Some(_)) => {
                let component = component()?;
                self.faults.push(Fault::PowerLost { component, after });
            }
            ("ring-full", Some(ticks)) => {
                let core = self.core(topology, place).ok_or_else(no_core)?;
                core.dma.fill_for(ticks as usize);
            }
            ("no-port", None) => self.core(topology, place).ok_or_else(no_core)?.unplug(),
            ("dma-fails", Some(packets)) => {
                let core = self.core(topology, place).ok_or_else(no_core)?;
                core.dma.fail_after(packets as usize);
            }
            _ => return Err(unknown()),
        }
        Ok(())
    }

    /// The model of a core with a name; there is none where the core is hardware.
    fn core(&mut self, topology: &Topology, name: &str) -> Option<&mut Receiver> {
        let core = topology.receiver(name)?;
        self.receivers.get_mut(core)
    }
}
