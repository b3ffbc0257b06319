// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 compress`, `etm4 replay` and `etm4 compare-encoders`.

mod common;

use std::fs;
use std::path::Path;

use common::{etm4, etm4_with, good, refused_in_one_line, store_bytes};
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";

/// Compresses a capture; the path of the blocks.
fn compress(folder: &Path, capture: &str, more: &[&str]) -> String {
    let out = folder
        .join("made.blocks")
        .to_str()
        .expect("text")
        .to_owned();
    let args = ["compress", capture, "--out", &out];
    assert_eq!(good(&[&args, more].concat()), "");
    out
}

/// Stretches of instructions that follow each other, of the elements of a capture.
fn stretches(capture: &str) -> Vec<(String, String)> {
    let elements = good(&["elements", capture, "--format", "tsv"]);
    let mut stretches: Vec<(String, String)> = Vec::new();
    for line in elements.lines() {
        let Some((_, range)) = line.split_once("exec range=") else {
            continue;
        };
        let (start, rest) = range.split_once(":[").expect("a range");
        let (end, _) = rest.split_once(']').expect("a range");
        match stretches.last_mut() {
            Some((_, last)) if last == start => *last = end.to_owned(),
            _ => stretches.push((start.to_owned(), end.to_owned())),
        }
    }
    stretches
}

/// The ranges that a replay lists.
fn replayed(blocks: &str, capture: &str) -> Vec<(String, String)> {
    let listing = good(&["replay", blocks, "--traced", capture]);
    let range = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[1].to_owned(), fields[2].to_owned())
    };
    listing.lines().map(range).collect()
}

#[test]
fn what_is_replayed_is_what_was_executed() {
    let folder = TempDir::new().expect("a folder");
    for capture in [SORT, "testbench/traces/adpcm-a32"] {
        let want = stretches(capture);
        assert!(!want.is_empty(), "{capture}");
        for encoder in ["X2", "X0", "M4", "S1"] {
            let blocks = compress(folder.path(), capture, &["--encoder", encoder]);
            let mut got = replayed(&blocks, capture);
            let address = |text: &str| u64::from_str_radix(&text[2..], 16).expect("an address");
            let (last, of_want) = (got.last_mut().expect("a range"), want.last().expect("one"));
            if address(&of_want.1) == address(&last.1) + 4 {
                // An indirect branch at the end, which led nobody knows where.
                last.1.clone_from(&of_want.1);
            }
            assert!(got == want, "{capture}, {encoder}");
        }
    }
}

