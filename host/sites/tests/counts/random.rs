// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs, walks and trace units.

use std::ops::Range;

use coretrace_flow::{Image, Images};
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{Page, RandomProgram, random_unit};
use coretrace_test_support::in_parallel;
use rand::RngExt;

use crate::workloads::follow_bytes;

/// Returns the atoms and the cycles of all seeds.
fn check(seeds: Range<u64>, steps: u64) -> (u64, u64) {
    let (mut atoms, mut cycles) = (0, 0);
    for seed in seeds {
        let mut rng = rng(seed);
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..11),
            steps,
        };
        let trace = program.trace(&mut rng);
        let unit = random_unit(&mut rng, seed);
        let pages = unit.pages(&trace).expect("instructions");
        let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
        let images = Images::new(pages.iter().map(image).collect());
        let stream = unit.trace(&trace, &mut ());
        let followed = follow_bytes(&unit.source(), &images, &stream);
        let name = format!("seed {seed}, {program:?}, {unit:?}");
        followed.check(&name);
        assert_eq!((followed.losses, followed.atoms.1), (0, 0), "{name}");
        atoms += followed.atoms.0;
        cycles += followed.sums.cycles.values().sum::<u64>();
    }
    (atoms, cycles)
}

#[test]
fn random_programs_give_the_sums_of_their_elements() {
    let halves = in_parallel([0..125, 125..250], |seeds| check(seeds, 5000));
    let (atoms, cycles): (Vec<u64>, Vec<u64>) = halves.into_iter().unzip();
    let (atoms, cycles): (u64, u64) = (atoms.iter().sum(), cycles.iter().sum());
    assert!(atoms > 1_000_000, "only {atoms} atoms");
    assert!(cycles > 100_000, "only {cycles} cycles");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_give_the_sums_of_their_elements() {
    in_parallel([1000..1200, 1200..1400], |seeds| check(seeds, 60_000));
}
