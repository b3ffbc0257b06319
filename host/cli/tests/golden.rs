// SPDX-License-Identifier: MIT OR Apache-2.0
//! The program against the lists that OpenCSD 1.3.3 made of the corpus.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{corpus, good};
use coretrace_capture::read_xz_text;

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
        let golden = read_xz_text(&folder.join("packets.tsv.xz")).expect("a golden list");
        // The first column is OpenCSD's own count of input bytes.
        let column_after = |line: &str| line.split_once('\t').map(|(_, rest)| rest.to_owned());
        let by_id = |text: &str| {
            let mut lines: Vec<String> = text.lines().filter_map(column_after).collect();
            lines.sort_by_key(|line| line[..2].to_owned());
            lines
        };
        let (listed, golden) = (by_id(&listed), by_id(&golden));
        for (line, want) in listed.iter().zip(&golden) {
            assert_eq!(line, want, "{path}");
        }
        assert_eq!(listed.len(), golden.len(), "{path}");
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