#[test]
fn a_damaged_block_costs_itself_and_is_reported() {
    let folder = TempDir::new().expect("a folder");
    let blocks = compress(folder.path(), SORT, &["--encoder", "S1", "--block", "4"]);
    let mut bytes = fs::read(&blocks).expect("blocks");
    let count = bytes.len() / 4096;
    assert!(count > 2, "{count}");
    bytes[4096 + 100] ^= 1;
    let damaged = store_bytes(folder.path(), "damaged.blocks", &bytes);
    let without = [&bytes[..4096], &bytes[8192..]].concat();
    let without = store_bytes(folder.path(), "without.blocks", &without);
    let args = ["--traced", SORT, "--format", "branches"];
    let whole = good(&[&["replay", &blocks], &args[..]].concat());
    let ran = etm4(&[&["replay", &damaged], &args[..]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("4096 bytes are of no block"),
        "{}",
        ran.stderr
    );
    let missing = etm4(&[&["replay", &without], &args[..]].concat());
    assert_eq!(missing.code, 1, "{}", missing.stderr);
    assert!(
        missing.stderr.contains("1 blocks are missing"),
        "{}",
        missing.stderr
    );
    assert_eq!(missing.stdout, ran.stdout);
    let (whole, left): (Vec<&str>, Vec<&str>) =
        (whole.lines().collect(), ran.stdout.lines().collect());
    assert!(left.len() < whole.len());
    let same = whole.iter().zip(&left).take_while(|(a, b)| a == b).count();
    assert!(same > 0 && whole.ends_with(&left[same..]), "{same}");
}

#[test]
fn blocks_behind_any_bytes_of_a_long_file_are_found() {
    let folder = TempDir::new().expect("a folder");
    let blocks = compress(folder.path(), SORT, &["--block", "8"]);
    let block = fs::read(&blocks).expect("a block");
    let mut bytes = vec![0xA5; 300_000];
    for _ in 0..40 {
        bytes.extend(&block);
    }
    bytes.extend([1; 10]);
    let long = store_bytes(folder.path(), "long.blocks", &bytes);
    let ran = etm4(&["replay", &long, "--traced", SORT, "--format", "count"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("300010 bytes are of no block"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("\tblocks 40\t"), "{}", ran.stdout);
}

#[test]
fn blocks_of_another_program_are_reported() {
    let folder = TempDir::new().expect("a folder");
    let blocks = compress(folder.path(), SORT, &[]);
    let other = "testbench/traces/adpcm-a32";
    let ran = etm4(&["replay", &blocks, "--traced", other]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("not of these programs"),
        "{}",
        ran.stderr
    );
}

#[test]
fn encoders_are_compared_as_a_table_as_json_and_in_a_picture() {
    let folder = TempDir::new().expect("a folder");
    let plot = folder.path().join("sort.svg");
    let plot = plot.to_str().expect("text");
    let table = good(&["compare-encoders", SORT, "--plot", plot]);
    let picture = fs::read_to_string(plot).expect("a picture");
    for name in [
        "trace", "gzip -9", "zstd -19", "xz -9", "S0", "B4", "rBASE", "M4", "X2",
    ] {
        assert!(table.lines().any(|line| line.starts_with(name)), "{table}");
        assert!(picture.contains(&format!("\n{name}\n")), "{name}");
    }
    let lines = good(&[
        "compare-encoders",
        SORT,
        "--encoder",
        "M4,X2",
        "--format",
        "json",
    ]);
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let of = |name: &str| {
        let mut lines = lines.iter();
        let line = lines.find(|line| line["encoder"] == name);
        line.and_then(|line| line["bytes"].as_u64()).expect(name)
    };
    assert_eq!(lines.len(), 6, "{lines:?}");
    let trace = fs::metadata(common::root().join(SORT).join("trace.bin")).expect("a trace");
    assert_eq!(of("trace"), trace.len());
    assert!(of("X2") < of("M4") && of("M4") < of("trace"), "{lines:?}");
    let blocks = compress(folder.path(), SORT, &[]);
    let stored = fs::metadata(blocks).expect("blocks").len();
    assert!(of("X2") <= stored, "{lines:?}");
}

#[test]
fn wrong_use_of_encoders_and_blocks_is_refused_in_one_line() {
    let blocks = ["--out", "/dev/null"];
    let bad = [
        (["--encoder", "X9"], "S0"),
        (["--block", "5"], "4, 8, 16, 32 and 64"),
    ];
    for (more, words) in bad {
        let ran = etm4(&[&["compress", SORT], &blocks[..], &more[..]].concat());
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{}", ran.stderr);
    }
    refused_in_one_line(&["replay", "/dev/null"], &["--elf", "--traced"]);
}

#[test]
fn a_trace_that_is_read_more_than_once_is_no_pipe() {
    let mut args = vec!["compare-encoders", "-", "--raw-format", "raw"];
    for register in [
        "TRCCONFIGR=0x1",
        "TRCIDR0=0x28000ea1",
        "TRCIDR1=0x4100f403",
        "TRCIDR2=0x488",
        "TRCIDR8=0",
        "TRCTRACEIDR=0x10",
    ] {
        args.extend(["--reg", register]);
    }
    let ran = etm4_with(&args, &[0; 16]);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(ran.stderr.contains("more than once"), "{}", ran.stderr);
}

#[test]
fn packets_come_back_from_blocks_of_elements() {
    let folder = TempDir::new().expect("a folder");
    let blocks = compress(folder.path(), SORT, &["--encoder", "XE", "--block", "4"]);
    let again = folder.path().join("again");
    fs::create_dir(&again).expect("a folder");
    for entry in fs::read_dir(common::root().join(SORT)).expect("a capture") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), again.join(entry.file_name())).expect("copied");
    }
    let description = fs::read_to_string(again.join("capture.toml")).expect("a description");
    let is_kept = |line: &&str| !line.starts_with("bytes") && !line.starts_with("sha256");
    let lines: Vec<&str> = description.lines().filter(is_kept).collect();
    fs::write(again.join("capture.toml"), lines.join("\n")).expect("written");
    let trace = again.join("trace.bin");
    assert_eq!(
        good(&[
            "decompress",
            &blocks,
            "--out",
            trace.to_str().expect("text")
        ]),
        ""
    );
    let elements = |capture: &str| {
        let listing = good(&["elements", capture, "--format", "tsv"]);
        let lines = listing
            .lines()
            .map(|line| line.split_once('\t').expect("an offset").1);
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    assert!(elements(again.to_str().expect("text")) == elements(SORT));
    // Branches have no packets, and packets no branches.
    let out = trace.to_str().expect("text");
    let of_branches = compress(folder.path(), SORT, &[]);
    refused_in_one_line(
        &["decompress", &of_branches, "--out", out],
        &["etm4 replay"],
    );
    let of_elements = compress(folder.path(), SORT, &["--encoder", "XE"]);
    let ran = etm4(&["replay", &of_elements, "--traced", SORT]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
}
