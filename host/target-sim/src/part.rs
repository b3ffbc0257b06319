// SPDX-License-Identifier: MIT OR Apache-2.0
//! A component: its management registers, and the state machine of its kind.

use coretrace_coresight::map::common::{
    AUTHSTATUS, CIDR0, CIDR1, CIDR2, CIDR3, CLAIMCLR, CLAIMSET, CORESIGHT_CLASS, DEVARCH, DEVID,
    DEVTYPE, FIRST_MANAGEMENT_OFFSET, LAR, LSR, PIDR0, PIDR1, UNLOCK_KEY, cidr1, devarch, lsr,
    pidr0, pidr1,
};
use coretrace_coresight::map::{ARM, Class, ComponentKind, Register, find, tmc};

use crate::device::Device;
use crate::outcome::Outcome;

/// The words of a component.
const WORDS: usize = 1024;

/// AUTHSTATUS of a chip that allows all debug.
const ALL_ALLOWED: u32 = 0xFF;

/// A component.
#[derive(Clone, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: ComponentKind,
    /// Physical address.
    pub base: u64,
    /// Places of its clocks.
    pub clocks: Vec<usize>,
    /// The software lock.
    pub is_locked: bool,
    /// Claim tags.
    pub claims: u32,
    /// The registers, for those that only hold a value.
    pub words: Vec<u32>,
    /// The state machine.
    pub device: Device,
    /// Registers with the class that were read: CIDR1, PIDR0, PIDR1.
    class_seen: [bool; 3],
    /// DEVTYPE and DEVARCH, where they say something.
    kind_seen: [bool; 2],
}

impl Part {
    /// After reset.
    pub fn new(name: &str, kind: ComponentKind, base: u64, clocks: &[usize]) -> Part {
        let mut words = vec![0; WORDS];
        for register in kind.registers() {
            for index in 0..register.count {
                words[register.at(index) as usize / 4] = register.reset.unwrap_or(0);
            }
        }
        let part = kind.parts()[0];
        let mut set = |register: &Register, value: u32| words[register.offset as usize / 4] = value;
        for register in [&CIDR0, &CIDR2, &CIDR3] {
            set(register, register.reset.unwrap_or(0));
        }
        set(&AUTHSTATUS, ALL_ALLOWED);
        set(&CIDR1, cidr1::CLASS.with(CORESIGHT_CLASS));
        set(&PIDR0, pidr0::PART_LOW.with(part));
        set(
            &PIDR1,
            pidr1::PART_HIGH.with(part >> 8) | pidr1::DESIGNER.with(ARM),
        );
        set(
            &DEVID,
            kind.memory().map_or(0, |config| tmc::CONFIG.with(config)),
        );
        set(&DEVTYPE, kind.devtype().unwrap_or(0));
        set(
            &DEVARCH,
            kind.archid()
                .map_or(0, |id| id | devarch::PRESENT.mask() | 0x4760_0000),
        );
        Part {
            name: name.to_owned(),
            kind,
            base,
            clocks: clocks.to_vec(),
            is_locked: kind.has_lock(),
            claims: 0,
            device: Device::new(kind, &mut words),
            words,
            class_seen: [false; 3],
            kind_seen: kind_seen(kind),
        }
    }

    /// Another process begins, which has read nothing.
    pub fn forget(&mut self) {
        self.class_seen = [false; 3];
        self.kind_seen = kind_seen(self.kind);
    }

    /// A word by its register.
    pub fn word(&self, register: &Register) -> u32 {
        self.words[register.offset as usize / 4]
    }

    /// Reads a register.
    pub fn read(&mut self, offset: u32, out: &mut Outcome) -> u32 {
        self.identify(offset, out);
        let value = self.words[offset as usize / 4];
        match offset {
            _ if offset == LSR.offset => {
                let locked = lsr::LOCKED.with(u32::from(self.is_locked));
                if self.kind.has_lock() {
                    lsr::IMPLEMENTED.mask() | locked
                } else {
                    0
                }
            }
            _ if offset == CLAIMCLR.offset => self.claims,
            _ if offset == CLAIMSET.offset => 0xF,
            0xF00.. => value,
            _ => self.device.read(offset, &self.words, out),
        }
    }

    /// Writes a register.
    pub fn write(&mut self, offset: u32, value: u32, out: &mut Outcome) {
        if !(self.class_seen == [true; 3] && self.kind_seen == [true; 2]) {
            out.broken.push("IDENT");
        }
        // Whoever finds that a debugger has it, too, takes the own claim back.
        let is_release = offset == CLAIMCLR.offset && value & 1 == 0;
        if self.claims & 1 != 0 && !is_release {
            out.broken.push("OWNER");
        }
        if offset == LAR.offset {
            self.is_locked = self.kind.has_lock() && value != UNLOCK_KEY;
            return;
        }
        let is_os_lock = self.device.is_os_lock(offset);
        if self.is_locked && !is_os_lock {
            out.broken.push("LOCK");
            return;
        }
        if offset == CLAIMSET.offset {
            self.claims |= value & 0xF;
            return;
        }
        if offset == CLAIMCLR.offset {
            self.claims &= !value;
            return;
        }
        if self.claims & 2 == 0 && self.kind.has_lock() && !is_os_lock {
            out.broken.push("CLAIM");
        }
        match find(self.kind, offset) {
            None => out.broken.push("MAP"),
            Some(register) => {
                let is_configuration = register.class == Class::Configuration;
                self.device
                    .write(offset, value, is_configuration, &mut self.words, out);
            }
        }
    }

    /// Nothing but the class may be read first, then the kind.
    fn identify(&mut self, offset: u32, out: &mut Outcome) {
        let is_class_known = self.class_seen == [true; 3];
        let is_late = match offset {
            0xFD0.. => true,
            _ if is_identity(self.kind, offset) => is_class_known,
            _ => is_class_known && self.kind_seen == [true; 2],
        };
        if !is_late {
            out.broken.push("IDENT");
        }
        for (seen, register) in self.class_seen.iter_mut().zip([CIDR1, PIDR0, PIDR1]) {
            *seen |= offset == register.offset;
        }
        for (seen, register) in self.kind_seen.iter_mut().zip([DEVTYPE, DEVARCH]) {
            *seen |= offset == register.offset;
        }
    }
}

/// What needs not be read to know the kind.
fn kind_seen(kind: ComponentKind) -> [bool; 2] {
    [kind.devtype().is_none(), kind.archid().is_none()]
}

fn is_identity(kind: ComponentKind, offset: u32) -> bool {
    let is_management = offset >= FIRST_MANAGEMENT_OFFSET;
    is_management && find(kind, offset).is_some_and(|register| register.class == Class::Identity)
}
