// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whether a session still has the components that it claimed, or another agent took them meanwhile.
//!
//! A tag of another agent says that a component is taken, and what a session set up there is then left as it is.
//! A session whose own tag was cleared, or whose lock was closed, takes the component back to undo its part,
//! because nobody else says that it uses it.
//!
//! Source: Arm IHI 0029, claim tags and lock access.

use std::collections::BTreeSet;
use std::fmt;

use coretrace_coresight::map::common::{CLAIMCLR, LSR, claimset, lsr};

use crate::bus::{Bus, Time};
use crate::examine::examine;
use crate::journal::Journal;
use crate::plan::{Part, Role};
use crate::status::State;
use crate::topology::{Index, Topology};
use crate::undo;

/// What another agent did to a component of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Intrusion {
    /// It set claim tags of its own: these are set now.
    Claimed(u32),
    /// It cleared the claim tag of the session.
    Unclaimed,
    /// It closed the software lock.
    Locked,
}

impl Intrusion {
    /// What CLAIMCLR and LSR of a component that a session has claimed show.
    pub fn of(claims: u32, lock: u32) -> Option<Intrusion> {
        let tag = claimset::SELF_HOSTED.mask();
        match claims {
            _ if claims & !tag != 0 => Some(Intrusion::Claimed(claims)),
            0 => Some(Intrusion::Unclaimed),
            _ => (lsr::LOCKED.of(lock) == 1).then_some(Intrusion::Locked),
        }
    }
}

impl fmt::Display for Intrusion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claimed(tags) => {
                write!(
                    f,
                    "another agent took it from the session: claim tags {tags:#X}"
                )
            }
            Self::Unclaimed => f.write_str("another agent cleared the claim of the session"),
            Self::Locked => f.write_str("another agent closed the lock that the session opened"),
        }
    }
}

/// The components that a session has claimed and not given back.
pub fn held(topology: &Topology, journal: &Journal) -> BTreeSet<Index> {
    let tag = claimset::SELF_HOSTED.mask();
    let mut held: BTreeSet<Index> = journal
        .entries
        .iter()
        .filter(|entry| entry.step.role == Role::Claimed && entry.seen == Some(tag))
        .filter_map(|entry| entry.step.part.component())
        .collect();
    let steps = undo::steps(topology, journal);
    for (number, step) in steps.iter().enumerate() {
        // A process that was killed behind the step before has perhaps done it.
        let is_done = journal.is_undone(number) || journal.is_undone(number.saturating_sub(1));
        if undo::is_release(step) && is_done {
            held.retain(|component| step.part.component() != Some(*component));
        }
    }
    held
}

/// What others did to the components that a session holds, by two reads of each. One that cannot be examined or
/// read is left out.
pub fn intrusions(
    topology: &Topology,
    journal: &mut Journal,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Vec<(Index, Intrusion)> {
    let mut found = Vec::new();
    for component in held(topology, journal) {
        let part = Part::Component(component);
        if journal.is_deadly(part) {
            continue;
        }
        journal.touch(part);
        let is_there = examine(topology, part, bus, time).is_none();
        let base = topology.components[component].base;
        let mut read = |offset: u32| bus.read32(base + u64::from(offset));
        if is_there
            && let (Ok(claims), Ok(lock)) = (read(CLAIMCLR.offset), read(LSR.offset))
            && let Some(intrusion) = Intrusion::of(claims, lock)
        {
            found.push((component, intrusion));
        }
        journal.survive(part);
    }
    found
}

/// Adds to states that were read what others did to the components that a session holds.
pub fn note_intrusions(topology: &Topology, journal: &Journal, states: &mut [State]) {
    let held = held(topology, journal);
    let names: BTreeSet<&str> = held
        .iter()
        .map(|index| &topology.components[*index].name[..])
        .collect();
    let of_session = states
        .iter_mut()
        .filter(|state| names.contains(&state.name[..]));
    for state in of_session.filter(|state| state.problem.is_none()) {
        let value = |register: &str| {
            let mut registers = state.registers.iter();
            registers.find_map(|(name, value)| (name == register).then_some(*value))
        };
        if let (Some(claims), Some(lock)) = (value(CLAIMCLR.name), value(LSR.name)) {
            state.problem = Intrusion::of(claims, lock).map(|intrusion| intrusion.to_string());
        }
    }
}
