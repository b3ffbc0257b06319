// SPDX-License-Identifier: MIT OR Apache-2.0
//! The core: words of a trace port in, blocks out.

use crate::model::BLOCK_BYTES;
use coretrace_abi::registers::BlockOptions;
use coretrace_coresight::TraceId;
use coretrace_isa::Isa;
use coretrace_pipelines::sim::RecompressorSim;
use coretrace_test_gen::{Framing, frame_streams, rng};
use coretrace_test_simulate::branch_case::BranchCase;
use coretrace_test_support::words_of;
use rand::RngExt;

/// The trace ID of a source.
pub const TRACE_ID: u8 = 0x10;
/// Rows at which the port waits, so that nothing is dropped.
const MOST_ROWS: u64 = 300;
/// Events at which the walker waits, too: an encoder stops for some hundred cycles where a block begins.
const MOST_EVENTS: u64 = 100;

/// A core with the tables of a program.
pub fn loaded(case: &BranchCase) -> RecompressorSim {
    let mut core = RecompressorSim::default();
    core.load(case.words());
    core
}

/// Enables the source of a program.
pub fn enable(core: &mut RecompressorSim, case: &BranchCase, trace_id: u8) {
    let blocks = BlockOptions {
        is_a32: case.isa == Isa::A32,
        bytes: BLOCK_BYTES,
        time_out: 0,
    };
    core.enable(trace_id, &case.source, &case.rules, &blocks);
}

/// The same, with the usual trace ID.
pub fn started(case: &BranchCase) -> RecompressorSim {
    let mut core = loaded(case);
    enable(&mut core, case, TRACE_ID);
    core
}

/// The words of a port with the stream of a source.
pub fn port(stream: &[u8], trace_id: u8) -> Vec<u32> {
    let id = TraceId::new(trace_id).expect("a trace ID");
    words_of(&frame_streams(&mut rng(1), &[(id, stream)], &Framing::PORT))
}

/// Sends words through the port, as fast as the walk and the encoder take them, with any TREADY.
pub fn send(core: &mut RecompressorSim, words: &[u32]) {
    let mut random = rng(1);
    for &word in words {
        core.step(Some(word), random.random_bool(0.8));
        while core.waiting() > MOST_ROWS || core.waiting_events() > MOST_EVENTS {
            core.step(None, random.random_bool(0.8));
        }
    }
    // What is on its way to the decoder.
    core.idle(100);
}

/// Sends the stream of a program, and disables the source.
pub fn follow(core: &mut RecompressorSim, case: &BranchCase, trace_id: u8) {
    send(core, &port(&case.bytes, trace_id));
    core.disable();
}
