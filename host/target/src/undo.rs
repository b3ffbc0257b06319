// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends a session: from what was begun, the steps that undo it.
//!
//! The source stops first. Then, from source to sink, each buffer is flushed and stopped, and the funnels
//! and replicators that feed it are closed after that. A core behind a port follows, and clocks are last.
//! At each component the session first reads whether another agent has it, opens its lock and claims it again.

use std::collections::BTreeSet;

use coretrace_coresight::map::common::{CLAIMCLR, CLAIMSET, LAR, LSR, UNLOCK_KEY, claimset, lsr};
use coretrace_coresight::map::trace_unit::{
    TRCOSLAR, TRCOSLSR, TRCPRGCTLR, TRCSTATR, trcoslsr, trcstatr,
};
use coretrace_coresight::map::triggers::stm::{TCSR, tcsr};
use coretrace_coresight::map::{ComponentKind, tmc, tpiu};

use crate::bus::{Bus, BusError, Time};
use crate::examine::examine;
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

/// What to do about a component whose access ended the process.
const DEADLY: &str = "it is left as it is, and the next `etm4 target stop` tries it again: see that it has power and its clocks, or reset the chip";

/// What to do about another step that failed.
const RESET: &str = "the component may still trace or be claimed: reset the chip";

/// Undoes a journal as far as it can: a step that fails does not keep other components from being tried.
/// Before its first step each part is examined; one that cannot be, or whose access ended the process of the undo
/// before, is left as it is.
/// Steps that were done before are left out, and a write was done when it was read so. A component that another
/// agent has taken is left as it is; one that does not stop, or does not take back what it had, keeps its claim
/// until the next undo. The clocks of a component with a failure go on. Returns what failed.
pub fn undo(
    topology: &Topology,
    journal: &mut Journal,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Vec<Failure> {
    let mut notes = Journal::default();
    let mut taken: BTreeSet<Index> = BTreeSet::new();
    let mut held: Vec<Part> = Vec::new();
    let mut examined: Vec<Part> = Vec::new();
    let mut failures: Vec<Failure> = Vec::new();
    let steps = steps(topology, journal);
    // Steps that were done, and not read yet.
    let mut done = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let (regains, is_end) = (step.role == Role::Regain, step.role == Role::Stopped);
        let is_done = match regains {
            true => !is_due(&steps, journal, step),
            false => journal.is_undone(number),
        };
        if is_done || held.contains(&step.part) || is_spared(journal, &taken, step) {
            continue;
        }
        if !examined.contains(&step.part) {
            if let Some(before) = examined.last() {
                journal.survive(*before);
            }
            examined.push(step.part);
            if let Some(failure) = reach(topology, step, journal, bus, time) {
                held.push(step.part);
                failures.push(failure);
                continue;
            }
        }
        let user = clock_user(topology, &failures, step);
        let result = match user {
            Some(user) => Err((None, Some(BusError::Refused(format!("{user} needs it"))))),
            None => run(step, bus, time, &mut notes),
        };
        let Err((seen, error)) = result else {
            // A component is regained each time.
            if !regains {
                journal.begin_end();
                done.push(number);
            }
            if is_end {
                done.drain(..).for_each(|number| journal.undo(number));
            }
            continue;
        };
        if is_end {
            done.clear();
        }
        if user.is_some() || is_end && error.is_none() {
            held.push(step.part);
        }
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
    if let Some(last) = examined.last() {
        journal.survive(*last);
    }
    journal.retry();
    failures
}

/// Enters that the part of a step is accessed now, and examines it.
fn reach(
    topology: &Topology,
    step: &Step,
    journal: &mut Journal,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Option<Failure> {
    if journal.is_deadly(step.part) {
        let why = "an access to it ended the process of an undo";
        return Some(Failure {
            step: step.clone(),
            seen: None,
            error: Some(BusError::Refused(why.to_owned())),
            advice: DEADLY.to_owned(),
        });
    }
    journal.touch(step.part);
    examine(topology, step.part, bus, time)
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

/// A component with a failure that needs the clock which a step turns off.
fn clock_user<'a>(topology: &'a Topology, failures: &[Failure], step: &Step) -> Option<&'a str> {
    let (Part::Clock(clock), Action::Write { value, .. }) = (step.part, &step.action) else {
        return None;
    };
    if value >> topology.clocks[clock].bit & 1 == 1 {
        return None;
    }
    let components = failures
        .iter()
        .filter_map(|failure| failure.step.part.component());
    let mut components = components.map(|index| &topology.components[index]);
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
        let locked = trcoslsr::LOCKED.mask();
        builder.write(component, &TRCOSLAR, Role::Stop, RuleId::OsLock, 1);
        let set = (locked, &[locked][..]);
        builder.check(component, &TRCOSLSR, Role::Stopped, RuleId::OsLock, set);
    }
    if has(Inverse::Unclaim) {
        builder.write(component, &CLAIMCLR, Role::Stop, RuleId::Claim, tag);
        builder.check(
            component,
            &CLAIMCLR,
            Role::Stopped,
            RuleId::Claim,
            (tag, &[0]),
        );
    }
    if has(Inverse::Relock) && was_locked(Role::Note, lsr::LOCKED.mask()) {
        let locked = lsr::LOCKED.mask();
        builder.write(component, &LAR, Role::Stop, RuleId::Lock, 0);
        let closed = (locked, &[locked][..]);
        builder.check(component, &LSR, Role::Stopped, RuleId::Lock, closed);
    }
}

