// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ends a session: from what was begun, the steps that undo it.
//!
//! The source stops first. Then, from source to sink, each buffer is flushed and stopped, and the funnels
//! and replicators that feed it are closed after that. A core behind a port follows, and clocks are last.

use std::collections::BTreeSet;

use coretrace_coresight::map::common::{CLAIMCLR, LAR, claimset, lsr};
use coretrace_coresight::map::trace_unit::{TRCOSLAR, TRCPRGCTLR, TRCSTATR, trcoslsr, trcstatr};
use coretrace_coresight::map::{ComponentKind, tmc, tpiu};

use crate::bus::{Bus, Time};

use crate::journal::{Entry, Journal};
use crate::plan::{
    Action, Builder, Inverse, Part, Role, Step, TMC_FORMATTER, TPIU_FORMATTER, stop_receiver,
};
use crate::rules::RuleId;
use crate::run::{Failure, run};
use crate::topology::{Index, Topology};

/// Undoes a journal as far as it can: a step that fails does not keep the others from being tried.
/// Steps that were done before are left out. Returns what failed.
pub fn undo(
    topology: &Topology,
    journal: &mut Journal,
    bus: &mut dyn Bus,
    time: &mut dyn Time,
) -> Vec<Failure> {
    let mut done = Journal::default();
    let mut failures = Vec::new();
    for (number, step) in steps(topology, journal).into_iter().enumerate() {
        if journal.is_undone(number) {
            continue;
        }
        match run(&step, bus, time, &mut done) {
            Ok(()) => journal.undo(number),
            Err((seen, error)) => failures.push(Failure {
                step,
                seen,
                error,
                advice: "the component may still trace or be claimed: reset the chip".to_owned(),
            }),
        }
    }
    failures
}

/// The steps that undo a journal.
pub fn steps(topology: &Topology, journal: &Journal) -> Vec<Step> {
    let used = journal
        .entries
        .iter()
        .filter(|e| e.step.inverse != Inverse::None);
    let used: BTreeSet<Index> = used
        .filter_map(|entry| match entry.step.part {
            Part::Component(index) => Some(index),
            Part::Clock(_) | Part::Receiver(_) => None,
        })
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
        let tag = claimset::SELF_HOSTED.mask();
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
fn stop(builder: &mut Builder<'_>, component: Index) {
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
fn sequence(topology: &Topology, used: &BTreeSet<Index>) -> Vec<Index> {
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
