// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sums that grow beyond their bits: a core reads itself out in time, or says that it could not.

use coretrace_abi::flow_stream::{Beat, BeatKind};
use coretrace_sites::FlowReader;
use coretrace_test_gen::trace_unit::TraceUnit;
use coretrace_test_simulate::flow_case::FlowCase;
use coretrace_test_simulate::flow_walk::FlowWalk;

use super::{Hardware, program, widths};

/// A program of so many blocks whose last branch is followed by cycle counts, each as large as can be.
fn case(blocks: usize, counts: usize) -> FlowCase {
    let unit = TraceUnit {
        cycle_threshold: Some(4),
        ..TraceUnit::default()
    };
    let mut case = program(9, blocks, 10 * blocks as u64, &unit);
    let count = [0x0E, 0xFF, 0xFF, 0x3F];
    case.bytes.extend(count.repeat(counts));
    case
}

/// What the core says while nobody asks for the sums.
fn follow(case: &FlowCase, reads: u64) -> Hardware<9, 1, 0> {
    let mut hardware = Hardware::new(case, reads);
    for bytes in case.bytes.chunks(4) {
        hardware.cycle(bytes, false);
        while hardware.level() > 400 {
            hardware.cycle(&[], false);
        }
    }
    hardware
}

fn read_outs(hardware: &Hardware<9, 1, 0>) -> usize {
    let is_end = |beat: &&Beat| matches!(beat, Beat::Mark { kind, .. } if *kind == BeatKind::End);
    hardware.beats.iter().filter(is_end).count()
}

/// The cycles of all read-outs and of a last one, and how many sums have passed their end.
fn cycles(hardware: &mut Hardware<9, 1, 0>) -> (u64, u64) {
    hardware.read_out();
    hardware.drain();
    let mut reader = FlowReader::new(widths());
    for beat in &hardware.beats {
        reader.bytes(beat.words().map(u32::to_le_bytes).as_flattened());
    }
    let read = reader.finish();
    assert!(!read.damage.is_any(), "{}", read.damage);
    (read.counts.cycles.values().sum(), read.overflows)
}

fn model(case: &FlowCase) -> u64 {
    FlowWalk::of_model(case, 1).cycles.values().sum()
}

#[test]
fn a_core_reads_itself_out_before_a_sum_is_full() {
    let short = case(10, 10);
    let mut hardware = follow(&short, 1);
    hardware.end();
    assert_eq!(read_outs(&hardware), 0);
    assert_eq!(cycles(&mut hardware), (model(&short), 0));

    let long = case(10, 3000);
    let want = model(&long);
    assert!(want > 1 << 31, "{want}");
    let mut hardware = follow(&long, 1);
    hardware.end();
    assert_eq!(read_outs(&hardware), 2);
    assert_eq!(cycles(&mut hardware), (want, 0));
}

#[test]
fn a_sum_that_nobody_reads_says_that_it_passed_its_end() {
    // A read-out of so many sites waits for a reader.
    let long = case(80, 4000);
    let mut hardware = follow(&long, u64::MAX);
    assert_eq!(read_outs(&hardware), 0);
    hardware.read_in(1);
    hardware.end();
    assert_eq!(cycles(&mut hardware), (model(&long), 1));
}
