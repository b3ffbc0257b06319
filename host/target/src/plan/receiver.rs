// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a core behind a trace port needs to be set up, and to be stopped.
//!
//! Its copies of the registers of the trace unit come from the trace unit itself. The first buffers must be
//! posted before.

use coretrace_abi::axi_dma::{CURDESC, DMACR, DMASR, ERRORS, HALTED, RESET, RUN, TAILDESC};
use coretrace_abi::registers::csr::{
    Control, Filter, Id, SourceControl, Status, Trcconfigr, Trcdevarch, Trcidr0, Trcidr1, Trcidr2,
    Trcidr8, Version,
};
use coretrace_abi::registers::{CORE, source_writes};
use coretrace_coresight::map::Register;
use coretrace_coresight::map::common::DEVARCH;
use coretrace_coresight::map::trace_unit::{TRCCONFIGR, TRCIDR0, TRCIDR1, TRCIDR2, TRCIDR8};
use coretrace_etm::{ArchProfile, Protocol, Registers, SourceConfig};

use super::builder::Builder;
use super::step::{Action, Inverse, Part, Step};
use crate::ring::Ring;
use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::Index;

/// The registers of a core that are copies, and those of the trace unit.
const COPIES: [(u32, &Register); 6] = [
    (Trcconfigr::offset(0), &TRCCONFIGR),
    (Trcidr0::offset(0), &TRCIDR0),
    (Trcidr1::offset(0), &TRCIDR1),
    (Trcidr2::offset(0), &TRCIDR2),
    (Trcidr8::offset(0), &TRCIDR8),
    (Trcdevarch::offset(0), &DEVARCH),
];

/// Steps with the registers of a core.
struct Maker<'a, 'b> {
    builder: &'a mut Builder<'b>,
    receiver: Index,
}

/// Reads that a core is there, of a version that is known, and that nobody uses it.
pub fn identify(builder: &mut Builder<'_>, receiver: Index) {
    let mut make = Maker { builder, receiver };
    make.core(Id::OFFSET, Role::Ident, check(u32::MAX, Id::RESET.0));
    let version = ["MAJOR", "MINOR", "RECORD_FORMAT"];
    let version = version.map(|field| bits(Version::OFFSET, field));
    let version = version.into_iter().fold(0, |all, field| all | field);
    make.core(
        Version::OFFSET,
        Role::Ident,
        check(version, Version::RESET.0 & version),
    );
    let enable = SourceControl::RESET.with_enable(true).0;
    make.core(SourceControl::offset(0), Role::Owner, check(enable, 0));
}

/// Sets up a core for a trace unit.
pub fn set_up(builder: &mut Builder<'_>, receiver: Index, unit: Index, trace_id: u8, ring: Ring) {
    let of_unit = builder.topology.components[unit].base;
    identify(builder, receiver);
    let mut make = Maker { builder, receiver };
    let wait = |mask, value| Action::Wait { mask, value };
    let enable = SourceControl::RESET.with_enable(true).0;
    make.dma("DMASR", DMASR, Role::Owner, check(HALTED, HALTED));
    make.dma("DMACR", DMACR, Role::Halt, write(RESET));
    make.dma("DMACR", DMACR, Role::Halted, wait(RESET, 0));
    for (half, name) in [(0, "CURDESC"), (1, "CURDESC_MSB")] {
        let value = halves(ring.first())[half];
        make.dma(name, CURDESC[half], Role::Configure, write(value));
        make.dma(name, CURDESC[half], Role::Verify, check(u32::MAX, value));
    }
    make.dma("DMACR", DMACR, Role::Enable, write(RUN)).inverse = Inverse::Stop;
    make.dma("DMASR", DMASR, Role::Enabled, wait(HALTED | ERRORS, 0));
    for (half, name) in [(1, "TAILDESC_MSB"), (0, "TAILDESC")] {
        let value = halves(ring.last())[half];
        make.dma(name, TAILDESC[half], Role::Enable, write(value));
        make.dma(name, TAILDESC[half], Role::Verify, check(u32::MAX, value));
    }
    let config = SourceConfig {
        protocol: Protocol::Etm4,
        profile: ArchProfile::A,
        registers: Registers::ZERO,
        lenient: false,
    };
    let [off, settings @ ..] = source_writes(trace_id, &config, false);
    // Nothing of the trace is left out.
    let all = (Filter::offset(0), Filter::RESET.0);
    for (offset, value) in [off, all].into_iter().chain(settings) {
        let copy = COPIES.iter().find(|(to, _)| *to == offset);
        let value = match offset {
            Control::OFFSET => Control(value).with_profile(false).0,
            _ => value,
        };
        let action = match copy {
            Some((_, from)) => Action::Copy {
                from: of_unit + u64::from(from.offset),
            },
            None => write(value),
        };
        let is_last = offset == SourceControl::offset(0) && value & enable != 0;
        let role = if is_last {
            Role::Enable
        } else {
            Role::Configure
        };
        let step = make.core(offset, role, action);
        if is_last {
            step.inverse = Inverse::Stop;
        }
        // RUNNING says that the source is enabled.
        if copy.is_none() && !is_last {
            make.core(offset, Role::Verify, check(u32::MAX, value));
        }
    }
    let running = bits(Status::OFFSET, "RUNNING");
    make.core(Status::OFFSET, Role::Enabled, wait(running, running));
}

