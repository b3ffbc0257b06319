// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random branches for encoders and compressors.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_test_gen::rng;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Distances at which a place in the past is found again: around 1 and 32.
const DISTANCES: [usize; 8] = [1, 2, 3, 4, 31, 32, 33, 34];
/// Events that can come again.
const PAST: usize = 100_000;
/// The most return addresses.
const CALLS: usize = 40;

/// Where code is.
#[derive(Clone, Copy)]
pub struct Code {
    pub bases: [u64; 2],
    /// The bits of an address.
    mask: u64,
}

pub const A32: Code = Code {
    bases: [0x8000, 0xFF00_1000],
    mask: 0xFFFF_FFFC,
};
pub const A64: Code = Code {
    bases: [0x8000, 0xFFFF_8000_0801_2340],
    mask: !3,
};

/// What the branches of a program are.
#[derive(Clone, Copy)]
pub struct Mix {
    /// Their kinds, and the share of those of any other kind.
    kinds: &'static [BranchKind],
    others: f64,
    /// The share of targets that are anywhere.
    far: f64,
    /// The share of discontinuities, and of events behind many instructions.
    discontinuities: f64,
    stretches: f64,
    /// One branch does the same again and again, up to 2^16 times.
    has_loops: bool,
}

const CALL: BranchKind = BranchKind::INDIRECT.and(BranchKind::LINK);
const RETURN: BranchKind = BranchKind::INDIRECT.and(BranchKind::RETURN);

/// Any branches.
pub const ANY: Mix = Mix {
    kinds: &[
        BranchKind::CONDITIONAL,
        BranchKind::CONDITIONAL,
        BranchKind::CONDITIONAL,
        BranchKind::CONDITIONAL,
        BranchKind::CONDITIONAL,
        BranchKind::INDIRECT,
        RETURN,
        BranchKind::LINK,
    ],
    others: 0.1,
    far: 0.01,
    discontinuities: 0.002,
    stretches: 0.02,
    has_loops: false,
};
/// Conditional branches alone.
pub const OUTCOMES: Mix = Mix {
    kinds: &[BranchKind::CONDITIONAL],
    others: 0.0,
    discontinuities: 0.0,
    stretches: 0.0,
    ..ANY
};
/// Long runs of one outcome.
pub const LOOPS: Mix = Mix {
    has_loops: true,
    ..OUTCOMES
};
/// Indirect branches alone, half of them to new places.
pub const TARGETS: Mix = Mix {
    kinds: &[BranchKind::INDIRECT, RETURN, CALL],
    far: 0.5,
    ..OUTCOMES
};
/// Many discontinuities.
pub const DISCONTINUITIES: Mix = Mix {
    far: 0.1,
    discontinuities: 0.3,
    ..ANY
};

/// Events behind so many instructions that blocks end for them.
pub const STRETCHES: Mix = Mix {
    discontinuities: 0.01,
    stretches: 0.1,
    ..OUTCOMES
};

/// A program with a few hundred branches that do what they did before, as a rule.
pub struct Branches {
    rng: ChaCha8Rng,
    mix: Mix,
    code: Code,
    past: Vec<Event>,
    calls: Vec<u64>,
    /// How far back the event is that comes again, 0 if none does, and how long that goes on.
    period: usize,
    again: usize,
}

impl Branches {
    pub fn new(seed: u64) -> Branches {
        Branches {
            rng: rng(seed),
            mix: ANY,
            code: A64,
            past: vec![],
            calls: vec![],
            period: 0,
            again: 0,
        }
    }

    /// Another program begins.
    pub fn begin(&mut self, mix: Mix, code: Code) {
        (self.mix, self.code) = (mix, code);
        self.past.clear();
        self.calls.clear();
        self.again = 0;
    }

    /// What it does next.
    pub fn event(&mut self) -> Event {
        if self.again == 0 {
            (self.period, self.again) = self.stretch();
        }
        self.again -= 1;
        let slips = !self.mix.has_loops && self.rng.random_bool(0.002);
        let event = match self.past.len().checked_sub(self.period) {
            Some(place) if self.period > 0 && !slips => self.past[place],
            _ => self.any_event(),
        };
        if self.past.len() == 2 * PAST {
            self.past.drain(..PAST);
        }
        self.past.push(event);
        event
    }

    /// How far back the events are that come again, 0 for new ones, and how many they are.
    fn stretch(&mut self) -> (usize, usize) {
        let rng = &mut self.rng;
        if self.mix.has_loops {
            let turns = 1 << rng.random_range(0..=16);
            return [(0, 1), (1, turns)][rng.random_range(0..2)];
        }
        let period = match rng.random_range(0..4) {
            0 => DISTANCES[rng.random_range(0..DISTANCES.len())],
            1 => rng.random_range(1..70),
            2 => rng.random_range(1..5000),
            _ => rng.random_range(1..50_000),
        };
        // A program is short at first.
        let period = period.min(self.past.len());
        let length = rng.random_range(0..4 * period + 40) + 1;
        (if rng.random_bool(0.3) { 0 } else { period }, length)
    }

    fn any_event(&mut self) -> Event {
        let (address, mut next) = (self.place(), self.place());
        if self.rng.random_bool(self.mix.far) {
            next = self.rng.random::<u64>() & self.code.mask;
        }
        let instructions = match self.rng.random_bool(self.mix.stretches) {
            true => self.rng.random::<u32>() >> self.rng.random_range(0..32),
            false => self.rng.random_range(0..20),
        };
        if self.rng.random_bool(self.mix.discontinuities) {
            return Event::Discontinuity { instructions, next };
        }
        let kind = match self.rng.random_bool(self.mix.others) {
            true => BranchKind(self.rng.random_range(0..32)),
            false => self.mix.kinds[self.rng.random_range(0..self.mix.kinds.len())],
        };
        if kind.is(BranchKind::RETURN) && self.rng.random_bool(0.8) {
            next = self.calls.pop().unwrap_or(next);
        }
        if kind.is(BranchKind::LINK) && self.calls.len() < CALLS {
            self.calls.push(address + 4);
        }
        Event::Branch(Branch {
            address,
            kind,
            taken: kind == CALL || kind == RETURN || self.rng.random_bool(0.7),
            next,
            instructions,
        })
    }

    /// A place that many branches have.
    fn place(&mut self) -> u64 {
        let rng = &mut self.rng;
        let base = self.code.bases[rng.random_range(0..2)];
        base + 4 * (rng.random::<u64>() & rng.random::<u64>() & 0xFF)
    }
}
