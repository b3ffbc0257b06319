// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of the rBASE encoder writes the bits of the model for the traces of programs.

use crate::event_ports::EventPorts;
use crate::written::Written;
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::stream_cache::{MOST_INSTRUCTIONS, Scheme};
use coretrace_compress::StreamCache;
use coretrace_hdl_compress::StreamCacheEncoder;
use coretrace_hdl_verilog::{ports, verilog};
use coretrace_test_gen::btr::{BranchTrace, files};
use coretrace_test_support::{on_large_stack, shared_dir};
use coretrace_test_verilog::engine::{Engine, Sample};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

/// Cycles of a start, and those until all beats are out.
const START: u32 = 130;
const DRAIN: u32 = 20;

/// What is offered in each cycle: a start, the events of a trace, and cycles for the steps of each of them.
fn inputs(trace: &BranchTrace) -> impl Iterator<Item = Option<Event>> + '_ {
    let steps = |event: Event| {
        let more = 1 + event.instructions() / MOST_INSTRUCTIONS;
        std::iter::once(Some(event)).chain(nothing(more))
    };
    nothing(START)
        .chain(trace.events().flat_map(steps))
        .chain(nothing(DRAIN))
}

fn nothing(cycles: u32) -> impl Iterator<Item = Option<Event>> {
    (0..cycles).map(|_| None)
}

/// Compares the bits of a trace; how many events it has.
fn equals_model(engine: &Engine, trace: &BranchTrace, is_wide: bool) -> u64 {
    let input = |port| engine.input(port).expect("an input");
    let output = |port| engine.output(port).expect("an output");
    let (start, address) = (input("start"), input("start_address"));
    let (is_a32, limit) = (input("is_a32"), input("limit"));
    let to = EventPorts::new(engine);
    let (ready, valid, last) = (output("ready"), output("beat_valid"), output("beat_last"));
    let (bits, count) = (output("beat_bits"), output("beat_count"));

    let mut driven = inputs(trace);
    let drive = |cycle: u64, frame: &mut [u8]| {
        let Some(input) = driven.next() else {
            return false;
        };
        start.set(frame, u64::from(cycle == 0));
        address.set(frame, trace.start >> 2);
        is_a32.set(frame, u64::from(!is_wide));
        limit.set(frame, (1 << limit.width()) - 1);
        to.drive(frame, input);
        true
    };
    let mut inputs = inputs(trace);
    let mut model = StreamCache::new(Scheme::Reduced, is_wide, trace.start);
    let (mut written, mut events, mut cycles) = (Written::default(), 0, 0);
    let take = |cycle: u64, record: &[u8]| {
        cycles = cycle;
        if valid.get(record) == 1 {
            let is_last = last.get(record) == 1;
            written.beat(bits.get(record), count.get(record), is_last, cycle);
        }
        if let Some(event) = inputs.next().expect("as many inputs") {
            assert_eq!(ready.get(record), 1, "cycle {cycle}");
            model.event(&event);
            written.takes(model.bits());
            events += 1;
        }
    };
    engine
        .run(Sample::BeforeEdge, None, drive, take)
        .expect("the encoder runs");
    // Behind the bits of the encoder is the run that has not ended.
    let (bits, _) = model.finish();
    written.starts(&bits.into_bytes(), 0, cycles);
    events
}

fn compare(least: u64, is_chosen: impl Fn(&str) -> bool) {
    let Some(shared) = shared_dir() else { return };
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let name = "stream_cache_encoder";
    let (text, ports) = on_large_stack(|| {
        let text = verilog(StreamCacheEncoder::default(), name);
        let mut block = StreamCacheEncoder::default();
        block.connect_all();
        let text = text.unwrap_or_else(|findings| panic!("{findings}"));
        (text, ports(&block))
    });
    let engine = Engine::for_long_runs(&text, name, &ports).expect("the encoder compiles");
    let mut events = 0;
    for path in files::traces(&shared.join("workloads")).expect("traces") {
        let trace_name = files::name(&path);
        if is_chosen(&trace_name) {
            let trace = files::read(&path).expect("a trace");
            let is_wide = trace_name.contains("a64");
            let own = equals_model(&engine, &trace, is_wide);
            println!("{trace_name}: {own} events");
            events += own;
        }
    }
    assert!(events > least, "{events} events");
}

#[test]
fn the_verilog_of_rbase_writes_the_bits_of_small_programs() {
    compare(100_000, |name| name.starts_with("own/s"));
}

#[test]
#[ignore = "nightly: traces of many millions of events"]
fn the_verilog_of_rbase_writes_the_bits_of_every_program() {
    compare(10_000_000, |_| true);
}