/// Stops a core behind a port that has stopped: what it holds goes to memory first.
pub fn stop(builder: &mut Builder<'_>, receiver: Index) {
    let mut make = Maker { builder, receiver };
    // A core whose DMA has failed has something to send for ever.
    let mask = bits(Status::OFFSET, "QUIET");
    let rest = || Action::Rest { mask, value: mask };
    make.core(Status::OFFSET, Role::Stop, rest());
    let (control, off) = (SourceControl::offset(0), SourceControl::RESET.0);
    make.core(control, Role::Stop, write(off));
    make.core(control, Role::Stopped, check(u32::MAX, off));
    make.core(Status::OFFSET, Role::Stop, rest());
    make.dma("DMACR", DMACR, Role::Stop, write(0));
    let halted = Action::Wait {
        mask: HALTED,
        value: HALTED,
    };
    make.dma("DMASR", DMASR, Role::Stopped, halted);
}

impl Maker<'_, '_> {
    fn core(&mut self, offset: u32, role: Role, action: Action) -> &mut Step {
        let mut placed = CORE.placed();
        let name = placed.find_map(|(at, register)| (at == offset).then_some(register.name));
        let of = &self.builder.topology.receivers[self.receiver];
        let place = format!("{}.{}", of.name, name.unwrap_or_default());
        self.push(place, of.registers + u64::from(offset), role, action)
    }

    fn dma(&mut self, name: &str, offset: u32, role: Role, action: Action) -> &mut Step {
        let of = &self.builder.topology.receivers[self.receiver];
        let place = format!("{}.{name}", of.name);
        self.push(place, of.dma + u64::from(offset), role, action)
    }

    fn push(&mut self, place: String, address: u64, role: Role, action: Action) -> &mut Step {
        let part = Part::Receiver(self.receiver);
        let rule = match role {
            Role::Ident => RuleId::Ident,
            Role::Owner => RuleId::Owner,
            Role::Verify => RuleId::Verify,
            _ => RuleId::Core,
        };
        self.builder.push(part, place, address, role, rule, action)
    }
}

/// The bits of a field of a register of the core.
fn bits(offset: u32, name: &str) -> u32 {
    let mut registers = CORE.placed().filter(|(at, _)| *at == offset);
    let mut fields = registers
        .next()
        .into_iter()
        .flat_map(|(_, register)| register.fields);
    fields
        .find(|field| field.name == name)
        .map_or(0, |field| field.mask())
}

fn check(mask: u32, value: u32) -> Action {
    Action::Check {
        mask,
        values: vec![value],
    }
}

fn write(value: u32) -> Action {
    Action::Write {
        mask: u32::MAX,
        value,
    }
}

fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}
