// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs under random settings.

use std::ops::Range;

use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{RandomProgram, random_unit};

use crate::walk::there_and_back;

/// Returns the exceptions of all seeds.
fn check(seeds: Range<u64>) -> usize {
    let mut exceptions = 0;
    for seed in seeds {
        let mut rng = rng(seed);
        let trace = RandomProgram::small(&mut rng).trace(&mut rng);
        let unit = random_unit(&mut rng, seed);
        let name = format!("seed {seed}, {unit:?}");
        assert_eq!(
            BranchTrace::read(&trace.write()).as_ref(),
            Ok(&trace),
            "{name}"
        );
        exceptions += there_and_back(&unit, &trace, &name).exceptions;
    }
    exceptions
}

#[test]
fn random_programs_and_settings_give_what_was_executed() {
    let exceptions = check(0..400);
    assert!(exceptions > 1000, "only {exceptions} exceptions");
}

#[test]
#[ignore = "long: cargo xtask nightly"]
fn many_random_programs_and_settings_give_what_was_executed() {
    check(400..40_000);
}

#[test]
fn a_seed_gives_the_same_stream_again() {
    let mut rng = rng(7);
    let trace = RandomProgram::small(&mut rng).trace(&mut rng);
    let unit = random_unit(&mut rng, 7);
    assert_eq!(unit.trace(&trace, &mut ()), unit.trace(&trace, &mut ()));
}
