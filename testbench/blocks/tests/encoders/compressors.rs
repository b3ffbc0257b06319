// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of the compressors sends the blocks of the model, word by word.

use crate::comparison::BLOCK_A;
use crate::compressor::{Compressor, Fault};
use crate::programs::ALL;
use coretrace_hdl_compress::{
    HistoryCompressorX1, HistoryCompressorX2, RaptorCompressor, StreamCacheCompressor,
};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rust_hdl::prelude::*;

type M4 = RaptorCompressor<9, 8, 5, 9, BLOCK_A>;
type RBase = StreamCacheCompressor<9, BLOCK_A>;
type X1 = HistoryCompressorX1<10, BLOCK_A>;
type X2 = HistoryCompressorX2<10, BLOCK_A>;

/// Programs of the gate, and those of the night.
const GATE: u64 = 2 * ALL;
const NIGHT: u64 = 60 * ALL;

/// A path past a memory is cut; a counter has a bit less of its place.
const FAULTS: [Fault; 2] = [
    ("step_has_one_before_s0_1 ? step_new", "1'h0 ? step_new"),
    (
        "by_history__pair = places__by_history[12:1];",
        "by_history__pair = places__by_history[11:0];",
    ),
];

/// Runs so many programs with at least so many events.
fn equals_model<B: Block + Default>(name: &str, programs: u64, least: u64) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let compressor = Compressor::new::<B>(name, None);
    let run = compressor.run(programs, false);
    println!("{name}: {run:?}");
    assert_eq!(run.differences, [""; 0], "{name}");
    assert!(run.events > least, "{} events", run.events);
    assert!(run.full_blocks > programs, "{} blocks", run.full_blocks);
    assert!(run.lost > programs, "{} lost", run.lost);
    // One wrong outcome is found.
    let run = compressor.run(1, true);
    assert_eq!(run.differences.len(), 1, "{name}: {run:?}");
}

#[test]
fn the_verilog_of_m4_sends_the_blocks_of_the_model() {
    equals_model::<M4>("M4", GATE, 100_000);
}

#[test]
fn the_verilog_of_rbase_sends_the_blocks_of_the_model() {
    equals_model::<RBase>("rBASE", GATE, 100_000);
}

#[test]
fn the_verilog_of_x1_sends_the_blocks_of_the_model() {
    equals_model::<X1>("X1", GATE, 100_000);
}

#[test]
fn the_verilog_of_x2_sends_the_blocks_of_the_model() {
    equals_model::<X2>("X2", GATE, 100_000);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_m4_sends_ten_million_events_as_the_model() {
    equals_model::<M4>("M4", NIGHT, 10_000_000);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_rbase_sends_ten_million_events_as_the_model() {
    equals_model::<RBase>("rBASE", NIGHT, 10_000_000);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_x1_sends_ten_million_events_as_the_model() {
    equals_model::<X1>("X1", NIGHT, 10_000_000);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_x2_sends_ten_million_events_as_the_model() {
    equals_model::<X2>("X2", NIGHT, 10_000_000);
}

#[test]
#[ignore = "nightly: two more builds of Verilator"]
fn a_fault_in_the_verilog_of_x2_is_found() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    for fault in FAULTS {
        let run = Compressor::new::<X2>("X2", Some(fault)).run(ALL, false);
        assert!(!run.differences.is_empty(), "{fault:?}");
    }
}
