// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends a session: from what was begun, the steps that undo it.
//!
//! The source stops first. Then, from source to sink, each buffer is flushed and stopped, and the funnels
//! and replicators that feed it are closed after that. A core behind a port follows, and clocks are last.
//! At each component the session first reads whether another agent has it, opens its lock and claims it again.

use std::collections::BTreeSet;

use coretrace_coresight::map::common::{CLAIMCLR, CLAIMSET, LAR, UNLOCK_KEY, claimset, lsr};
use coretrace_coresight::map::trace_unit::{TRCOSLAR, TRCPRGCTLR, TRCSTATR, trcoslsr, trcstatr};
use coretrace_coresight::map::{ComponentKind, tmc, tpiu};

use crate::bus::{Bus, BusError, Time};
use crate::journal::{Entry, Journal};
use crate::plan::{
    Action, Builder, Inverse, Part, Role, Step, TMC_FORMATTER, TPIU_FORMATTER, stop_receiver,
};
use crate::rules::RuleId;
use crate::run::{Failure, run};
use crate::topology::{Index, Topology};

/// What to do about a component that another agent has taken.
const TAKEN: &str =
    "what the session set up there is left as it is: end the other agent, then `etm4 target stop`";

/// What to do about another step that failed.
const RESET: &str = "the component may still trace or be claimed: reset the chip";

/// Undoes a journal as far as it can: a step that fails does not keep the others from being tried.
/// Steps that were done before are left out. A component that another agent has taken is left as it is, and so
/// are its clocks. Returns what failed.
pub fn undo(
    topology: &Topology,
    journal: &mut Journal,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Vec<Failure> {
    let mut done = Journal::default();
    let mut taken: BTreeSet<Index> = BTreeSet::new();
    let mut failures = Vec::new();
    let steps = steps(topology, journal);
    for (number, step) in steps.iter().enumerate() {
        let regains = step.role == Role::Regain;
        let is_done = match regains {
            true => !is_due(&steps, journal, step),
            false => journal.is_undone(number),
        };
        if is_done || is_spared(journal, &taken, step) {
            continue;
        }
        let result = match clock_user(topology, &taken, step) {
            Some(user) => Err((None, Some(BusError::Refused(format!("{user} needs it"))))),
            None => run(step, bus, time, &mut done),
        };
        let Err((seen, error)) = result else {
            // A component is regained each time.
            if !regains {
                journal.undo(number);
            }
            continue;
        };
        let is_taken = regains && error.is_none();
        taken.extend(step.part.component().filter(|_| is_taken));
        // Otherwise nothing of the session is there, or what follows fails, too, and says so.
        if regains && !(is_taken && is_set_up(journal, step.part)) {
            continue;
        }
        failures.push(Failure {
            step: step.clone(),
            seen,
            error,
            advice: if is_taken { TAKEN } else { RESET }.to_owned(),
        });
    }
    failures
}

/// Whether a component is to be regained by a step: not if nothing is left to undo there, and by writes only as long
/// as the claim was not given back.
fn is_due(steps: &[Step], journal: &Journal, regain: &Step) -> bool {
    let mut others = steps.iter().enumerate();
    others.any(|(number, step)| {
        let is_left = step.role != Role::Regain && !journal.is_undone(number);
        let is_reason = !regain.is_write() || step.is_write() && is_release(step);
        step.part == regain.part && is_left && is_reason
    })
}

/// Whether a step is not done because another agent has the component. Where both claimed it at the same time, and
/// nothing was set up yet, the session takes its claim back.
fn is_spared(journal: &Journal, taken: &BTreeSet<Index>, step: &Step) -> bool {
    let is_taken = step.part.component().is_some_and(|c| taken.contains(&c));
    is_taken && (is_set_up(journal, step.part) || !is_release(step))
}

/// Whether a session changed more of a component than its locks and its claim.
fn is_set_up(journal: &Journal, part: Part) -> bool {
    let mut entries = journal.entries.iter();
    entries.any(|entry| {
        let inverse = entry.step.inverse;
        entry.step.part == part && matches!(inverse, Inverse::Stop | Inverse::Restore)
    })
}

/// Whether a step of an undo gives a claim back.
pub(crate) fn is_release(step: &Step) -> bool {
    step.rules[0] == RuleId::Claim
}

/// A component that another agent has and that needs the clock which a step turns off.
fn clock_user<'a>(topology: &'a Topology, taken: &BTreeSet<Index>, step: &Step) -> Option<&'a str> {
    let (Part::Clock(clock), Action::Write { value: 0, .. }) = (step.part, &step.action) else {
        return None;
    };
    let mut components = taken.iter().map(|index| &topology.components[*index]);
    let user = components.find(|component| component.clocks.contains(&clock));
    user.map(|component| &component.name[..])
}

