// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events that meet in the tables of an X encoder.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use rand::RngExt;
use rand::rngs::StdRng;

/// A branch of a program at `base`, by its number.
fn branch(base: u64, number: u64, kind: BranchKind, taken: bool, next: u64) -> Event {
    Event::Branch(Branch {
        address: base + 4 * number,
        kind,
        taken,
        next,
        instructions: 3,
    })
}

/// A conditional branch.
pub fn outcome(base: u64, number: u64, taken: bool) -> Event {
    branch(base, number, BranchKind::CONDITIONAL, taken, base)
}

/// An indirect branch that was taken.
pub fn target(base: u64, number: u64, next: u64) -> Event {
    branch(base, number, BranchKind::INDIRECT, true, next)
}

/// A stretch of random outcomes, with some targets if `has_targets`, again and again; sometimes one is different.
pub fn stretches(
    rng: &mut StdRng,
    base: u64,
    length: usize,
    total: usize,
    has_targets: bool,
) -> Vec<Event> {
    let any = |rng: &mut StdRng| {
        let number = rng.random_range(0..40);
        if has_targets && rng.random_bool(0.2) {
            target(base, number, base + 64 * rng.random_range(0..5))
        } else {
            outcome(base, number, rng.random())
        }
    };
    let mut events: Vec<Event> = (0..length).map(|_| any(rng)).collect();
    while events.len() < total {
        let again = events[events.len() - length];
        let other = any(rng);
        events.push(if rng.random_bool(0.004) { other } else { again });
    }
    events
}

/// Loops with a target behind each, which is one of two: no target is between a loop and the place that it is
/// followed from.
pub fn loops(rng: &mut StdRng, base: u64, total: usize) -> Vec<Event> {
    let mut events = vec![];
    while events.len() < total {
        let turns = rng.random_range(60..80);
        events.extend((0..turns).map(|turn| outcome(base, turn % 5, turn % 10 < 6)));
        events.push(target(base, 50, base + 64 * rng.random_range(0..2)));
    }
    events
}
