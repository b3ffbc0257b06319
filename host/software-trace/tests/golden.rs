// SPDX-License-Identifier: MIT OR Apache-2.0
//! Packets and elements against the lists that OpenCSD 1.8.0 made of captures.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::{Pass, RecordSink, TraceBuffer, open_folder, read_xz_text};
use coretrace_decode::Policy;
use coretrace_software_trace::{Elements, Line, Record, element_tsv, tsv};

/// The folders with captures of software trace; none, with a line that says so, where they are absent.
fn folders() -> Vec<PathBuf> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus-sw");
    let Ok(entries) = fs::read_dir(&corpus) else {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "{} is absent",
            corpus.display()
        );
        eprintln!("SKIPPED: {} is absent", corpus.display());
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty(), "captures of software trace");
    folders
}

/// The lists of one source.
struct Lists {
    id: u8,
    packets: String,
    elements: String,
    state: Elements,
}

impl RecordSink for Lists {
    fn record(&mut self, _: usize, _: &coretrace_etm::Record, _: &[u8]) {}

    fn software(&mut self, _: usize, record: &Record) {
        let id = self.id;
        tsv(&mut self.packets, &Line { id, record });
        self.state.record(record, |offset, element| {
            element_tsv(&mut self.elements, offset, id, element);
        });
    }
}

/// Packets and elements of all sources, one source after the other.
fn lists(buffer: &TraceBuffer) -> [String; 2] {
    let mut all = [String::new(), String::new()];
    for (index, source) in buffer.sources.iter().enumerate() {
        let mut lists = Lists {
            id: source.trace_id.unwrap_or(0),
            packets: String::new(),
            elements: String::new(),
            state: Elements::new(Policy::OpenCsd),
        };
        let pass = Pass {
            buffer,
            sources: &[index],
            policy: Policy::OpenCsd,
            sync_limit: u64::MAX,
        };
        pass.run(&mut lists).expect("a trace that can be read");
        let id = lists.id;
        lists.state.finish(|offset, element| {
            element_tsv(&mut lists.elements, offset, id, element);
        });
        all[0].push_str(&lists.packets);
        all[1].push_str(&lists.elements);
    }
    all
}

/// Compares rows, from this column on: the first one of elements is OpenCSD's own count of input bytes.
fn assert_equal(listed: &str, golden: &Path, column: usize) {
    let golden_text = read_xz_text(golden).expect("a golden list");
    let from = |row: &str| {
        let rest = row.splitn(column + 1, '\t').nth(column);
        rest.expect("a column").to_owned()
    };
    for (row, want) in listed.lines().zip(golden_text.lines()) {
        assert_eq!(from(row), from(want), "{}", golden.display());
    }
    let [listed, wanted] = [listed, &golden_text].map(|text| text.lines().count());
    assert_eq!(listed, wanted, "{}", golden.display());
}

#[test]
fn packets_are_those_of_opencsd() {
    for folder in folders() {
        let trace = open_folder(&folder).expect("a capture");
        let [packets, _] = lists(&trace.buffers[0]);
        assert_equal(&packets, &folder.join("packets.tsv.xz"), 0);
    }
}

#[test]
fn elements_are_those_of_opencsd() {
    for folder in folders() {
        let trace = open_folder(&folder).expect("a capture");
        let [_, elements] = lists(&trace.buffers[0]);
        assert_equal(&elements, &folder.join("elements.tsv.xz"), 1);
    }
}
