// SPDX-License-Identifier: MIT OR Apache-2.0
//! How records end: with the policy and the syncs.

use super::super::layouts::outcome;
use super::stream::Role;
use crate::input::{Input, of_next};
use coretrace_hdl_dataflow::{Word, all, named};

/// How a record ends with a byte.
#[derive(Clone, Copy)]
pub struct Outcome<T> {
    /// See [`outcome`].
    pub outcome: T,
    /// An error came before, since the last sync.
    pub is_suspect: T,
}

/// The outcome of each byte. Two registers.
#[named]
pub fn outcomes<T: Word>(roles: &[Role<T>], input: &Input<T>) -> Vec<Outcome<T>> {
    let events = roles.iter().map(|role| {
        let is = |how: u64| role.outcome.is(how);
        let fails = is(outcome::RESERVED).or(is(outcome::BAD_SEQUENCE));
        (is(outcome::SYNC).reg(), fails.reg())
    });
    let events: Vec<(T, T)> = events.collect();
    let now = events[0].0.stage();
    let (held_synced, next_synced) = T::register(1, now);
    let (held_suspect, next_suspect) = T::register(1, now);
    let (mut is_synced, mut is_suspect) = (held_synced, held_suspect);
    let mut outcomes = Vec::new();
    for (role, &(syncs, fails)) in roles.iter().zip(&events) {
        let reads = is_synced.or(syncs).reg();
        outcomes.push(Outcome {
            outcome: role.outcome.at_stage(now).reg().mask(reads),
            is_suspect: all(&[is_suspect, syncs.not()]).reg().and(input.lenient),
        });
        is_synced = syncs.or(is_synced.and(fails.not().or(input.lenient)));
        is_suspect = is_suspect.or(fails).and(syncs.not());
    }
    let (lost, lives) = (of_next(input.lost, now), of_next(input.lives, now));
    let goes_on = lives.and(lost.not().or(input.lenient));
    T::set_next(next_synced, is_synced.and(goes_on));
    T::set_next(next_suspect, is_suspect.or(lost).and(lives));
    outcomes
}
