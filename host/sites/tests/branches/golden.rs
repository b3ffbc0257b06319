// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams of real programs, and their branch traces through a trace unit.

use coretrace_flow::{Image, Images};
use coretrace_isa::Isa;
use coretrace_test_gen::GoldenStream;
use coretrace_test_gen::btr::files;
use coretrace_test_gen::trace_unit::{Page, TraceUnit};
use coretrace_test_support::shared_dir;

use crate::followed::check;

/// Instructions of each branch trace.
const INSTRUCTIONS: u64 = 100_000;

#[test]
fn streams_of_real_programs_give_the_branches_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    for stream in &streams {
        let memory = stream.memory().expect("an image").into_iter();
        let images = Images::new(memory.map(|(at, bytes)| Image::new(at, bytes)).collect());
        let events = check(&stream.source, &images, &stream.bytes, &stream.name);
        assert!(events > 500, "{}: {events}", stream.name);
    }
    assert!(streams.len() > 90, "only {} streams", streams.len());
}

#[test]
fn branch_traces_give_the_branches_of_their_elements() {
    let Some(shared) = shared_dir() else { return };
    let files = files::traces(&shared.join("workloads")).expect("traces");
    let units = TraceUnit::of_each_walk();
    let mut followed = 0;
    for (number, file) in files.iter().enumerate() {
        let trace = files::read(file).expect("a trace").prefix(INSTRUCTIONS);
        if trace.isa == Isa::T32 {
            continue;
        }
        followed += 1;
        let mut unit = units[number % units.len()].clone();
        // The handler is A64, and an encoder takes one instruction set.
        unit.traces_handler &= trace.isa == Isa::A64;
        let pages = unit.pages(&trace).expect("instructions");
        let image = |page: &Page| Image::new(page.address, page.bytes.as_slice());
        let images = Images::new(pages.iter().map(image).collect());
        let name = format!("{}, {unit:?}", files::name(file));
        let stream = unit.trace(&trace, &mut ());
        check(&unit.source(), &images, &stream, &name);
    }
    assert!(followed > 20, "only {followed} traces");
}
