// SPDX-License-Identifier: MIT OR Apache-2.0
//! How records end: with the policy, the syncs and the coding of timestamps.

use super::super::layouts::outcome;
use super::roles::{Role, VERSION};
use crate::input::{Input, of_next};
use coretrace_hdl_dataflow::{Word, all, any, layout, named};

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
    /// What ends of packets do to it.
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

layout! {
    /// The end of a packet with a nibble, as far as the stream says it.
    struct End {
        /// A packet ends.
        ends: 1,
        /// How, see [`outcome`], or [`VERSION`].
        how: 3,
        /// A timestamp ends, if a packet does.
        is_stamped: 1,
    }
}

/// How a record ends with a nibble.
#[derive(Clone, Copy)]
pub struct Outcome<T> {
    /// See [`outcome`].
    pub outcome: T,
    /// There is one: a record ends.
    pub ends: T,
    /// An error came before, since the last ASYNC.
    pub is_suspect: T,
}

#[named]
impl<T: Word> End<T> {
    /// `hit` says that an ASYNC may end here. One register.
    fn new(role: &Role<T>, hit: T) -> End<T> {
        let is_broken = role.outcome.is(outcome::ASYNC).and(hit.not());
        let bad = T::constant(outcome::BAD_SEQUENCE, 3);
        End {
            ends: role.ends.reg(),
            how: is_broken.mux(bad, role.outcome).reg(),
            is_stamped: role.is_stamped.reg(),
        }
    }

    fn stamps(&self) -> T {
        self.how.is(outcome::PACKET).and(self.is_stamped)
    }
}

/// What the ends of packets in a byte do: at most one of them does something, for if there are two, the second one is
/// that of a NULL.
#[named]
fn event<T: Word>(ends: &[End<T>]) -> Event<T> {
    let any_of = |is_it: &dyn Fn(&End<T>) -> T| any(&ends.iter().map(is_it).collect::<Vec<T>>());
    Event {
        syncs: any_of(&|end| end.how.is(outcome::ASYNC)),
        fails: any_of(&|end| {
            let is_reserved = end.how.is(outcome::RESERVED);
            is_reserved.or(end.how.is(outcome::BAD_SEQUENCE))
        }),
        stamps: any_of(&End::stamps),
        codes: any_of(&|end| end.how.is(VERSION)),
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

/// The outcome of both nibbles of each byte. Two registers.
#[named]
pub fn outcomes<T: Word>(
    roles: &[Role<T>],
    hits: &[[T; 2]],
    input: &Input<T>,
) -> Vec<[Outcome<T>; 2]> {
    let stage = roles[0].outcome.stage();
    let (bytes, _) = roles.as_chunks::<2>();
    let ends = bytes.iter().zip(hits);
    let ends = ends.map(|(roles, hits)| {
        [0, 1].map(|nibble: usize| End::new(&roles[nibble], hits[nibble].at_stage(stage)))
    });
    let ends: Vec<[End<T>; 2]> = ends.collect();
    let now = stage + 1;
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
    for ends in &ends {
        outcomes.push(outcomes_of(
            reading.map(T::reg),
            ends.map(|end| end.map(T::reg)),
            input.lenient,
        ));
        reading = after(&reading, &event(ends), input.lenient);
    }
    let (lost, lives) = (of_next(input.lost, now), of_next(input.lives, now));
    let goes_on = lives.and(lost.not().or(input.lenient));
    T::set_next(next_synced, reading.is_synced.and(goes_on));
    T::set_next(next_coding, reading.has_coding.and(lives));
    T::set_next(next_suspect, reading.is_suspect.or(lost).and(lives));
    outcomes
}

#[named]
fn outcomes_of<T: Word>(before: Reading<T>, ends: [End<T>; 2], lenient: T) -> [Outcome<T>; 2] {
    let constant = |value: u64| T::constant(value, 3);
    let between = after(&before, &event(&ends[..1]), lenient);
    let outcome = |end: End<T>, reading: &Reading<T>| {
        // A VERSION does not end just before a timestamp does.
        let is_bad = end.stamps().and(before.has_coding.not());
        let outcome = end.how.is(VERSION).mux(constant(outcome::PACKET), end.how);
        let outcome = is_bad.mux(constant(outcome::BAD_SEQUENCE), outcome);
        let syncs = end.how.is(outcome::ASYNC);
        let is_read = reading.is_synced.or(syncs);
        Outcome {
            outcome: outcome.mask(is_read),
            ends: end.ends.and(is_read),
            is_suspect: all(&[reading.is_suspect, lenient, syncs.not()]),
        }
    };
    [outcome(ends[0], &before), outcome(ends[1], &between)]
}
