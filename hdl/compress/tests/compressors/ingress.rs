// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks that a RISC-V hart retires become the events of its execution.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::branch_beat::BranchBeat;
use coretrace_hdl_compress::RetirementPort;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

use crate::bench::address;

/// Blocks of a cycle.
const LANES: usize = 2;
/// Halfwords of the longest block.
const MOST: u64 = 255;

/// What a hart says of a block: halfwords, what ends it, the size of its last instruction, where it begins.
#[derive(Clone, Copy, Debug, Default)]
struct Retired {
    iretire: u64,
    itype: u64,
    ilastsize: bool,
    iaddr: u64,
}

/// What ends a run of instructions, with its `itype`.
const BRANCHES: [(u64, BranchKind, bool); 12] = [
    (3, BranchKind::EXCEPTION, true),
    (4, BranchKind::CONDITIONAL, false),
    (5, BranchKind::CONDITIONAL, true),
    (6, BranchKind::INDIRECT, true),
    (8, BranchKind(6), true),
    (9, BranchKind::LINK, true),
    (10, BranchKind::INDIRECT, true),
    (11, BranchKind(0), true),
    (12, BranchKind(14), true),
    (13, BranchKind(10), true),
    (14, BranchKind::INDIRECT, true),
    (15, BranchKind(0), true),
];

/// An execution: its blocks, and its events instruction by instruction. Addresses are those of halfwords.
struct Execution {
    rng: StdRng,
    /// The share of branches that lead anywhere.
    far: f64,
    place: u64,
    /// Halfwords since the last event.
    amount: u32,
    block: Retired,
    blocks: Vec<Retired>,
    /// The last one says no place yet.
    events: Vec<Event>,
}

impl Execution {
    fn new(seed: u64, far: f64) -> Execution {
        let mut rng = StdRng::seed_from_u64(seed);
        let start = rng.random::<u64>() >> 2;
        Execution {
            rng,
            far,
            place: start,
            amount: 0,
            block: Retired::default(),
            blocks: vec![],
            events: vec![],
        }
    }

    fn instruction(&mut self) {
        let size = self.rng.random_range(1..3);
        if self.block.iretire == 0 {
            self.block.iaddr = self.place;
        }
        self.block.iretire += size;
        self.block.ilastsize = size == 2;
        self.place += size;
        self.amount += size as u32;
    }

    fn end(&mut self, itype: u64) {
        self.block.itype = itype;
        self.blocks.push(std::mem::take(&mut self.block));
    }

    fn go(&mut self, far: bool) {
        let any = self.rng.random::<u64>() >> 2;
        let near = self.place ^ self.rng.random_range(0..64);
        self.place = if far { any } else { near };
        let to = self.place << 2;
        match self.events.last_mut() {
            Some(Event::Branch(branch)) => branch.next = to,
            Some(Event::Discontinuity { next, .. }) => *next = to,
            None => {}
        }
    }

    fn branch(&mut self) {
        let (itype, kind, taken) = BRANCHES[self.rng.random_range(0..BRANCHES.len())];
        self.instruction();
        self.events.push(Event::Branch(Branch {
            address: (self.place - 1) << 2,
            kind,
            taken,
            next: self.place << 2,
            instructions: std::mem::take(&mut self.amount),
        }));
        let size = 1 + u32::from(self.block.ilastsize);
        self.end(itype);
        if taken {
            let far = self.rng.random_bool(self.far);
            self.go(far);
        }
        // Interrupts before an instruction retires.
        while self.rng.random_bool(0.1) {
            let newest = self.events.last_mut().expect("a branch");
            if let Event::Branch(branch) = *newest {
                *newest = Event::Discontinuity {
                    instructions: branch.instructions - size,
                    next: 0,
                };
            }
            self.block.iaddr = self.rng.random::<u64>() >> 2;
            self.end(2);
            self.go(true);
        }
    }

    /// An exception or an interrupt behind some instructions or none.
    fn trap(&mut self) {
        let is_exception = self.rng.random_bool(0.5);
        if !is_exception {
            self.instruction();
        } else if self.block.iretire == 0 {
            self.block.iaddr = self.place;
        }
        self.events.push(Event::Discontinuity {
            instructions: std::mem::take(&mut self.amount),
            next: 0,
        });
        self.end(if is_exception { 1 } else { 2 });
        self.go(true);
    }

    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            match self.rng.random_range(0..40) {
                0 => self.trap(),
                1..14 => self.branch(),
                _ if self.block.iretire + 4 > MOST || self.rng.random_bool(0.05) => {
                    // A hart may end a block anywhere.
                    self.instruction();
                    self.end(0);
                }
                _ => self.instruction(),
            }
        }
        // A block behind the last event says where it led.
        self.instruction();
        self.end(0);
    }
}

/// What a port says.
#[derive(Default)]
struct Said {
    beats: Vec<BranchBeat>,
    /// Cycles in which it asks the hart to wait, and in which events are lost.
    stalls: usize,
    losses: usize,
}

