// SPDX-License-Identifier: MIT OR Apache-2.0
//! The cases of `testbench/traces/cases` in the model and in hardware.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::Capture;
use coretrace_capture::ett::Case;
use coretrace_capture::{SourceStream, decode_in_model, source_streams};
use coretrace_decode::Policy;
use coretrace_etm::{Kind, Record};
use coretrace_listing::Line;
use coretrace_pipelines::DecoderTop;
use coretrace_test_simulate::{Backend, decode_in_hardware};
use coretrace_test_support::python::testbench;

/// The preset that decodes the cases.
const PRESET: &str = "etm4_jump_x4";

/// The paths of the cases.
fn paths() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = fs::read_dir(testbench("traces/cases"))
        .expect("the cases")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(paths.len() > 30, "{} cases", paths.len());
    paths
}

fn open(path: &Path) -> (Case, SourceStream) {
    let case = Case::open(path).expect("a good case");
    let capture = Capture::of_case(&case).expect("a capture");
    let [stream] = source_streams(&capture).try_into().expect("one source");
    (case, stream)
}

fn modelled(stream: &SourceStream) -> Vec<Record> {
    let mut records = Vec::new();
    decode_in_model(
        stream,
        Policy::Resync,
        |_| (),
        |record| records.push(*record),
    );
    records
}

/// The lines of `etm4 packets`.
fn lines(stream: &SourceStream, records: &[Record]) -> String {
    let mut text = String::new();
    for record in records {
        let line = Line {
            id: stream.id,
            record,
            raw: stream.raw(record.offset, record.len),
            config: &stream.config,
        };
        coretrace_listing::text(&mut text, &line);
    }
    text
}

/// Writes the expectation of a case again, from the model.
fn update(path: &Path, listed: &str) {
    let text = fs::read_to_string(path).expect("a case");
    let (trace, _) = text.split_once("expect packets:").unwrap_or((&text, ""));
    let row = |line: &str| {
        let words = line.split_whitespace().enumerate();
        let kept = words.filter(|(place, word)| *place != 1 && !word.starts_with('['));
        let kept: Vec<&str> = kept.map(|(_, word)| word).collect();
        format!("  {}\n", kept.join(" "))
    };
    let rows: String = listed.lines().map(row).collect();
    fs::write(path, format!("{trace}expect packets:\n{rows}")).expect("a file of the tree");
}

#[test]
fn the_model_gives_the_packets_that_every_case_expects() {
    for path in paths() {
        let (case, stream) = open(&path);
        let listed = lines(&stream, &modelled(&stream));
        if std::env::var_os("UPDATE").is_some() {
            update(&path, &listed);
            continue;
        }
        assert!(
            case.expected.is_some(),
            "{}: nothing is expected",
            case.name
        );
        case.check(listed.lines())
            .unwrap_or_else(|difference| panic!("{difference}"));
    }
}

#[test]
fn hardware_gives_the_packets_that_every_case_expects() {
    let preset = DecoderTop::ALL.into_iter().find(|top| top.name() == PRESET);
    let backend = Backend::Simulation(preset.expect("the preset"));
    for path in paths() {
        let (case, stream) = open(&path);
        let capture = Capture::of_case(&case).expect("a capture");
        let streams = [stream];
        let mut records = Vec::new();
        decode_in_hardware(
            &backend,
            &capture,
            &streams,
            false,
            |_| (),
            |_, record| {
                records.push(*record);
            },
        )
        .expect("the preset takes the case");
        let listed = lines(&streams[0], &records);
        case.check(listed.lines())
            .unwrap_or_else(|difference| panic!("{PRESET}: {difference}"));
    }
}

#[test]
fn every_kind_of_packet_and_error_is_in_a_case() {
    let kinds: BTreeSet<Kind> = paths()
        .iter()
        .flat_map(|path| modelled(&open(path).1))
        .map(|record| record.kind)
        .collect();
    let missing: Vec<_> = Kind::ALL
        .iter()
        .filter(|kind| !kinds.contains(kind))
        .collect();
    assert_eq!(missing, [&Kind::Async; 0]);
}

#[test]
fn every_case_says_why_it_is_there() {
    for path in paths() {
        let (case, _) = open(&path);
        assert!(case.why.ends_with('.'), "{}: {:?}", case.name, case.why);
    }
}