/// The value before a write, for those that ask for it, and that it is there again.
fn restore(builder: &mut Builder<'_>, entry: &Entry) {
    if entry.step.inverse != Inverse::Restore {
        return;
    }
    if let (Action::Write { mask, .. }, Some(old)) = (&entry.step.action, entry.seen) {
        let (mask, value) = (*mask, old & mask);
        let values = vec![value];
        for (role, action) in [
            (Role::Stop, Action::Write { mask, value }),
            (Role::Stopped, Action::Check { mask, values }),
        ] {
            builder.steps.push(Step {
                action,
                inverse: Inverse::None,
                place_in_fragment: builder.steps.len(),
                role,
                ..entry.step.clone()
            });
        }
    }
}

/// Stops what passes trace by itself.
pub(crate) fn stop(builder: &mut Builder<'_>, component: Index) {
    match builder.topology.components[component].kind {
        ComponentKind::Etm4 => {
            let idle = trcstatr::IDLE.mask();
            builder.write(component, &TRCPRGCTLR, Role::Stop, RuleId::Flush, 0);
            let end = (idle, idle);
            builder.wait(component, &TRCSTATR, Role::Stopped, RuleId::Idle, end);
        }
        ComponentKind::Stm => {
            let off = Action::Write {
                mask: tcsr::EN.mask(),
                value: 0,
            };
            builder.add(component, (&TCSR, 0), Role::Stop, RuleId::Flush, off);
            let end = (tcsr::BUSY.mask(), 0);
            builder.wait(component, &TCSR, Role::Stopped, RuleId::Busy, end);
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
                Role::Stopped,
                RuleId::Flush,
                (stopped, stopped),
            );
        }
        _ => {
            flush(builder, component);
            disable(builder, component);
        }
    }
}

/// Flushes a trace memory until it is Stopped.
pub(crate) fn flush(builder: &mut Builder<'_>, component: Index) {
    let (stop, flush) = (tmc::ffcr::STOP_ON_FL.mask(), tmc::ffcr::FLUSH_MAN.mask());
    let ready = tmc::sts::READY.mask();
    let (role, rule) = (Role::Stop, RuleId::Flush);
    for value in [TMC_FORMATTER | stop, TMC_FORMATTER | stop | flush] {
        builder.write(component, &tmc::FFCR, role, rule, value);
    }
    builder.wait(component, &tmc::FFCR, role, rule, (flush, 0));
    builder.wait(component, &tmc::STS, role, rule, (ready, ready));
}

/// Ends the capture of a trace memory that is Stopped.
pub(crate) fn disable(builder: &mut Builder<'_>, component: Index) {
    let running = tmc::ctl::TRACE_CAPT_EN.mask();
    builder.write(component, &tmc::CTL, Role::Stop, RuleId::Flush, 0);
    let off = (running, &[0][..]);
    builder.check(component, &tmc::CTL, Role::Stopped, RuleId::Flush, off);
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
