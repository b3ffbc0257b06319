// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace port in, blocks of a compressed trace out: the blocks are those of the models, and a reader that has
//! the memory of the program finds in them what was executed.

mod case;
mod hardware;

use case::Case;
use coretrace_abi::compressed::branch::{Branch, Event};
use coretrace_replay::{Blocks, ImageCode};
use coretrace_test_gen::trace_unit::{RandomProgram, random_unit};
use coretrace_test_gen::{GoldenStream, rng, rounds};
use coretrace_test_support::shared_dir;
use hardware::Hardware;
use rand::RngExt;

/// The blocks of the hardware, which are those of the models, and how many events they have.
fn compare(case: &Case, name: &str) -> (Vec<u8>, usize) {
    let (start, events) = case.events();
    let mut core = Hardware::new(case);
    core.follow(&case.bytes);
    assert_eq!((core.lost, core.dropped_atoms()), (0, 0), "{name}");
    assert_eq!(core.events, events.len(), "{name}");
    let model = start.map_or(Vec::new(), |start| case.blocks(start, &events));
    let mut bytes = core.memory.iter().zip(&model);
    let difference = bytes.position(|(ours, model)| ours != model);
    assert_eq!(difference, None, "{name}: a byte");
    assert_eq!(core.memory.len(), model.len(), "{name}");
    (core.memory, events.len())
}

/// Stretches of instructions that follow each other: addresses of the first one and behind the last.
#[derive(Default)]
struct Stretches(Vec<(u64, u64)>);

impl Stretches {
    fn add(&mut self, start: u64, end: u64) {
        match self.0.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ if start == end => {}
            _ => self.0.push((start, end)),
        }
    }

    /// Those of the lines of a walk.
    fn of_walk(walk: &str) -> Stretches {
        let mut stretches = Stretches::default();
        for line in walk.lines() {
            let mut fields = line.split(' ');
            let mut field = || u64::from_str_radix(fields.next().expect("a field"), 16);
            stretches.add(field().expect("an address"), field().expect("an address"));
        }
        stretches
    }

    /// Those that a reader finds in blocks.
    fn of_blocks(memory: &[u8], case: &Case) -> Stretches {
        let code = ImageCode::new(case.images.clone(), case.isa);
        let mut stretches = Stretches::default();
        for block in Blocks::new(memory) {
            let mut start = block.header.address;
            for event in block.events(&code).expect("an encoder") {
                let (end, next) = match event.expect("an event") {
                    Event::Branch(Branch { address, next, .. }) => (address + 4, next),
                    Event::Discontinuity { instructions, next } => {
                        (start + 4 * u64::from(instructions), next)
                    }
                };
                stretches.add(start, end);
                start = next;
            }
        }
        stretches
    }

    /// Demands all of these stretches, the last one up to the last branch.
    fn check(&self, want: &Stretches, name: &str) {
        let (Stretches(got), Stretches(want)) = (self, want);
        let (last, whole) = got.split_last().expect("a stretch");
        let all = got.iter().zip(want).zip(0..whole.len());
        for ((got, want), number) in all {
            assert_eq!(got, want, "{name}, stretch {number}");
        }
        assert!(want.len() - got.len() <= 1, "{name}: {}", want.len());
        let of_want = want[whole.len()];
        assert!(
            last.0 == of_want.0 && last.1 <= of_want.1,
            "{name}: {last:x?}"
        );
    }
}

/// Compares a stream of each program that is chosen with its walk.
fn compare_golden(is_chosen: impl Fn(&str) -> bool) {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    let mut compared = 0;
    for stream in streams.iter().filter(|stream| is_chosen(&stream.name)) {
        let case = Case::golden(stream);
        let (memory, events) = compare(&case, &stream.name);
        let walk = Stretches::of_walk(&stream.ranges().expect("ranges"));
        Stretches::of_blocks(&memory, &case).check(&walk, &stream.name);
        println!("{}: {events} events, {} bytes", stream.name, memory.len());
        compared += 1;
    }
    assert!(compared > 1, "only {compared} streams");
}

#[test]
fn blocks_of_real_programs_have_what_was_executed() {
    let chosen = ["fft.a32.irq", "adpcm.a64.retstack"];
    compare_golden(|name| chosen.contains(&name));
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn blocks_of_every_stream_have_what_was_executed() {
    compare_golden(|_| true);
}

#[test]
fn blocks_of_random_programs_are_those_of_the_model() {
    let mut events = 0;
    for seed in 0..rounds(6, 60) {
        let mut random = rng(seed);
        let program = RandomProgram {
            blocks: 2 << random.random_range(0..6),
            steps: 400,
        };
        let mut unit = random_unit(&mut random, seed);
        if let Some(case) = Case::random(&program, &mut unit, &mut random) {
            events += compare(&case, &format!("seed {seed}")).1;
        }
    }
    assert!(events > 1000, "only {events} events");
}
