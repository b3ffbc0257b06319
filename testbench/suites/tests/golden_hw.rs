// SPDX-License-Identifier: MIT OR Apache-2.0
//! The hardware against the model on the corpus, and against the lists that OpenCSD 1.3.3 made of
//! the captures without damage. Every preset gets the whole corpus in Verilator, and the short
//! captures in the Rust simulation, which is slow.

use coretrace_capture::{Capture, Format, read_xz_text};
use coretrace_capture::{SourceStream, decode_in_model, source_streams};
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_listing::Line;
use coretrace_pipelines::DecoderTop;
use coretrace_test_gen::rounds;
use coretrace_test_simulate::{Backend, decode_in_hardware};
use coretrace_test_support::{
    OPENCSD_CLEARS_UPPER_HALVES, golden_captures, golden_rows, in_parallel,
};
use coretrace_test_verilog::preset::PresetEngine;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};

/// Captures with damage: OpenCSD continues after an error, the hardware looks for an A-Sync.
const DAMAGED: [&str; 2] = ["a55-test-tpiu", "hand-sync"];

fn modelled(stream: &SourceStream, policy: Policy) -> Vec<Record> {
    let mut records = Vec::new();
    decode_in_model(stream, policy, |_| (), |record| records.push(*record));
    records
}

fn in_hardware(
    backend: &Backend,
    capture: &Capture,
    streams: &[SourceStream],
    lenient: bool,
) -> Vec<Vec<Record>> {
    let mut records = vec![Vec::new(); streams.len()];
    decode_in_hardware(
        backend,
        capture,
        streams,
        lenient,
        |_| (),
        |index, record| records[index].push(*record),
    )
    .expect("the preset takes the capture");
    records
}

/// A row without the upper half of its address.
fn lower_half(row: &str) -> String {
    let column = |column: &str| match column.strip_prefix("addr=0x") {
        Some(digits) => {
            let value = u64::from_str_radix(digits, 16).expect("an address") & u64::from(u32::MAX);
            format!("addr={value:#x}")
        }
        None => column.to_owned(),
    };
    row.split('\t').map(column).collect::<Vec<_>>().join("\t")
}

/// Compares records with golden rows; returns the number of rows. Where OpenCSD is known to clear
/// the upper half of addresses, only lower halves are compared.
fn compare_with_golden(
    name: &str,
    stream: &SourceStream,
    records: &[Record],
    golden: &[&str],
) -> usize {
    let clears = OPENCSD_CLEARS_UPPER_HALVES
        .iter()
        .any(|(folder, _)| *folder == name);
    let mut out = String::new();
    for record in records {
        let raw = stream.raw(record.offset, record.len);
        coretrace_listing::tsv(
            &mut out,
            &Line {
                id: stream.id,
                record,
                raw,
                config: &stream.config,
            },
        );
    }
    for (row, want) in out.lines().zip(golden) {
        let row = row.splitn(3, '\t').last().unwrap_or_default();
        if row != *want {
            assert!(clears, "{name}, ID {:02x}: {row} is not {want}", stream.id);
            assert_eq!(
                lower_half(row),
                lower_half(want),
                "{name}, ID {:02x}",
                stream.id
            );
        }
    }
    assert_eq!(records.len(), golden.len(), "{name}, ID {:02x}", stream.id);
    records.len()
}

/// Decodes captures of at most `max_bytes` bytes under both policies.
fn check(backend: &Backend, max_bytes: usize) {
    let preset = backend.preset();
    let mut rows = 0;
    let mut equal = 0;
    for (folder, capture) in golden_captures() {
        if capture.bytes.len() > max_bytes {
            continue;
        }
        if preset.takes_frames() && capture.format == Format::Raw {
            continue;
        }
        let name = capture.name.as_str();
        let streams = source_streams(&capture);
        for (lenient, policy) in [(false, Policy::Resync), (true, Policy::Lenient)] {
            let hardware = in_hardware(backend, &capture, &streams, lenient);
            for (stream, got) in streams.iter().zip(&hardware) {
                let want = modelled(stream, policy);
                for (got, want) in got.iter().zip(&want) {
                    assert_eq!(got, want, "{name}, ID {:02x}, {policy:?}", stream.id);
                }
                assert_eq!(
                    got.len(),
                    want.len(),
                    "{name}, ID {:02x}, {policy:?}",
                    stream.id
                );
                equal += got.len();
            }
            if lenient || DAMAGED.contains(&name) {
                continue;
            }
            let text = read_xz_text(&folder.join("packets.tsv.xz")).expect("a golden list");
            let golden = golden_rows(&text);
            for (stream, got) in streams.iter().zip(&hardware) {
                let golden = golden.get(&stream.id).map_or(&[][..], Vec::as_slice);
                rows += compare_with_golden(name, stream, got, golden);
            }
        }
    }
    println!(
        "{}: {equal} records as the model's, {rows} as OpenCSD's",
        preset.name()
    );
}

#[test]
fn every_preset_reads_the_short_captures_as_the_model_and_opencsd_do() {
    in_parallel(DecoderTop::ALL, |preset| {
        check(&Backend::Simulation(preset), rounds(2000, 8000));
    });
}

#[test]
fn verilog_of_every_preset_decodes_the_corpus_as_model_and_opencsd() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    in_parallel(DecoderTop::ALL, |preset| {
        let engine = PresetEngine::new(preset).expect("the preset compiles");
        check(&Backend::Verilog(engine), usize::MAX);
    });
}
