// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random programs in random trace units, with exception calls, interrupts and handlers.

use coretrace_abi::compressed::encoder::Encoder;
use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{RandomProgram, TracedRange, random_unit};
use rand::RngExt;

use crate::{Stretches, Traced, compress, replay};

#[test]
fn random_programs_with_exceptions_are_executed_again() {
    let mut calls = 0;
    for seed in 0..300 {
        let mut rng = rng(seed);
        let program = RandomProgram {
            blocks: 2 << rng.random_range(0..9),
            steps: 1000,
        };
        let trace = program.trace(&mut rng);
        let mut unit = random_unit(&mut rng, seed);
        // The handler is A64, and a replayer takes one instruction set.
        unit.traces_handler &= trace.isa == Isa::A64;
        let pages = unit.pages(&trace).expect("instructions");
        let images = pages.into_iter();
        let images = images.map(|page| Image::new(page.address, page.bytes));
        let mut ranges: Vec<TracedRange> = Vec::new();
        let traced = Traced {
            bytes: unit.trace(&trace, &mut ranges),
            source: unit.source(),
            images: Images::new(images.collect()),
            isa: trace.isa,
        };
        let mut want = Stretches::default();
        for range in &ranges {
            want.add(range.start, range.end);
        }
        // A cache of streams has no addresses of a kernel beside those of a program.
        let of_streams: &[&str] = if unit.traces_handler {
            &[]
        } else {
            &["BASE", "THT"]
        };
        for name in ["X2", "M4", "NEXS"].iter().chain(of_streams) {
            let encoder = Encoder::named(name).expect("an encoder");
            let compressed = compress(&traced, encoder);
            calls += compressed.calls;
            let got = replay(&compressed, &traced);
            got.check(&want, &format!("seed {seed}, {name}"));
        }
    }
    assert!(calls > 1000, "only {calls} exception calls");
}
