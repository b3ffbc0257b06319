// SPDX-License-Identifier: MIT OR Apache-2.0
//! STM and ITM: the program against the lists that OpenCSD 1.8.0 made, and the text of messages.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{etm4, good, shared};
use coretrace_capture::read_xz_text;
use tempfile::TempDir;

/// The folders with captures of software trace.
fn folders() -> Vec<PathBuf> {
    let Some(corpus) = shared("corpus-sw") else {
        return Vec::new();
    };
    let entries = fs::read_dir(corpus).expect("the corpus");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let folders: Vec<PathBuf> = paths.filter(|path| path.is_dir()).collect();
    assert!(!folders.is_empty(), "captures of software trace");
    folders
}

/// The rows of a command for each folder are those of its golden list, from this column on.
fn assert_golden(command: &str, column: usize) {
    let from = |text: &str| -> Vec<String> {
        let rows = text.lines().map(|row| row.splitn(column + 1, '\t'));
        rows.map(|mut row| row.nth(column).expect("a column").to_owned())
            .collect()
    };
    for folder in folders() {
        let path = folder.to_str().expect("text");
        let ran = etm4(&[command, path, "--format", "tsv", "--on-error", "opencsd"]);
        assert_eq!(ran.code, 0, "{path}: {}", ran.stderr);
        let golden = read_xz_text(&folder.join(format!("{command}.tsv.xz"))).expect("a list");
        let (listed, golden) = (from(&ran.stdout), from(&golden));
        for (row, want) in listed.iter().zip(&golden) {
            assert_eq!(row, want, "{path}");
        }
        assert_eq!(listed.len(), golden.len(), "{path}");
    }
}

#[test]
fn packets_of_software_trace_are_listed_as_opencsd_lists_them() {
    assert_golden("packets", 0);
}

#[test]
fn elements_of_software_trace_are_listed_as_opencsd_lists_them() {
    assert_golden("elements", 1);
}

/// A sync, "Hi" and a line feed at port 0, "x" at port 1, and a reserved header.
const ITM: [u8; 15] = [
    0, 0, 0, 0, 0, 0x80, 0x02, b'H', b'i', 0x09, b'x', 0x01, b'\n', 0x10, 0x04,
];

/// A capture of an ITM.
fn itm(folder: &Path) -> &str {
    fs::write(folder.join("swo.bin"), ITM).expect("a file");
    let description = "name = \"swo\"\nfile = \"swo.bin\"\nformat = \"raw\"\n\n[[source]]\nname = \"ITM\"\n\
                       protocol = \"ITM\"\ntrace_id = 0x21\n";
    fs::write(folder.join("capture.toml"), description).expect("a file");
    folder.to_str().expect("text")
}

#[test]
fn messages_are_lines_of_each_port_or_the_text_of_one() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    assert_eq!(good(&["messages", path]), "21 0: Hi\n21 1: x\n");
    assert_eq!(good(&["messages", path, "--channel", "0"]), "Hi\n");
}

#[test]
fn an_error_is_a_record_and_strict_sees_it() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    let ran = etm4(&["packets", path, "--strict"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("ITM_RESERVED"), "{}", ran.stdout);
    assert!(
        ran.stderr.contains("offset 14 (ITM_RESERVED)"),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_summary_counts_packets_of_software_trace() {
    let folder = TempDir::new().expect("a folder");
    let text = good(&["info", itm(folder.path())]);
    for word in ["ITM_SWIT", "15 bytes"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn formats_without_lines_are_refused_for_software_trace() {
    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    common::refused(&["elements", path, "--format", "count"], &["--shard"]);
}

#[cfg(feature = "parquet")]
#[test]
fn packets_of_software_trace_are_rows_of_parquet_files() {
    use parquet::file::reader::{FileReader, SerializedFileReader};

    let folder = TempDir::new().expect("a folder");
    let path = itm(folder.path());
    let out = folder.path().join("packets");
    let place = out.to_str().expect("text");
    let none = good(&["packets", path, "--format", "parquet", "--out", place]);
    assert_eq!(none, "");
    let file = fs::File::open(out.join("id=00/part-0.parquet")).expect("a partition");
    let reader = SerializedFileReader::new(file).expect("a Parquet file");
    let rows = reader.metadata().file_metadata().num_rows() as usize;
    assert_eq!(rows, good(&["packets", path]).lines().count());
}
