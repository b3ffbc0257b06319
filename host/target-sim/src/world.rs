// SPDX-License-Identifier: MIT OR Apache-2.0
//! The world: components, links, clocks and faults, as a bus.

use std::collections::BTreeMap;

use coretrace_coresight::map::{Class, ComponentKind};
use coretrace_target::topology::{Link, Topology};
use coretrace_target::{Bus, BusError};

use crate::device::Device;
use crate::fault::Fault;
use crate::findings::{Findings, Lost, Violation};
use crate::outcome::Outcome;
use crate::part::Part;

/// Reset value of a clock register of the Zynq UltraScale+ that is on, and of one that is off.
const CLOCK: u32 = 0x0000_2500;

/// A clock.
#[derive(Clone, Debug)]
struct Clock {
    address: u64,
    bit: u32,
    value: u32,
}

/// A chip.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) parts: Vec<Part>,
    pub(crate) links: Vec<Link>,
    clocks: Vec<Clock>,
    /// What the judge found.
    pub findings: Findings,
    /// Faults.
    pub faults: Vec<Fault>,
    /// Without its clock a component answers with an error, or reads 0 and takes no write.
    pub aborts_without_clock: bool,
    accesses: usize,
    written: BTreeMap<u64, usize>,
}

impl World {
    /// After reset, with all clocks on.
    pub fn cold(topology: &Topology) -> World {
        let parts = topology.components.iter();
        let clock = |clock: &coretrace_target::topology::Clock| Clock {
            address: clock.address,
            bit: clock.bit,
            value: CLOCK | 1 << clock.bit,
        };
        World {
            parts: parts
                .map(|c| Part::new(&c.name, c.kind, c.base, &c.clocks))
                .collect(),
            links: topology.links.clone(),
            clocks: topology.clocks.iter().map(clock).collect(),
            findings: Findings::default(),
            faults: Vec::new(),
            aborts_without_clock: true,
            accesses: 0,
            written: BTreeMap::new(),
        }
    }

    /// Turns a clock off.
    pub fn stop_clock(&mut self, clock: usize) {
        self.clocks[clock].value &= !(1 << self.clocks[clock].bit);
    }

    /// Puts a component at another address: nothing, or the next component, is at the old one.
    pub fn move_by(&mut self, component: usize, bytes: u64) {
        self.parts[component].base += bytes;
    }

    /// Lets a debugger claim a component.
    pub fn claim(&mut self, component: usize) {
        self.parts[component].claims |= 1;
    }

    /// A TMC that is not ready for so many accesses.
    pub fn drain(&mut self, component: usize, accesses: u32) {
        if let Device::Memory(memory) = &mut self.parts[component].device {
            memory.draining = accesses;
        }
    }

    /// A trace unit that needs so many accesses to get power.
    pub fn slow_power(&mut self, component: usize, accesses: u32) {
        if let Device::TraceUnit(unit) = &mut self.parts[component].device {
            unit.power_in = accesses;
        }
    }

    /// A trace unit that somebody left enabled.
    pub fn leave_enabled(&mut self, component: usize) {
        if let Device::TraceUnit(unit) = &mut self.parts[component].device {
            unit.enable();
        }
    }

    /// Sets a register as somebody left it.
    pub fn leave(&mut self, component: usize, offset: u32, value: u32) {
        self.parts[component].words[offset as usize / 4] = value;
    }

    /// Every configuration register with a value that no session writes, and every replicator open.
    pub fn make_dirty(&mut self) {
        for part in &mut self.parts {
            for register in part.kind.registers() {
                let value = match register.class {
                    Class::Configuration => 0x5A5A_5A5A,
                    _ => continue,
                };
                for index in 0..register.count {
                    part.words[register.at(index) as usize / 4] = value;
                }
            }
        }
    }

    /// Lets time pass, as if so many accesses were made elsewhere.
    pub fn run(&mut self, ticks: usize) {
        (0..ticks).for_each(|_| self.tick());
    }

    /// The bytes that a trace unit made.
    pub fn sent(&self, component: usize) -> &[u8] {
        match &self.parts[component].device {
            Device::TraceUnit(unit) => &unit.sent,
            _ => &[],
        }
    }

    /// What a sink holds: frames of a memory, or what came out of a port.
    pub fn received(&self, component: usize) -> &[u8] {
        match &self.parts[component].device {
            Device::Memory(memory) => &memory.frames,
            Device::Port(port) => &port.bytes,
            _ => &[],
        }
    }

    /// All registers that only hold a value, by component.
    pub fn registers(&self) -> Vec<(String, Vec<u32>)> {
        self.parts
            .iter()
            .map(|part| (part.name.clone(), part.words.clone()))
            .collect()
    }