/// The steps that undo a journal.
pub fn steps(topology: &Topology, journal: &Journal) -> Vec<Step> {
    let used = journal
        .entries
        .iter()
        .filter(|e| e.step.inverse != Inverse::None);
    let used: BTreeSet<Index> = used
        .filter_map(|entry| entry.step.part.component())
        .collect();
    let mut builder = Builder::new(topology);
    for component in sequence(topology, &used) {
        let part = Part::Component(component);
        let entries: Vec<&Entry> = journal
            .entries
            .iter()
            .filter(|entry| entry.step.part == part)
            .collect();
        close(&mut builder, component, &entries);
    }
    for receiver in 0..topology.receivers.len() {
        let is_used = |entry: &Entry| {
            entry.step.part == Part::Receiver(receiver) && entry.step.inverse == Inverse::Stop
        };
        if journal.entries.iter().any(is_used) {
            stop_receiver(&mut builder, receiver);
        }
    }
    let clocks = journal.entries.iter().rev();
    for entry in clocks.filter(|entry| matches!(entry.step.part, Part::Clock(_))) {
        restore(&mut builder, entry);
    }
    builder.steps
}

/// Ends the part that a component has in a session.
fn close(builder: &mut Builder<'_>, component: Index, entries: &[&Entry]) {
    let has = |inverse| entries.iter().any(|entry| entry.step.inverse == inverse);
    let was_locked = |note: Role, mask: u32| {
        let mut notes = entries.iter().filter(|entry| entry.step.role == note);
        notes.any(|entry| entry.seen.is_some_and(|seen| seen & mask != 0))
    };
    let tag = claimset::SELF_HOSTED.mask();
    if has(Inverse::Relock) {
        let others = (!tag, &[0][..]);
        builder.check(component, &CLAIMCLR, Role::Regain, RuleId::Owner, others);
    }
    if has(Inverse::Unclaim) {
        // Both are so already, unless somebody closed the lock or cleared the claim meanwhile.
        builder.write(component, &LAR, Role::Regain, RuleId::Lock, UNLOCK_KEY);
        builder.write(component, &CLAIMSET, Role::Regain, RuleId::Owner, tag);
    }
    if has(Inverse::Stop) {
        stop(builder, component);
    }
    for entry in entries.iter().rev() {
        restore(builder, entry);
    }
    if has(Inverse::OsRelock) && was_locked(Role::OsNote, trcoslsr::LOCKED.mask()) {
        builder.write(component, &TRCOSLAR, Role::Stop, RuleId::OsLock, 1);
    }
    if has(Inverse::Unclaim) {
        builder.write(component, &CLAIMCLR, Role::Stop, RuleId::Claim, tag);
        builder.check(component, &CLAIMCLR, Role::Stop, RuleId::Claim, (tag, &[0]));
    }
    if has(Inverse::Relock) && was_locked(Role::Note, lsr::LOCKED.mask()) {
        builder.write(component, &LAR, Role::Stop, RuleId::Lock, 0);
    }
}

/// The value before a write, for those that ask for it.
fn restore(builder: &mut Builder<'_>, entry: &Entry) {
    if entry.step.inverse != Inverse::Restore {
        return;
    }
    if let (Action::Write { mask, .. }, Some(old)) = (&entry.step.action, entry.seen) {
        let action = Action::Write {
            mask: *mask,
            value: old & mask,
        };
        let inverse = Inverse::None;
        let place_in_fragment = builder.steps.len();
        let role = Role::Stop;
        let step = entry.step.clone();
        builder.steps.push(Step {
            action,
            inverse,
            place_in_fragment,
            role,
            ..step
        });
    }
}

