// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the components of a chip and the cores behind its ports do now, by reads alone.

use coretrace_abi::axi_dma::{DMACR, DMASR};
use coretrace_abi::registers::Access::{Event, Live, Snapshot};
use coretrace_abi::registers::csr::{Id, SourceControl};
use coretrace_abi::registers::{CORE, Register as CoreRegister};
use coretrace_coresight::map::common::{CLAIMCLR, LSR};
use coretrace_coresight::map::trace_unit::{
    TRCOSLSR, TRCPDSR, TRCPRGCTLR, TRCSTATR, trcoslsr, trcpdsr,
};
use coretrace_coresight::map::triggers::stm::{SPER, TCSR};
use coretrace_coresight::map::{ComponentKind, Register, links, tmc, tpiu};

use crate::bus::{Bus, BusError};
use crate::plan::{Action, Builder, Step, identify};
use crate::topology::{Index, Receiver, Topology};

/// A clock or a component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Its name.
    pub name: String,
    /// The kind of a component, or `clock`.
    pub kind: &'static str,
    /// Registers by name, as far as they could be read.
    pub registers: Vec<(String, u32)>,
    /// Why not all were read.
    pub problem: Option<String>,
}

/// Reads the state of every clock and component. Components without a clock, or that are not what the
/// topology says, are left alone.
pub fn status(topology: &Topology, bus: &mut dyn Bus) -> Vec<State> {
    let mut states = Vec::new();
    let mut off = vec![None; topology.clocks.len()];
    for (clock, why) in topology.clocks.iter().zip(&mut off) {
        let mut state = State::new(&clock.register, "clock");
        match state.read(bus, "VALUE", clock.address) {
            Ok(value) if value >> clock.bit & 1 == 1 => {}
            Ok(_) => *why = Some(format!("{} is off: {}", clock.register, clock.advice)),
            Err(error) => *why = Some(format!("{}: {error}", clock.register)),
        }
        state.problem = why.clone();
        states.push(state);
    }
    for (index, component) in topology.components.iter().enumerate() {
        let mut state = State::new(&component.name, component.kind.name());
        let mut clocks = component.clocks.iter();
        state.problem = clocks.find_map(|&clock| off[clock].clone());
        if state.problem.is_none() {
            state.problem = state.read_component(topology, index, bus).err();
        }
        states.push(state);
    }
    states
}

/// Reads the state of every core behind a trace port. Its counters are those of the last snapshot. Where a
/// bitstream has no core, a read may hang the machine.
pub fn cores(topology: &Topology, bus: &mut dyn Bus) -> Vec<State> {
    let cores = topology.receivers.iter().map(|core| {
        let mut state = State::new(&core.name, "core");
        state.problem = state.read_core(core, bus).err();
        state
    });
    cores.collect()
}

impl State {
    fn new(name: &str, kind: &'static str) -> State {
        State {
            name: name.to_owned(),
            kind,
            registers: Vec::new(),
            problem: None,
        }
    }

    fn read(&mut self, bus: &mut dyn Bus, name: &str, address: u64) -> Result<u32, BusError> {
        let value = bus.read32(address)?;
        self.registers.push((name.to_owned(), value));
        Ok(value)
    }

    /// Identifies a core and reads what it does and what it counted.
    ///
    /// # Errors
    /// Why it ended early.
    fn read_core(&mut self, core: &Receiver, bus: &mut dyn Bus) -> Result<(), String> {
        let id = bus.read32(core.registers);
        match id.map_err(|error| format!("ID: {error}"))? {
            id if id == Id::RESET.0 => {}
            id => return Err(format!("another component is there: ID is {id:#X}")),
        }
        let is_state = |register: &CoreRegister| {
            let mut fields = register.fields.iter();
            fields.any(|field| matches!(field.access, Live | Event | Snapshot))
        };
        let of_core = CORE
            .placed()
            .filter(|(offset, of)| is_state(of) || *offset == SourceControl::offset(0))
            .map(|(offset, register)| (register.name, core.registers + u64::from(offset)));
        let of_dma = [("DMACR", DMACR), ("DMASR", DMASR)];
        let of_dma = of_dma.map(|(name, offset)| (name, core.dma + u64::from(offset)));
        for (name, address) in of_core.chain(of_dma) {
            let read = self.read(bus, name, address);
            read.map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }

    /// Identifies a component and reads its registers.
    ///
    /// # Errors
    /// Why it ended early.
    fn read_component(
        &mut self,
        topology: &Topology,
        index: Index,
        bus: &mut dyn Bus,
    ) -> Result<(), String> {
        let component = &topology.components[index];
        let mut builder = Builder::new(topology);
        identify(&mut builder, index);
        for step in &builder.steps {
            check(step, bus)?;
        }
        let mut read = |register: &Register, number: u32| {
            let address = component.base + u64::from(register.at(number));
            let name = match register.count {
                1 => register.name.to_owned(),
                _ => format!("{}{number}", register.name),
            };
            let read = self.read(bus, &name, address);
            read.map_err(|error| format!("{name}: {error}"))
        };
        if component.kind.has_lock() {
            read(&LSR, 0)?;
            read(&CLAIMCLR, 0)?;
        }
        if component.kind == ComponentKind::Etm4 {
            let is_locked = trcoslsr::LOCKED.of(read(&TRCOSLSR, 0)?) == 1;
            let has_power = trcpdsr::POWER.of(read(&TRCPDSR, 0)?) == 1;
            if is_locked || !has_power {
                return Ok(());
            }
        }
        for (register, number) in of_kind(component.kind) {
            read(register, *number)?;
        }
        Ok(())
    }
}

/// The registers that say what a component of a kind does.
fn of_kind(kind: ComponentKind) -> &'static [(&'static Register, u32)] {
    match kind {
        ComponentKind::Etm4 => &[(&TRCPRGCTLR, 0), (&TRCSTATR, 0)],
        ComponentKind::Etb | ComponentKind::Etf | ComponentKind::Etr => &[
            (&tmc::CTL, 0),
            (&tmc::STS, 0),
            (&tmc::MODE, 0),
            (&tmc::CBUFLEVEL, 0),
        ],
        ComponentKind::Tpiu => &[(&tpiu::FFCR, 0), (&tpiu::FFSR, 0), (&tpiu::CSPSR, 0)],
        ComponentKind::Funnel => &[(&links::funnel::CTRL, 0)],
        ComponentKind::Replicator => &[
            (&links::replicator::IDFILTER, 0),
            (&links::replicator::IDFILTER, 1),
        ],
        ComponentKind::Timestamp => &[(&links::timestamp::CNTCR, 0)],
        ComponentKind::Stm => &[(&TCSR, 0), (&SPER, 0)],
        ComponentKind::Etm3 | ComponentKind::Cti => &[],
    }
}

/// Does a step that identifies a component.
fn check(step: &Step, bus: &mut dyn Bus) -> Result<(), String> {
    let Action::Check { mask, values } = &step.action else {
        return Ok(());
    };
    let seen = bus.read32(step.address);
    let seen = seen.map_err(|error| format!("{}: {error}", step.place))?;
    match values.contains(&(seen & mask)) {
        true => Ok(()),
        false => Err(format!(
            "another component is there: {} is {seen:#X}",
            step.place
        )),
    }
}
