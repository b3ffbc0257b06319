// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace unit of ETMv4: locks, power, EN and IDLE, and what it sends.

use coretrace_coresight::map::trace_unit::{
    LAST_POWER_OFFSET, TRCIDR1, TRCOSLAR, TRCOSLSR, TRCPDCR, TRCPDSR, TRCPRGCTLR, TRCSTATR,
    TRCTRACEIDR, trcoslsr, trcpdcr, trcpdsr, trcprgctlr, trcstatr, trctraceidr,
};
use coretrace_coresight::map::{Class, ComponentKind, find};
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};

use super::{Tick, Traced, is_allowed};
use crate::outcome::Outcome;
use crate::program::Program;

/// The register of the OS lock.
pub const OS_LOCK: u32 = TRCOSLAR.offset;

/// Ticks from EN to IDLE.
const STOPPING: u32 = 4;

/// The state.
#[derive(Clone, Debug)]
pub struct TraceUnit {
    /// The OS lock.
    pub is_os_locked: bool,
    /// Ticks until it has power after PU; 0 is power now.
    pub power_in: u32,
    is_enabled: bool,
    /// Ticks until it is idle.
    idle_in: u32,
    /// What the unit holds back until it stops.
    held: Vec<Traced>,
    program: Program,
    config: Config,
    /// Every byte that it made.
    pub sent: Vec<u8>,
}

impl TraceUnit {
    pub(super) fn new(words: &mut [u32]) -> TraceUnit {
        // A Cortex-A53: ETMv4.0.
        words[TRCIDR1.offset as usize / 4] = 0x4100_F403;
        let registers = Registers {
            trcidr0: 0x2800_0EA1,
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::ZERO
        };
        let config = Config::new(Protocol::Etm4, ArchProfile::A, &registers);
        TraceUnit {
            is_os_locked: true,
            power_in: 0,
            is_enabled: false,
            idle_in: 0,
            held: Vec::new(),
            program: Program::Numbers(0),
            config,
            sent: Vec::new(),
        }
    }

    /// Whether it traces.
    pub fn is_on(&self) -> bool {
        self.is_enabled
    }

    /// Enables it from outside of a session.
    pub fn enable(&mut self) {
        self.is_enabled = true;
    }

    /// Sets what its core does.
    pub fn play(&mut self, program: Program) {
        self.program = program;
    }

    fn is_idle(&self) -> bool {
        !self.is_enabled && self.idle_in == 0
    }

    /// Trace registers answer with an error without power, with the OS lock, or where the system forbids trace.
    fn aborts(&self, offset: u32, words: &[u32]) -> bool {
        let is_free = (OS_LOCK..=LAST_POWER_OFFSET).contains(&offset);
        !is_free && (self.is_os_locked || self.power_in > 0 || !is_allowed(words))
    }

    pub(super) fn read(&self, offset: u32, words: &[u32], out: &mut Outcome) -> u32 {
        let value = words[offset as usize / 4];
        out.is_aborted = self.aborts(offset, words);
        let class = find(ComponentKind::Etm4, offset).map(|register| register.class);
        if self.is_enabled && class == Some(Class::Configuration) {
            out.broken.push("IDLE");
            return !value;
        }
        match offset {
            _ if offset == TRCSTATR.offset => {
                let idle = u32::from(self.is_idle());
                trcstatr::IDLE.with(idle) | trcstatr::PMSTABLE.with(idle)
            }
            _ if offset == TRCPRGCTLR.offset => u32::from(self.is_enabled),
            _ if offset == TRCOSLSR.offset => {
                value & !trcoslsr::LOCKED.mask() | trcoslsr::LOCKED.with(self.is_os_locked.into())
            }
            _ if offset == TRCPDSR.offset => {
                trcpdsr::POWER.with(u32::from(self.power_in == 0))
                    | trcpdsr::OSLK.with(self.is_os_locked.into())
            }
            _ => value,
        }
    }

    pub(super) fn write(
        &mut self,
        offset: u32,
        value: u32,
        is_configuration: bool,
        words: &mut [u32],
        out: &mut Outcome,
    ) {
        out.is_aborted = self.aborts(offset, words);
        if out.is_aborted {
            return;
        }
        if is_configuration && !self.is_idle() {
            out.broken.push("IDLE");
        }
        words[offset as usize / 4] = value;
        if offset == OS_LOCK {
            self.is_os_locked = value & 1 == 1;
        } else if offset == TRCPDCR.offset && trcpdcr::PU.of(value) == 0 && self.is_enabled {
            out.broken.push("POWER");
        } else if offset == TRCPRGCTLR.offset {
            self.switch(trcprgctlr::EN.of(value) == 1, out);
        }
    }

    fn switch(&mut self, is_on: bool, out: &mut Outcome) {
        if is_on && !self.is_enabled {
            if self.idle_in > 0 {
                out.broken.push("IDLE");
            }
            self.program.restart();
            out.is_opened = true;
        }
        if !is_on && self.is_enabled {
            self.idle_in = STOPPING;
        }
        self.is_enabled = is_on;
    }

    pub(super) fn tick(&mut self, words: &mut [u32]) -> Tick {
        if trcpdcr::PU.of(words[TRCPDCR.offset as usize / 4]) == 1 {
            self.power_in = self.power_in.saturating_sub(1);
        }
        let mut bytes = Vec::new();
        if self.is_enabled {
            let id = trctraceidr::TRACEID.of(words[TRCTRACEIDR.offset as usize / 4]) as u8;
            let made = self.program.next(&self.config);
            self.sent.extend(&made);
            // What was made before leaves.
            bytes = std::mem::take(&mut self.held);
            self.held.extend(made.iter().map(|&byte| (id, byte)));
        } else if self.idle_in > 0 {
            self.idle_in -= 1;
            if self.idle_in == 0 {
                bytes = std::mem::take(&mut self.held);
            }
        }
        Tick {
            bytes,
            is_flush: false,
        }
    }
}
