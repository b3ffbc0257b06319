// SPDX-License-Identifier: MIT OR Apache-2.0
//! How records end: with the policy, the syncs and the coding of timestamps.

use super::super::layouts::outcome;
use super::renames::renames;
use super::roles::Role;
use crate::input::{Input, of_next};
use coretrace_hdl_dataflow::{Word, all, any, layout, named, priority_mux};

layout! {
    /// What is known before a nibble.
    struct Reading {
        /// An ASYNC came, and no error behind it that stops reading.
        is_synced: 1,
        /// A legal VERSION came.
        has_coding: 1,
        /// An error came since the last ASYNC, or nibbles were lost.
        is_suspect: 1,
    }
}

layout! {
    /// What the end of a packet does to it. At most one is set for a byte: if two packets end there, one is a NULL.
    struct Event {
        /// An ASYNC.
        syncs: 1,
        /// An error, whatever came before.
        fails: 1,
        /// A packet with a timestamp: an error if there is no coding.
        stamps: 1,
        /// A legal VERSION.
        codes: 1,
    }
}

/// How a record ends with a nibble.
#[derive(Clone, Copy)]
pub struct Outcome<T> {
    /// See [`outcome`].
    pub outcome: T,
    /// An error came before, since the last ASYNC.
    pub is_suspect: T,
}

#[named]
fn event<T: Word>(role: &Role<T>, is_version: T, hit: T) -> Event<T> {
    let ends = |how: u64| role.outcome.is(how);
    let is_packet = ends(outcome::PACKET);
    let is_version = is_packet.and(is_version);
    let is_legal = role.nibble.is(3).or(role.nibble.is(4));
    let is_async = ends(outcome::ASYNC);
    Event {
        syncs: is_async.and(hit),
        fails: any(&[
            ends(outcome::RESERVED),
            ends(outcome::BAD_SEQUENCE),
            is_async.and(hit.not()),
            is_version.and(is_legal.not()),
        ]),
        stamps: is_packet.and(role.is_stamped),
        codes: is_version.and(is_legal),
    }
}

#[named]
fn after<T: Word>(before: &Reading<T>, event: &Event<T>, lenient: T) -> Reading<T> {
    let fails = event.fails.or(event.stamps.and(before.has_coding.not()));
    let goes_on = before.is_synced.and(fails.not().or(lenient));
    let codes = all(&[event.codes, before.is_synced]);
    Reading {
        is_synced: event.syncs.or(goes_on),
        has_coding: before.has_coding.or(codes),
        is_suspect: before.is_suspect.or(fails).and(event.syncs.not()),
    }
}

/// For each nibble whether it is the data of a VERSION: the only one behind the opcode.
#[named]
fn behind_version<T: Word>(roles: &[Role<T>], keeps: &[T], restarts: T) -> Vec<T> {
    let now = roles[0].code.stage();
    let opens = roles.iter().map(|role| renames(role).is_version);
    let opens: Vec<T> = opens.collect();
    let (held, next) = T::register(1, now);
    let last = keeps.iter().zip(opens.iter().skip(1).step_by(2)).rev();
    let last: Vec<(T, T)> = last
        .map(|(keep, &opens)| (keep.at_stage(now), opens))
        .collect();
    let restarts = of_next(restarts, now);
    T::set_next(next, priority_mux(&last, held).mask(restarts.not()));
    [held].into_iter().chain(opens).take(roles.len()).collect()
}

/// The outcome of both nibbles of each byte. Two registers.
#[named]
pub fn outcomes<T: Word>(
    roles: &[Role<T>],
    keeps: &[T],
    hits: &[[T; 2]],
    input: &Input<T>,
) -> Vec<[Outcome<T>; 2]> {
    let (bytes, _) = roles.as_chunks::<2>();
    let versions = behind_version(roles, keeps, input.restarts());
    let events = bytes
        .iter()
        .zip(hits)
        .enumerate()
        .map(|(byte, (roles, hits))| {
            [0, 1].map(|nibble| {
                let hit = hits[nibble].at_stage(roles[nibble].outcome.stage());
                event(&roles[nibble], versions[2 * byte + nibble], hit).map(T::reg)
            })
        });
    let events: Vec<[Event<T>; 2]> = events.collect();
    let now = events[0][0].syncs.stage();
    let register = || T::register(1, now);
    let (is_synced, next_synced) = register();
    let (has_coding, next_coding) = register();
    let (is_suspect, next_suspect) = register();
    let mut reading = Reading {
        is_synced,
        has_coding,
        is_suspect,
    };
    let mut outcomes = Vec::new();
    for (events, roles) in events.iter().zip(bytes) {
        outcomes.push(outcomes_of(
            reading.map(T::reg),
            events,
            roles,
            input.lenient,
        ));
        let both = Event {
            syncs: events[0].syncs.or(events[1].syncs),
            fails: events[0].fails.or(events[1].fails),
            stamps: events[0].stamps.or(events[1].stamps),
            codes: events[0].codes.or(events[1].codes),
        };
        reading = after(&reading, &both, input.lenient);
    }
    let (lost, lives) = (of_next(input.lost, now), of_next(input.lives, now));
    let goes_on = lives.and(lost.not().or(input.lenient));
    T::set_next(next_synced, reading.is_synced.and(goes_on));
    T::set_next(next_coding, reading.has_coding.and(lives));
    T::set_next(next_suspect, reading.is_suspect.or(lost).and(lives));
    outcomes
}

#[named]
fn outcomes_of<T: Word>(
    before: Reading<T>,
    events: &[Event<T>; 2],
    roles: &[Role<T>; 2],
    lenient: T,
) -> [Outcome<T>; 2] {
    let constant = |value: u64| T::constant(value, 3);
    let events = events.map(|event| event.map(T::reg));
    let between = after(&before, &events[0], lenient);
    [(0, before), (1, between)].map(|(nibble, before)| {
        let (event, role): (Event<T>, Role<T>) = (events[nibble], roles[nibble]);
        let fails = event.stamps.and(before.has_coding.not()).or(event.fails);
        let is_reserved = role.outcome.is(outcome::RESERVED);
        let is_bad = fails.and(is_reserved.not());
        let ends = is_bad.mux(constant(outcome::BAD_SEQUENCE), role.outcome);
        let read = ends.mask(before.is_synced.or(event.syncs));
        Outcome {
            outcome: read,
            is_suspect: all(&[before.is_suspect, lenient, event.syncs.not()]),
        }
    })
}