/// A port and the hart in front of it.
struct Bench {
    port: RetirementPort,
    said: Said,
}

impl Bench {
    fn new() -> Bench {
        let mut port = RetirementPort::default();
        port.connect_all();
        port.reset.next = true;
        cycle(&mut port, |uut, clock| uut.clock.next = clock);
        port.reset.next = false;
        let said = Said::default();
        Bench { port, said }
    }

    fn retire(&mut self, blocks: [Retired; LANES]) {
        let port = &mut self.port;
        for (lane, block) in blocks.into_iter().enumerate() {
            port.iretire[lane].next = block.iretire.to_bits();
            port.itype[lane].next = block.itype.to_bits();
            port.ilastsize[lane].next = block.ilastsize;
            port.iaddr[lane].next = address(block.iaddr << 2);
        }
        cycle(port, |uut, clock| uut.clock.next = clock);
        self.said.stalls += usize::from(port.stall.val());
        self.said.losses += usize::from(port.loses.val());
        if port.m_axis_branches_tvalid.val() {
            let beat = port.m_axis_branches_tdata.val().to_wide();
            let words = [0, 64, 128].map(|low| beat.field(low, 64));
            self.said.beats.push(BranchBeat::of_words(&words));
        }
    }

    fn drain(mut self) -> Said {
        (0..140).for_each(|_| self.retire([Retired::default(); LANES]));
        self.said
    }
}

/// What a port says of blocks with empty lanes between them, and of a hart that waits when it should.
fn said_of(rng: &mut StdRng, blocks: &[Retired]) -> Said {
    let mut bench = Bench::new();
    let mut left = blocks.iter().copied();
    let gaps = [0.0, 0.3][rng.random_range(0..2)];
    while left.len() > 0 {
        let waits = bench.port.stall.val();
        bench.retire([(); LANES].map(|()| {
            let none = Retired {
                itype: rng.random_range(3..16),
                iaddr: rng.random::<u64>() >> 2,
                ..Retired::default()
            };
            let is_gap = waits || rng.random_bool(gaps);
            let block = if is_gap { None } else { left.next() };
            block.unwrap_or(none)
        }));
    }
    bench.drain()
}

#[test]
fn blocks_of_a_hart_become_the_events_of_its_execution() {
    let (mut total, mut stalls) = (0, 0);
    for seed in 0..1000 {
        let mut execution = Execution::new(seed, 0.5);
        let start = execution.place << 2;
        execution.run(if seed % 8 == 0 { 1200 } else { 200 });
        let mut rng = StdRng::seed_from_u64(seed + 10_000);
        let said = said_of(&mut rng, &execution.blocks);
        let events = execution.events.iter().copied().map(BranchBeat::Event);
        let expected: Vec<_> = [BranchBeat::Begin {
            next: start,
            lost: 0,
        }]
        .into_iter()
        .chain(events)
        .collect();
        for (number, (came, expected)) in said.beats.iter().zip(&expected).enumerate() {
            assert_eq!(came, expected, "seed {seed}, beat {number}");
        }
        assert_eq!(said.beats.len(), expected.len(), "seed {seed}");
        assert_eq!(said.losses, 0, "seed {seed}");
        total += expected.len();
        stalls += said.stalls;
    }
    assert!(total > 50_000, "{total} beats");
    assert!(stalls > 100, "{stalls} stalls");
}

#[test]
fn a_hart_that_does_not_wait_loses_events_and_begins_again() {
    let mut stretches = 0;
    for seed in 0..4 {
        let mut execution = Execution::new(seed, 1.0);
        execution.run(4000);
        let mut bench = Bench::new();
        for pair in execution.blocks.chunks(LANES) {
            let block = |lane: usize| pair.get(lane).copied().unwrap_or_default();
            bench.retire([block(0), block(1)]);
        }
        let said = bench.drain();
        let mut left = execution.events.iter().copied();
        for (number, beat) in said.beats.iter().skip(1).enumerate() {
            match *beat {
                BranchBeat::Event(event) => {
                    assert_eq!(Some(event), left.next(), "seed {seed}, beat {number}");
                }
                BranchBeat::Begin { next, lost } => {
                    // The last one of them led there.
                    let last = left.nth(lost as usize - 1);
                    assert_eq!(last.map(|event| event.next()), Some(next), "seed {seed}");
                    stretches += 1;
                }
            }
        }
        assert!(said.losses > 0, "seed {seed}");
    }
    assert!(stretches > 8, "{stretches} stretches");
}

#[test]
fn a_beat_comes_5_cycles_behind_the_block_that_says_where_it_led() {
    let mut bench = Bench::new();
    let block = Retired {
        iretire: 1,
        ..Retired::default()
    };
    bench.retire([block, Retired::default()]);
    let beats = |bench: &Bench| bench.said.beats.len();
    let cycles = (1..10).find(|_| {
        bench.retire([Retired::default(); LANES]);
        beats(&bench) > 0
    });
    assert_eq!(cycles, Some(4));
}
