// SPDX-License-Identifier: MIT OR Apache-2.0
//! OpenCSD 1.3 as a witness: its full decoder finds the ranges that were executed.

use std::sync::Arc;

use coretrace_test_gen::rng;
use coretrace_test_gen::trace_unit::{RandomProgram, TracedRange, random_unit};
use coretrace_test_opencsd::{Elements, FullDecoder, TraceElement, skip_or_fail};

use crate::walk::assert_equal;

/// `OCSD_GEN_TRC_ELEM_INSTR_RANGE` and `OCSD_INSTR_OTHER`.
const RANGE: u32 = 5;
const OTHER: u32 = 0;

#[derive(Default)]
struct Ranges(Vec<TracedRange>);

impl Elements for Ranges {
    fn element(&mut self, element: &TraceElement) {
        if element.kind == RANGE {
            let is_branch = element.last_type != OTHER;
            self.0.push(TracedRange {
                start: element.start,
                end: element.end,
                taken: is_branch.then_some(element.was_executed()),
            });
        }
    }
}

#[test]
fn opencsd_finds_what_was_executed() {
    let Some(library) = skip_or_fail() else {
        return;
    };
    for seed in 0..100 {
        let mut rng = rng(seed);
        let trace = RandomProgram::small(&mut rng).trace(&mut rng);
        let mut unit = random_unit(&mut rng, seed);
        // This version leaves out the commits of cycle counts.
        if let Some(speculation) = &mut unit.speculation {
            speculation.counts_commit = false;
        }
        let mut truth = Vec::new();
        let stream = unit.trace(&trace, &mut truth);
        let pages = unit.pages(&trace).expect("instructions");
        let images = pages
            .into_iter()
            .map(|page| (page.address, Arc::from(page.bytes)))
            .collect();
        let mut decoder = FullDecoder::new(library, &unit.source(), images, Ranges::default())
            .expect("a decoder");
        decoder.run(&stream).expect("a stream");
        let name = format!("seed {seed}, {unit:?}");
        assert_equal(&decoder.sink().0, &truth, &name);
    }
}