    /// What lasts when nothing runs: locks, claims, power, what is on, routes and clocks.
    pub fn at_rest(&self) -> Vec<String> {
        let part = |part: &Part| {
            let on = match &part.device {
                Device::TraceUnit(unit) => {
                    let power = part.word(&coretrace_coresight::map::trace_unit::TRCPDCR);
                    format!(
                        "{} os lock {} power {power}",
                        unit.is_on(),
                        unit.is_os_locked
                    )
                }
                Device::Memory(memory) => memory.is_on().to_string(),
                Device::Port(port) => port.is_on(&part.words).to_string(),
                Device::Link(_) => format!("{:X} {:X}", part.words[0], part.words[1]),
                Device::Other if part.kind == ComponentKind::Timestamp => part.words[0].to_string(),
                Device::Other => String::new(),
            };
            format!(
                "{} locked {} claims {} on {on}",
                part.name, part.is_locked, part.claims
            )
        };
        let clocks = self.clocks.iter().map(|clock| format!("{:X}", clock.value));
        self.parts.iter().map(part).chain(clocks).collect()
    }

    pub(crate) fn lose(&mut self, index: usize, why: &'static str, bytes: usize) {
        let component = self.parts[index].name.clone();
        *self
            .findings
            .lost
            .entry(Lost { component, why })
            .or_default() += bytes;
    }

    /// The faults that begin now.
    fn begin_faults(&mut self) {
        self.accesses += 1;
        for fault in self.faults.clone() {
            match fault {
                Fault::ClockLost { clock, after } if after == self.accesses => {
                    self.stop_clock(clock)
                }
                Fault::PowerLost { component, after } if after == self.accesses => {
                    self.slow_power(component, u32::MAX);
                }
                Fault::Stolen { component, after } if after == self.accesses => {
                    self.claim(component)
                }
                _ => {}
            }
        }
    }

    /// What a read sees of a value.
    fn seen(&self, address: u64, value: u32) -> u32 {
        self.faults.iter().fold(value, |seen, fault| match *fault {
            Fault::Read {
                address: at,
                mask,
                value,
            } if at == address => seen & !mask | value & mask,
            _ => seen,
        })
    }

    /// The component at an address; `None` where nothing answers without an error.
    fn find(&mut self, address: u64) -> Result<Option<(usize, u32)>, BusError> {
        let bytes = coretrace_coresight::map::COMPONENT_BYTES;
        let found = self
            .parts
            .iter()
            .position(|p| (p.base..p.base + bytes).contains(&address));
        let Some(index) = found else { return Ok(None) };
        let part = &self.parts[index];
        let is_on = |clock: &usize| self.clocks[*clock].value >> self.clocks[*clock].bit & 1 == 1;
        if part.clocks.iter().all(is_on) {
            return Ok(Some((index, (address - part.base) as u32)));
        }
        if !self.aborts_without_clock {
            return Ok(None);
        }
        self.findings.aborted.insert(part.name.clone());
        Err(BusError::Aborted)
    }

    fn judge(&mut self, index: usize, offset: u32, mut out: Outcome) -> Result<(), BusError> {
        if out.is_opened && self.opens_too_early(index) {
            out.broken.push("SINK");
        }
        if out.is_closed && self.feeds_running(index) {
            out.broken.push("FLUSH");
        }
        let component = self.parts[index].name.clone();
        for rule in out.broken {
            let component = component.clone();
            self.findings.violations.insert(Violation {
                rule,
                component,
                offset,
            });
        }
        if let Some((why, bytes)) = out.lost {
            self.lose(index, why, bytes);
        }
        if out.is_aborted {
            self.findings.aborted.insert(component);
            return Err(BusError::Aborted);
        }
        Ok(())
    }
}

impl Bus for World {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        self.begin_faults();
        self.tick();
        if let Some(clock) = self.clocks.iter().find(|clock| clock.address == address) {
            return Ok(self.seen(address, clock.value));
        }
        let Some((index, offset)) = self.find(address)? else {
            return Ok(0);
        };
        let mut out = Outcome::default();
        let value = self.parts[index].read(offset, &mut out);
        self.judge(index, offset, out)?;
        Ok(self.seen(address, value))
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        self.begin_faults();
        self.tick();
        self.findings.writes += 1;
        let count = self.written.entry(address).or_default();
        let dropped = Fault::DropWrite {
            address,
            skip: *count,
        };
        *count += 1;
        if self.faults.contains(&dropped) {
            return Ok(());
        }
        if let Some(clock) = self
            .clocks
            .iter_mut()
            .find(|clock| clock.address == address)
        {
            clock.value = value;
            return Ok(());
        }
        let Some((index, offset)) = self.find(address)? else {
            return Ok(());
        };
        let mut out = Outcome::default();
        self.parts[index].write(offset, value, &mut out);
        self.judge(index, offset, out)
    }
}
