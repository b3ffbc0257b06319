// SPDX-License-Identifier: MIT OR Apache-2.0
//! What others do to a chip before a session, and while it runs.

use std::sync::Arc;

use coretrace_coresight::map::Class;

use crate::device::Device;
use crate::program::Program;
use crate::world::World;

impl World {
    /// Turns a clock off.
    pub fn stop_clock(&mut self, clock: usize) {
        self.clocks[clock].value &= !(1 << self.clocks[clock].bit);
    }

    /// Turns a clock on.
    pub fn start_clock(&mut self, clock: usize) {
        self.clocks[clock].value |= 1 << self.clocks[clock].bit;
    }

    /// Puts a component at another address: nothing, or the next component, is at the old one.
    pub fn move_by(&mut self, component: usize, bytes: u64) {
        let base = &mut self.parts[component].base;
        *base = base.wrapping_add(bytes);
    }

    /// Puts a component at another address, and its ROM table says so.
    pub fn relocate(&mut self, component: usize, bytes: u64) {
        self.move_by(component, bytes);
        self.rom = self.rom.as_ref().map(|rom| rom.again(&self.parts));
    }

    /// Lets a debugger claim a component.
    pub fn claim(&mut self, component: usize) {
        self.parts[component].claims |= 1;
    }

    /// Lets somebody clear all claim tags of a component.
    pub fn unclaim(&mut self, component: usize) {
        self.parts[component].claims = 0;
    }

    /// Lets somebody close the software lock of a component.
    pub fn lock(&mut self, component: usize) {
        self.parts[component].is_locked = self.parts[component].kind.has_lock();
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

    /// A source that somebody left enabled.
    pub fn leave_enabled(&mut self, component: usize) {
        let part = &mut self.parts[component];
        match &mut part.device {
            Device::TraceUnit(unit) => unit.enable(),
            Device::Stm(stm) => stm.enable(&mut part.words),
            _ => {}
        }
    }

    /// Lets every core do what a recording has, each time when its trace unit is enabled.
    pub fn play(&mut self, recording: &[u8]) {
        let recording: Arc<[u8]> = recording.into();
        for part in &mut self.parts {
            if let Device::TraceUnit(unit) = &mut part.device {
                unit.play(Program::Recording(Arc::clone(&recording), 0));
            }
        }
    }

    /// Sets a register as somebody left it.
    pub fn leave(&mut self, component: usize, offset: u32, value: u32) {
        self.parts[component].words[offset as usize / 4] = value;
    }

    /// Every configuration register of a component or a core with a value that no session writes.
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
        for receiver in &mut self.receivers {
            receiver.make_dirty(0x5A5A_5A5A);
        }
    }
}