/// Stops what passes trace by itself.
pub(crate) fn stop(builder: &mut Builder<'_>, component: Index) {
    match builder.topology.components[component].kind {
        ComponentKind::Etm4 => {
            let idle = trcstatr::IDLE.mask();
            builder.write(component, &TRCPRGCTLR, Role::Stop, RuleId::Flush, 0);
            builder.wait(component, &TRCSTATR, Role::Stop, RuleId::Idle, (idle, idle));
        }
        ComponentKind::Tpiu => {
            let (stop, flush) = (tpiu::ffcr::STOP_FL.mask(), tpiu::ffcr::F_ON_MAN.mask());
            let stopped = tpiu::ffsr::FT_STOPPED.mask();
            for value in [TPIU_FORMATTER | stop, TPIU_FORMATTER | stop | flush] {
                builder.write(component, &tpiu::FFCR, Role::Stop, RuleId::Flush, value);
            }
            builder.wait(
                component,
                &tpiu::FFCR,
                Role::Stop,
                RuleId::Flush,
                (flush, 0),
            );
            builder.wait(
                component,
                &tpiu::FFSR,
                Role::Stop,
                RuleId::Flush,
                (stopped, stopped),
            );
        }
        _ => {
            let (stop, flush) = (tmc::ffcr::STOP_ON_FL.mask(), tmc::ffcr::FLUSH_MAN.mask());
            let ready = tmc::sts::READY.mask();
            for value in [TMC_FORMATTER | stop, TMC_FORMATTER | stop | flush] {
                builder.write(component, &tmc::FFCR, Role::Stop, RuleId::Flush, value);
            }
            builder.wait(component, &tmc::FFCR, Role::Stop, RuleId::Flush, (flush, 0));
            builder.wait(
                component,
                &tmc::STS,
                Role::Stop,
                RuleId::Flush,
                (ready, ready),
            );
            builder.write(component, &tmc::CTL, Role::Stop, RuleId::Flush, 0);
        }
    }
}

/// The components from source to sink, each funnel and replicator behind the buffers that it feeds.
pub(crate) fn sequence(topology: &Topology, used: &BTreeSet<Index>) -> Vec<Index> {
    let below = |index: Index| -> Vec<Index> {
        topology
            .outputs(index)
            .map(|link| link.to.0)
            .filter(|to| used.contains(to))
            .collect()
    };
    // Every component before all below it: depth first, reversed.
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    fn visit(
        index: Index,
        below: &dyn Fn(Index) -> Vec<Index>,
        seen: &mut BTreeSet<Index>,
        order: &mut Vec<Index>,
    ) {
        if seen.insert(index) {
            for next in below(index) {
                visit(next, below, seen, order);
            }
            order.push(index);
        }
    }
    for &index in used.iter().rev() {
        visit(index, &below, &mut seen, &mut order);
    }
    order.reverse();
    let is_link = |index: &Index| {
        let kind = topology.components[*index].kind;
        matches!(kind, ComponentKind::Funnel | ComponentKind::Replicator)
    };
    let mut sequence: Vec<Index> = order
        .iter()
        .copied()
        .filter(|index| !is_link(index))
        .collect();
    // From the sink up: a link behind the last buffer that it feeds, and before the links below it.
    for &link in order.iter().rev().filter(|index| is_link(index)) {
        let mut open = below(link);
        let mut buffers: BTreeSet<Index> = BTreeSet::new();
        while let Some(next) = open.pop() {
            if buffers.insert(next) && is_link(&next) {
                open.extend(below(next));
            }
        }
        let places = sequence
            .iter()
            .enumerate()
            .filter(|(_, index)| buffers.contains(index));
        let last = places.map(|(place, _)| place + 1).max();
        sequence.insert(last.unwrap_or(sequence.len()), link);
    }
    sequence
}
