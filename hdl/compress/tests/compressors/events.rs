// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random events: what programs do, and what they never do.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use rand::RngExt;
use rand::rngs::StdRng;

/// Some kinds of branches are frequent.
const KINDS: [BranchKind; 8] = [
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::CONDITIONAL,
    BranchKind::LINK,
    BranchKind::INDIRECT.and(BranchKind::RETURN),
    BranchKind::INDIRECT,
    BranchKind::INDIRECT.and(BranchKind::LINK),
];

/// The event with at most so many instructions, a power of two less one.
pub fn with_at_most(most: u32, event: Event) -> Event {
    match event {
        Event::Branch(branch) => Event::Branch(Branch {
            instructions: branch.instructions & most,
            ..branch
        }),
        Event::Discontinuity { instructions, next } => Event::Discontinuity {
            instructions: instructions & most,
            next,
        },
    }
}

/// Events of which many meet the same places of tables, and stretches that come again.
pub struct AnyEvents {
    rng: StdRng,
    places: Vec<u64>,
    /// The newest return addresses, right or not.
    calls: Vec<u64>,
    past: Vec<Event>,
    /// How far back the event is that comes again, and for how long.
    period: usize,
    again: usize,
}

impl AnyEvents {
    pub fn new(mut rng: StdRng) -> AnyEvents {
        let place = |_| {
            let place: u64 = rng.random();
            let bits = [12, 16, 32, 48, 64][rng.random_range(0..5)];
            place >> (64 - bits) & !3
        };
        AnyEvents {
            places: (0..24).map(place).collect(),
            calls: vec![],
            past: vec![],
            period: 0,
            again: 0,
            rng,
        }
    }

    fn place(&mut self) -> u64 {
        self.places[self.rng.random_range(0..self.places.len())]
    }

    fn instructions(&mut self) -> u32 {
        let most = if self.rng.random_bool(0.02) { 28 } else { 6 };
        self.rng.random::<u32>() >> (32 - self.rng.random_range(1..=most))
    }

    fn kind(&mut self) -> BranchKind {
        if self.rng.random_bool(0.9) {
            KINDS[self.rng.random_range(0..KINDS.len())]
        } else {
            BranchKind(self.rng.random_range(0..32))
        }
    }

    /// The next event.
    pub fn event(&mut self) -> Event {
        if self.again == 0 && self.past.len() > 100 && self.rng.random_bool(0.02) {
            self.period = self.rng.random_range(1..40);
            self.again = self.rng.random_range(1..100);
        }
        let event = if self.again > 0 {
            self.again -= 1;
            self.past[self.past.len() - self.period]
        } else {
            self.new_event()
        };
        self.past.push(event);
        event
    }

    fn new_event(&mut self) -> Event {
        let instructions = self.instructions();
        let mut next = self.place();
        if self.rng.random_bool(0.01) {
            return Event::Discontinuity { instructions, next };
        }
        let (address, kind) = (self.place(), self.kind());
        let taken = self.rng.random_bool(0.8);
        if kind.is(BranchKind::RETURN) && self.rng.random_bool(0.8) {
            next = self.calls.pop().unwrap_or(next);
        }
        if kind.is(BranchKind::LINK) {
            self.calls.push(address.wrapping_add(4));
        }
        Event::Branch(Branch {
            address,
            kind,
            taken,
            next,
            instructions,
        })
    }
}
