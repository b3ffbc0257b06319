// SPDX-License-Identifier: MIT OR Apache-2.0
//! The state machines.

mod link;
mod memory;
mod port;
mod stm;
mod trace_unit;

pub use link::Link;
pub use memory::Memory;
pub use port::Port;
pub use stm::Stm;
pub use trace_unit::TraceUnit;

use coretrace_coresight::map::ComponentKind;
use coretrace_coresight::map::common::{AUTHSTATUS, authstatus};
use coretrace_coresight::map::tmc::RSZ;

use crate::outcome::Outcome;

/// Frames after which a formatter repeats a trace ID, for receivers that start late and buffers that wrap.
const REPEAT: u32 = 10;

/// A byte of trace with its trace ID.
pub type Traced = (u8, u8);

/// What a tick made: bytes for the output, and a flush that goes up.
#[derive(Debug, Default)]
pub struct Tick {
    /// Bytes that leave.
    pub bytes: Vec<Traced>,
    /// What is above must hand on what it holds, before the flush of this component ends.
    pub is_flush: bool,
}

/// Whether the system allows the debug that a source needs.
fn is_allowed(words: &[u32]) -> bool {
    let allowed = authstatus::NSNID.of(words[AUTHSTATUS.offset as usize / 4]);
    authstatus::NSNID.with(allowed) == authstatus::NSNID.mask()
}

/// A state machine.
#[derive(Clone, Debug)]
pub enum Device {
    /// A trace unit.
    TraceUnit(TraceUnit),
    /// A system trace macrocell.
    Stm(Stm),
    /// A funnel or a replicator.
    Link(Link),
    /// A TMC.
    Memory(Memory),
    /// A trace port.
    Port(Port),
    /// Registers only.
    Other,
}

impl Device {
    /// After reset.
    pub fn new(kind: ComponentKind, words: &mut [u32]) -> Device {
        match kind {
            ComponentKind::Etm4 => Device::TraceUnit(TraceUnit::new(words)),
            ComponentKind::Stm => Device::Stm(Stm::default()),
            ComponentKind::Funnel => Device::Link(Link::funnel()),
            ComponentKind::Replicator => Device::Link(Link::replicator()),
            ComponentKind::Etb | ComponentKind::Etf => {
                words[RSZ.offset as usize / 4] = memory::WORDS;
                Device::Memory(Memory::new())
            }
            ComponentKind::Etr => Device::Memory(Memory::new()),
            ComponentKind::Tpiu => Device::Port(Port::default()),
            _ => Device::Other,
        }
    }

    /// Whether a register opens the OS lock, which the software lock does not cover.
    pub fn is_os_lock(&self, offset: u32) -> bool {
        matches!(self, Device::TraceUnit(_)) && offset == trace_unit::OS_LOCK
    }

    /// Reads a register; `words` are those that registers hold.
    pub fn read(&mut self, offset: u32, words: &[u32], out: &mut Outcome) -> u32 {
        let value = words[offset as usize / 4];
        match self {
            Device::TraceUnit(unit) => unit.read(offset, words, out),
            Device::Stm(stm) => stm.read(offset, value),
            Device::Memory(memory) => memory.read(offset, value, words),
            Device::Port(port) => port.read(offset, value),
            Device::Link(_) | Device::Other => value,
        }
    }

    /// Writes a register.
    pub fn write(
        &mut self,
        offset: u32,
        value: u32,
        is_configuration: bool,
        words: &mut [u32],
        out: &mut Outcome,
    ) {
        match self {
            Device::TraceUnit(unit) => unit.write(offset, value, is_configuration, words, out),
            Device::Stm(stm) => stm.write(offset, value, is_configuration, words, out),
            Device::Memory(memory) => memory.write(offset, value, is_configuration, words, out),
            Device::Port(port) => port.write(offset, value, is_configuration, words, out),
            Device::Link(link) => link.write(offset, value, words, out),
            Device::Other => words[offset as usize / 4] = value,
        }
    }

    /// A tick of time.
    pub fn tick(&mut self, words: &mut [u32]) -> Tick {
        match self {
            Device::TraceUnit(unit) => unit.tick(words),
            Device::Stm(stm) => stm.tick(words),
            Device::Memory(memory) => memory.tick(words),
            Device::Port(port) => port.tick(words),
            Device::Link(_) | Device::Other => Tick::default(),
        }
    }
}
