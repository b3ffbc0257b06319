// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program against the lists that OpenCSD 1.3.3 made of the corpus.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use common::{corpus, etm4_with, good, shared};
use coretrace_capture::read_xz_text;
use tempfile::TempDir;

/// Folders of the corpus that have this golden list and an ETM source or frames.
fn folders(list: &str) -> Vec<PathBuf> {
    let Some(corpus) = corpus() else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = fs::read_dir(corpus)
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|folder| folder.join(list).exists())
        .collect();
    folders.sort();
    assert!(
        folders.len() > 9,
        "only {} folders with {list}",
        folders.len()
    );
    folders
}

/// Compares a listing with a golden list, without the first column: that is OpenCSD's own count of
/// input bytes. STM packets are left out.
fn assert_equal(listed: &str, golden: &Path, name: &str) {
    let golden = read_xz_text(golden).expect("a golden list");
    let column_after = |line: &str| line.split_once('\t').map(|(_, rest)| rest.to_owned());
    let by_id = |text: &str| {
        let lines = text.lines().filter_map(column_after);
        let mut lines: Vec<String> = lines
            .filter(|line| !line[2..].starts_with("\tSTM"))
            .collect();
        lines.sort_by_key(|line| line[..2].to_owned());
        lines
    };
    let (listed, golden) = (by_id(listed), by_id(&golden));
    for (line, want) in listed.iter().zip(&golden) {
        assert_eq!(line, want, "{name}");
    }
    assert_eq!(listed.len(), golden.len(), "{name}");
}

const COMPARABLE: [&str; 4] = ["--format", "tsv", "--on-error", "opencsd"];

#[test]
fn perf_recordings_are_listed_as_opencsd_lists_their_trace() {
    let Some(folder) = shared("corpus-perf") else {
        return;
    };
    let mut compared = 0;
    for entry in fs::read_dir(folder.join("simpleperf")).expect("recordings") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().expect("a name").to_string_lossy();
        let golden = folder.join(format!("{name}.packets.tsv.xz"));
        if !golden.is_file() {
            continue;
        }
        let file = path.to_str().expect("text");
        let listed = good(&[&["packets", file], &COMPARABLE[..]].concat());
        assert_equal(&listed, &golden, file);
        let bytes = fs::read(&path).expect("a recording");
        let piped = etm4_with(&[&["packets", "-"], &COMPARABLE[..]].concat(), &bytes);
        assert!(piped.stdout == listed, "{file}: {}", piped.stderr);
        compared += 1;
    }
    assert!(compared > 1, "only {compared} recordings");
}

#[test]
fn snapshots_are_listed_as_opencsd_lists_them() {
    for folder in folders("packets.tsv.xz") {
        let toml = fs::read_to_string(folder.join("capture.toml")).expect("a description");
        if !toml.contains("protocol = \"ET") {
            continue;
        }
        let made = TempDir::new().expect("a folder");
        let snapshot = made.path().join("snapshot");
        let snapshot = snapshot.to_str().expect("text");
        good(&["convert", folder.to_str().expect("text"), snapshot]);
        let listed = good(&[&["packets", snapshot], &COMPARABLE[..]].concat());
        assert_equal(&listed, &folder.join("packets.tsv.xz"), snapshot);
    }
}

#[test]
fn packets_are_listed_as_opencsd_lists_them() {
    let mut compared = 0;
    for folder in folders("packets.tsv.xz") {
        let toml = fs::read_to_string(folder.join("capture.toml")).expect("a description");
        if !toml.contains("protocol = \"ET") {
            continue;
        }
        let path = folder.to_str().expect("text");
        let listed = good(&["packets", path, "--format", "tsv", "--on-error", "opencsd"]);
        assert_equal(&listed, &folder.join("packets.tsv.xz"), path);
        compared += 1;
    }
    assert!(compared == 0 || compared > 9, "only {compared} captures");
}

#[test]
fn bytes_are_listed_as_opencsd_lists_them() {
    for folder in folders("demux.tsv.xz") {
        let path = folder.to_str().expect("text");
        let golden = read_xz_text(&folder.join("demux.tsv.xz")).expect("a golden list");
        assert!(good(&["demux", path]) == golden, "{path}");
    }
}

/// The elements of each ID as they can be compared: without the first column, the memory space of a
/// missing image, and the mark of a condition. IDs without a flow are left out.
fn comparable_elements(text: &str) -> BTreeMap<&str, Vec<String>> {
    let mut rows = BTreeMap::<&str, Vec<String>>::new();
    for line in text.lines() {
        let columns: Vec<&str> = line.splitn(4, '\t').collect();
        let [_, id, name, text] = columns[..] else {
            panic!("{line}");
        };
        let text = text.split("; Memspace").next().unwrap_or_default();
        let words: Vec<&str> = text
            .split_whitespace()
            .filter(|word| *word != "<cond>")
            .collect();
        rows.entry(id)
            .or_default()
            .push(format!("{name} {}", words.join(" ")));
    }
    let is_flow = |row: &String| !row.starts_with("NO_SYNC") && !row.starts_with("EO_TRACE");
    rows.retain(|_, rows| rows.iter().any(is_flow));
    rows
}

#[test]
fn elements_are_listed_as_opencsd_lists_them() {
    for corpus in ["corpus", "corpus-flow"] {
        let Some(corpus) = shared(corpus) else { return };
        let mut compared = 0;
        for entry in fs::read_dir(&corpus).expect("captures") {
            let folder = entry.expect("an entry").path();
            let goldens = ["elements.tsv.xz", "elements-180.tsv.xz"];
            let goldens = goldens.map(|name| folder.join(name));
            if !goldens[0].is_file() {
                continue;
            }
            let path = folder.to_str().expect("text");
            let listed = good(&[&["elements", path], &COMPARABLE[..]].concat());
            let listed = comparable_elements(&listed);
            let goldens = goldens.iter().filter(|golden| golden.is_file());
            let goldens: Vec<String> = goldens
                .map(|golden| read_xz_text(golden).expect("a golden list"))
                .collect();
            if !goldens
                .iter()
                .any(|golden| comparable_elements(golden) == listed)
            {
                let golden = comparable_elements(&goldens[0]);
                for (id, want) in &golden {
                    for (number, (line, want)) in listed[id].iter().zip(want).enumerate() {
                        assert_eq!(line, want, "{path}, ID {id}, element {number}");
                    }
                }
                panic!("{path}: the numbers of elements differ");
            }
            compared += 1;
        }
        assert!(compared > 6, "only {compared} captures");
    }
}
