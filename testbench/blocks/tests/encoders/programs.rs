// SPDX-License-Identifier: MIT OR Apache-2.0
//! Programs for the compressors in Verilog, one after another, each from a reset to the next.

use crate::SEED;
use crate::branches::{A32, A64, ANY, Branches, Code, DISCONTINUITIES, LOOPS, Mix};
use crate::branches::{OUTCOMES, STRETCHES, TARGETS};
use coretrace_abi::compressed::branch::Event;
use coretrace_test_gen::rng;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Cycles of a program, and those at its begin and at its end without a branch.
pub const CYCLES: u64 = 72_000;
const STARTS: u64 = 600;
const DRAIN: u64 = 20_000;
/// Cycles from one flush to the next, and from one stall to the next.
const FLUSH: u64 = 1_500;
const STALL: u64 = 16_000;

/// A program, and how it meets its compressor.
pub struct Program {
    pub name: &'static str,
    mix: Mix,
    /// Branches come at the begin of each period of cycles, in a share of the cycles of a burst.
    period: u64,
    burst: u64,
    rate: f64,
    /// The share of cycles with TREADY, and cycles of each [`STALL`] without it.
    ready: f64,
    stall: u64,
    /// Blocks are closed by flushes.
    flushes: bool,
    /// The time-out of a block; it is over before the next period.
    pub most_cycles: u64,
    /// The next reset comes while branches are in flight.
    pub is_cut: bool,
    /// There may be more branches than the compressor can take.
    pub loses: bool,
}

const GAPS: Program = Program {
    name: "gaps",
    mix: ANY,
    period: 1_000,
    burst: 1_000,
    rate: 0.25,
    ready: 1.0,
    stall: 0,
    flushes: false,
    most_cycles: 0,
    is_cut: false,
    loses: false,
};

/// All programs. Bursts come at full rate, and are as long as the FIFO allows.
const PROGRAMS: &[Program] = &[
    GAPS,
    Program {
        name: "bursts at a slow consumer",
        burst: 200,
        rate: 1.0,
        ready: 0.6,
        ..GAPS
    },
    Program {
        name: "one outcome behind the other",
        mix: OUTCOMES,
        burst: 900,
        rate: 1.0,
        ..GAPS
    },
    Program {
        name: "long runs",
        mix: LOOPS,
        burst: 900,
        rate: 1.0,
        ..GAPS
    },
    Program {
        name: "one target behind the other",
        mix: TARGETS,
        burst: 150,
        rate: 1.0,
        ..GAPS
    },
    Program {
        name: "full blocks at a slow consumer",
        mix: TARGETS,
        ready: 0.6,
        ..GAPS
    },
    Program {
        name: "one discontinuity behind the other",
        mix: DISCONTINUITIES,
        burst: 100,
        rate: 1.0,
        ..GAPS
    },
    Program {
        name: "long stretches",
        mix: STRETCHES,
        loses: true,
        ..GAPS
    },
    Program {
        name: "flushes",
        flushes: true,
        ..GAPS
    },
    Program {
        name: "time-outs",
        period: 3_000,
        burst: 40,
        rate: 1.0,
        most_cycles: 700,
        ..GAPS
    },
    Program {
        name: "overload",
        rate: 1.0,
        loses: true,
        ..GAPS
    },
    Program {
        name: "stalls",
        mix: DISCONTINUITIES,
        stall: 12_000,
        loses: true,
        ..GAPS
    },
    Program {
        name: "a reset in flight",
        is_cut: true,
        ..GAPS
    },
];

/// How many programs there are for A64, and as many for A32.
pub const ALL: u64 = PROGRAMS.len() as u64;

/// What comes in.
#[derive(Clone, Copy)]
pub enum Input {
    Reset,
    Begin(u64),
    Event(Event),
    Nothing,
}

/// The pins in a cycle.
pub struct Cycle {
    pub program: &'static Program,
    pub is_a32: bool,
    pub input: Input,
    pub flush: bool,
    pub ready: bool,
    /// A time-out has closed the block.
    pub is_over: bool,
}

/// All programs for A64, then for A32, and so on.
pub struct Inputs {
    rng: ChaCha8Rng,
    branches: Branches,
    cycle: u64,
}

impl Inputs {
    pub fn new() -> Inputs {
        Inputs {
            rng: rng(SEED),
            branches: Branches::new(SEED + 1),
            cycle: 0,
        }
    }
}

impl Iterator for Inputs {
    type Item = Cycle;

    fn next(&mut self) -> Option<Cycle> {
        let (number, place) = (self.cycle / CYCLES, self.cycle % CYCLES);
        self.cycle += 1;
        let program = &PROGRAMS[(number % ALL) as usize];
        let is_a32 = number / ALL % 2 == 1;
        let code: Code = if is_a32 { A32 } else { A64 };

        let end = if program.is_cut {
            CYCLES
        } else {
            CYCLES - DRAIN
        };
        let is_busy = (STARTS..end).contains(&place);
        let in_period = place % program.period;
        let in_burst = is_busy && in_period < program.burst;
        let input = match place {
            0 => {
                self.branches.begin(program.mix, code);
                Input::Reset
            }
            1 => Input::Begin(code.bases[0]),
            _ if in_burst && self.rng.random_bool(program.rate) => {
                Input::Event(self.branches.event())
            }
            _ => Input::Nothing,
        };
        let stalls = place % STALL < program.stall;
        Some(Cycle {
            program,
            is_a32,
            input,
            flush: place == end || is_busy && program.flushes && place % FLUSH == 0,
            ready: !is_busy || !stalls && self.rng.random_bool(program.ready),
            is_over: program.most_cycles > 0 && in_period == program.period - 2,
        })
    }
}
