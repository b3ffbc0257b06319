// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs, walks and trace units.

use std::ops::Range;

use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{Page, RandomProgram, random_unit};
use coretrace_test_support::in_parallel;
use rand::RngExt;

use crate::followed::check;

/// Returns the events of all seeds.
fn events(seeds: Range<u64>, steps: u64) -> usize {
    let one = |seed| {
        let mut rng = rng(seed);
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..11),
            steps,
        };
        let trace = program.trace(&mut rng);
        let mut unit = random_unit(&mut rng, seed);
        // The handler is A64, and an encoder takes one instruction set.
        unit.traces_handler &= trace.isa == Isa::A64;
        let pages = unit.pages(&trace).expect("instructions");
        let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
        let images = Images::new(pages.iter().map(image).collect());
        let stream = unit.trace(&trace, &mut ());
        let name = format!("seed {seed}, {program:?}, {unit:?}");
        check(&unit.source(), &images, &stream, &name)
    };
    seeds.map(one).sum()
}

#[test]
fn random_programs_give_the_branches_of_their_elements() {
    let halves = in_parallel([0..125, 125..250], |seeds| events(seeds, 3000));
    let events: usize = halves.into_iter().sum();
    assert!(events > 300_000, "only {events} events");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_give_the_branches_of_their_elements() {
    in_parallel([1000..1400, 1400..1800], |seeds| events(seeds, 20_000));
}
