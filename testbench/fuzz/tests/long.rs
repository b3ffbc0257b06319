// SPDX-License-Identifier: MIT OR Apache-2.0
//! One long stream through Verilator: a bounded part of `cargo etm4-fuzz long`.

use coretrace_etm::Record;
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::DRAIN_CYCLES;
use coretrace_test_fuzz::long::{Figures, Stream};
use coretrace_test_fuzz::verilog::engine;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

const PRESET: DecoderTop = DecoderTop::Etm4JumpX4;

fn compare(stream: Stream, records: impl Iterator<Item = Record>) -> Figures {
    let engine = engine(PRESET).expect("Verilator takes the preset");
    stream.compare(&engine, records).expect("Verilator runs")
}

#[test]
fn a_long_stream_is_equal_at_full_speed_in_constant_memory() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let stream = Stream {
        from: 0,
        bytes: 1_000_000,
    };
    let figures = compare(stream, stream.records());
    println!("{figures}");
    assert!(figures.is_good(), "{figures}");
    let words = stream.bytes / PRESET.bytes_per_cycle() as u64;
    assert!(figures.cycles >= words, "{figures}");
    assert!(figures.cycles <= words + DRAIN_CYCLES as u64, "{figures}");
    assert!(
        figures.records > 100_000 && figures.errors > 100,
        "{figures}"
    );
    if let [Some(early), Some(late)] = figures.memory {
        assert!(late <= early + 1024, "{figures}");
    }
}

#[test]
fn every_difference_is_counted() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let stream = Stream {
        from: 1,
        bytes: 20_000,
    };
    let records: Vec<Record> = stream.records().collect();
    let differing = |records: &[Record]| compare(stream, records.iter().copied()).differing;
    assert_eq!(differing(&records), 0);
    let mut changed = records.clone();
    changed[100].header ^= 1;
    changed[200].len += 1;
    assert_eq!(differing(&changed), 2);
    // A record that the model does not have, and one that only the model has.
    assert_eq!(differing(&records[..records.len() - 1]), 1);
    let last = records.last().copied();
    let more: Vec<Record> = records.into_iter().chain(last).collect();
    assert_eq!(differing(&more), 1);
}
