// SPDX-License-Identifier: MIT OR Apache-2.0
//! The parts of a profile that shards count add up to the profile of the whole.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{etm4, good, shared, store_bytes};
use serde_json::Value;
use tempfile::TempDir;

/// Stores the parts of all shards of a trace; their paths.
fn store_parts(folder: &TempDir, trace: &[&str], count: usize) -> Vec<String> {
    let store = |number| {
        let shard = format!("{number}/{count}");
        let file = folder.path().join(format!("{number}.json"));
        let out = file.to_str().expect("a path").to_owned();
        let shard = ["--shard", &shard, "--format", "part", "--out", &out];
        etm4(&[&["profile"], trace, &shard[..]].concat());
        out
    };
    (0..count).map(store).collect()
}

fn with_parts<'a>(args: &[&'a str], parts: &'a [String]) -> Vec<&'a str> {
    let mut all = args.to_vec();
    all.push("--parts");
    all.extend(parts.iter().map(String::as_str));
    all
}

fn check(trace: &[&str], counts: &[usize]) {
    for &count in counts {
        let folder = TempDir::new().expect("a folder");
        let parts = store_parts(&folder, trace, count);
        for rows in ["function", "block", "edge", "thread", "el"] {
            let profile = [&["profile"], trace, &["--by", rows, "--format", "json"]].concat();
            let whole = etm4(&profile);
            let sum = etm4(&with_parts(&profile, &parts));
            assert!(
                whole.stdout == sum.stdout,
                "{trace:?}: {count} parts, by {rows}"
            );
            assert_eq!(whole.code, sum.code, "{trace:?}: {count} parts, by {rows}");
        }
    }
}

#[test]
fn parts_of_the_shipped_traces_add_up_to_the_whole() {
    let framed = "testbench/traces/framed";
    let program = "testbench/traces/sort-a64/sort.elf";
    let traces: [&[&str]; 3] = [
        &["testbench/traces/sort-a64"],
        &["testbench/traces/adpcm-a32"],
        &[framed, "--elf", program],
    ];
    for trace in traces {
        check(trace, &[1, 2, 5, 16]);
    }
}

#[test]
fn parts_of_the_corpora_add_up_to_the_whole() {
    let all = ["corpus", "corpus-flow"].into_iter().filter_map(shared);
    let entries = all.flat_map(|corpus| fs::read_dir(corpus).expect("captures"));
    let folders = entries.map(|entry| entry.expect("an entry").path());
    let is_golden = |folder: &PathBuf| folder.join("elements.tsv.xz").is_file();
    for folder in folders.filter(is_golden) {
        check(&[folder.to_str().expect("a path")], &[3]);
    }
}

#[test]
fn what_is_no_part_or_not_all_of_them_is_an_error() {
    const TRACE: &str = "testbench/traces/sort-a64";
    let folder = TempDir::new().expect("a folder");
    let parts = store_parts(&folder, &[TRACE], 3);
    let refused = |parts: &[String], why: &str| {
        let ran = etm4(&with_parts(&["profile", TRACE], parts));
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(why), "{}", ran.stderr);
    };
    refused(&parts[..2], "there is no 2/3");
    refused(&parts[1..], "there is no 0/3");
    refused(&[&parts[..], &parts[..1]].concat(), "there is no 1/3");
    refused(&[TRACE.to_owned()], "cannot be used as a part");

    let text = fs::read_to_string(&parts[0]).expect("a part");
    let part: Value = serde_json::from_str(&text).expect("JSON");
    let forged = |change: &dyn Fn(&mut Value), why: &str| {
        let mut part = part.clone();
        change(&mut part);
        let file = store_bytes(folder.path(), "forged.json", part.to_string().as_bytes());
        refused(&[&[file], &parts[1..]].concat(), why);
    };
    forged(&|part| part["schema"] = "etm4.element.1".into(), "schema");
    forged(&|part| part["trace_bytes"] = 1.into(), "another trace");
    forged(&|part| part["shard"] = "3/3".into(), "below N");
    let table = "/sources/0/table";
    let in_table = |part: &mut Value, place: &str, value: u64| {
        let place = part.pointer_mut(&format!("{table}/{place}"));
        *place.expect("a field") = value.into();
    };
    forged(
        &|part| in_table(part, "ranges/0/0", 99),
        "nobody has the number",
    );
    forged(
        &|part| in_table(part, "branches/0/0", 1 << 20),
        "no range has",
    );
    forged(
        &|part| in_table(part, "ranges/0/1/end", 1),
        "ends in front of",
    );
    let twice = |part: &mut Value| {
        let ranges = part
            .pointer_mut(&format!("{table}/ranges"))
            .expect("ranges");
        let ranges = ranges.as_array_mut().expect("an array");
        ranges.push(ranges[0].clone());
    };
    forged(&twice, "twice");

    let framed = "testbench/traces/framed";
    let ran = etm4(&["profile", TRACE, framed, "--format", "part"]);
    assert!(ran.stderr.contains("of one trace"), "{}", ran.stderr);
    assert!(good(&with_parts(&["profile", TRACE], &parts)).contains("150000"));
}
