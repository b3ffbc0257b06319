// SPDX-License-Identifier: MIT OR Apache-2.0
//! The world: components, links, clocks and faults, as a bus.

use std::collections::BTreeMap;

use coretrace_coresight::map::{COMPONENT_BYTES, ComponentKind};
use coretrace_target::topology::{Link, Topology};
use coretrace_target::{Bus, BusError};

use crate::device::Device;
use crate::dma::Memory;
use crate::fault::Fault;
use crate::findings::{Findings, Lost, Violation};
use crate::outcome::Outcome;
use crate::part::Part;
use crate::receiver::Receiver;
use crate::rom::Rom;

/// Reset value of a clock register of the Zynq UltraScale+ that is on, and of one that is off.
const CLOCK: u32 = 0x0000_2500;

/// A clock.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    address: u64,
    pub(crate) bit: u32,
    pub(crate) value: u32,
    /// Whether it was read.
    is_seen: bool,
}

/// A chip.
#[derive(Clone, Debug)]
pub struct World {
    pub(crate) parts: Vec<Part>,
    pub(crate) links: Vec<Link>,
    pub(crate) clocks: Vec<Clock>,
    pub(crate) receivers: Vec<Receiver>,
    pub(crate) rom: Option<Rom>,
    /// Words of the memory of the system.
    pub memory: Memory,
    /// What the judge found.
    pub findings: Findings,
    /// Faults.
    pub faults: Vec<Fault>,
    /// Without its clock a component answers with an error, or reads 0 and takes no write.
    pub aborts_without_clock: bool,
    /// Where no component is, an access is answered with an error, or reads 0 and takes no write.
    pub aborts_where_nothing_is: bool,
    accesses: usize,
    /// Inputs at which the byte arrived that is on its way.
    pub(crate) ways: usize,
    written: BTreeMap<u64, usize>,
}

impl World {
    /// After reset, with all clocks on.
    pub fn cold(topology: &Topology) -> World {
        let parts = topology.components.iter();
        let parts = parts.map(|c| Part::new(&c.name, c.kind, c.base, &c.clocks));
        let parts: Vec<Part> = parts.collect();
        let clock = |clock: &coretrace_target::topology::Clock| Clock {
            address: clock.address,
            bit: clock.bit,
            value: CLOCK | 1 << clock.bit,
            is_seen: false,
        };
        World {
            rom: topology.rom.map(|base| Rom::new(base, &parts)),
            parts,
            links: topology.links.clone(),
            clocks: topology.clocks.iter().map(clock).collect(),
            receivers: topology
                .receivers
                .iter()
                .map(|r| Receiver::new(&r.name, r.port, (r.registers, r.dma)))
                .collect(),
            memory: Memory::new(),
            findings: Findings::default(),
            faults: Vec::new(),
            aborts_without_clock: true,
            aborts_where_nothing_is: false,
            accesses: 0,
            ways: 0,
            written: BTreeMap::new(),
        }
    }

    /// Another process begins: what the one before has read does not count for it.
    pub fn forget(&mut self) {
        self.clocks
            .iter_mut()
            .for_each(|clock| clock.is_seen = false);
        self.parts.iter_mut().for_each(Part::forget);
        for receiver in &mut self.receivers {
            receiver.is_known = false;
        }
    }

    /// Accesses so far.
    pub fn accesses(&self) -> usize {
        self.accesses
    }

    /// Lets time pass, as if so many accesses were made elsewhere.
    pub fn run(&mut self, ticks: usize) {
        (0..ticks).for_each(|_| self.tick());
    }

    /// The bytes that a source made.
    pub fn sent(&self, component: usize) -> &[u8] {
        match &self.parts[component].device {
            Device::TraceUnit(unit) => &unit.sent,
            Device::Stm(stm) => &stm.sent,
            _ => &[],
        }
    }

    /// What a sink holds: frames of a memory, or what came out of a port, since it was started.
    pub fn received(&self, component: usize) -> &[u8] {
        match &self.parts[component].device {
            Device::Memory(memory) => memory.held(&self.parts[component].words),
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
                Device::Stm(stm) => stm.is_on().to_string(),
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
        let receivers = self.receivers.iter().map(|receiver| {
            let (core, dma) = (receiver.is_on(), receiver.dma.is_running());
            format!("{} on {core} dma {dma}", receiver.name)
        });
        self.parts
            .iter()
            .map(part)
            .chain(receivers)
            .chain(clocks)
            .collect()
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
                Fault::Unclaimed { component, after } if after == self.accesses => {
                    self.unclaim(component)
                }
                Fault::Locked { component, after } if after == self.accesses => {
                    self.lock(component)
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
        let offset = |part: &Part| address.checked_sub(part.base);
        let has = |part: &Part| offset(part).is_some_and(|offset| offset < COMPONENT_BYTES);
        let found = self.parts.iter().position(has);
        let Some(index) = found else {
            let nothing = (!self.aborts_where_nothing_is).then_some(None);
            return nothing.ok_or(BusError::Aborted);
        };
        let part = &self.parts[index];
        if part.clocks.iter().any(|clock| !self.clocks[*clock].is_seen) {
            let (name, offset) = (part.name.clone(), (address - part.base) as u32);
            self.violate(&name, offset, &["CLOCK"]);
        }
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

    pub(crate) fn violate(&mut self, component: &str, offset: u32, rules: &[&'static str]) {
        let violations = rules.iter().map(|&rule| Violation {
            rule,
            component: component.to_owned(),
            offset,
        });
        self.findings.violations.extend(violations);
    }

    fn judge(&mut self, index: usize, offset: u32, mut out: Outcome) -> Result<(), BusError> {
        if out.is_opened && self.opens_too_early(index) {
            out.broken.push("SINK");
        }
        if out.is_closed && self.feeds_running(index) {
            out.broken.push("FLUSH");
        }
        let component = self.parts[index].name.clone();
        self.violate(&component, offset, &out.broken);
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
        if self.is_memory(address) {
            return Ok(self.memory.get(&address).copied().unwrap_or(0));
        }
        self.begin_faults();
        self.tick();
        if let Some(clock) = self
            .clocks
            .iter_mut()
            .find(|clock| clock.address == address)
        {
            clock.is_seen = true;
            let value = clock.value;
            return Ok(self.seen(address, value));
        }
        if let Some(value) = self.read_elsewhere(address) {
            return Ok(self.seen(address, value));
        }
        let rom = self.rom.as_ref().and_then(|rom| rom.read(address));
        if let Some(word) = rom {
            return Ok(self.seen(address, word));
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
        if self.is_memory(address) {
            self.memory.insert(address, value);
            return Ok(());
        }
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
        if self.write_elsewhere(address, value) {
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
