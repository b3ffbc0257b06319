// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parquet files of a capture, and the programs of `examples/at-scale` over its shards.
#![cfg(feature = "parquet")]

mod common;
#[path = "common/parquet_file.rs"]
mod parquet_file;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use common::{PROGRAM, etm4, good, root};
use coretrace_test_support::python;
use parquet::file::reader::FileReader;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const FRAMED: &str = "testbench/traces/framed";

fn rows(path: &Path) -> usize {
    let reader = parquet_file::open(path);
    reader.metadata().file_metadata().num_rows() as usize
}

#[test]
fn a_file_has_a_row_for_each_line_of_the_listing() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("all.parquet");
    let out = out.to_str().expect("a path");
    for command in ["elements", "packets"] {
        for trace in [SORT, FRAMED] {
            let lines = good(&[command, trace]).lines().count();
            let none = good(&[command, trace, "--format", "parquet", "--out", out]);
            assert_eq!(none, "");
            assert_eq!(rows(Path::new(out)), lines, "{command} {trace}");
        }
    }
}

#[test]
fn a_folder_has_a_partition_for_each_source_and_a_file_for_each_shard() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("elements");
    let place = out.to_str().expect("a path");
    for shard in ["0/3", "1/3", "2/3"] {
        let threads = ["--shard", shard, "--threads", "2"];
        let parquet = ["elements", FRAMED, "--format", "parquet", "--out", place];
        good(&[&parquet[..], &threads].concat());
    }
    for id in ["10", "21"] {
        let parts = [0, 1, 2].map(|part| {
            let file: PathBuf = out.join(format!("id={id}/part-{part}.parquet"));
            rows(&file)
        });
        let lines = good(&["elements", FRAMED, "--id", id]).lines().count();
        assert_eq!(parts.iter().sum::<usize>(), lines, "{parts:?}");
        assert!(!parts.contains(&0), "{parts:?}");
    }
}

#[test]
fn parquet_needs_a_place_and_only_parquet_takes_one() {
    for command in ["elements", "packets"] {
        let ran = etm4(&[command, SORT, "--format", "parquet"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("--out"), "{}", ran.stderr);
        let ran = etm4(&[command, SORT, "--out", "x.parquet"]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains("--format parquet"), "{}", ran.stderr);
        let none = "/no/such/place/x.parquet";
        let ran = etm4(&[command, SORT, "--format", "parquet", "--out", none]);
        assert_eq!(ran.code, 2, "{}", ran.stderr);
        assert!(ran.stderr.contains(none), "{}", ran.stderr);
    }
}

/// Runs a program of the examples over shards of a trace; what it prints.
fn example(python: &Path, script: &str, trace: &str, functions: &Path) -> Option<String> {
    let folder = TempDir::new().expect("a folder");
    let mut command = Command::new(python);
    command
        .arg(root().join("examples/at-scale").join(script))
        .args([trace, folder.path().to_str().expect("a path")])
        .args(["--etm4", PROGRAM, "--shards", "5", "--functions"])
        .arg(functions)
        .current_dir(root());
    let printed = python::or_skip(python::output(&mut command));
    printed.map(|text| text.replace("\r", ""))
}

/// The Python of the examples, or nothing if the test must be skipped.
fn example_python() -> Option<PathBuf> {
    let environment = root().join("target/at-scale-python");
    let requirements = root().join("examples/at-scale/requirements.txt");
    let installed = python::environment(&environment, &requirements);
    python::or_skip(installed)?;
    Some(environment.join("bin/python"))
}

/// Asks DuckDB how many packets and bytes of each ID and kind there are in a folder.
const PACKETS: &str = "
import sys, duckdb
files = sys.argv[1] + '/*/*.parquet'
query = '''SELECT id, kind, count(*), sum(length)::BIGINT
    FROM read_parquet(?, hive_partitioning = true, hive_types = {'id': VARCHAR}) GROUP BY ALL'''
for row in duckdb.execute(query, [files]).fetchall():
    print(*row)
";

#[test]
#[ignore = "installs DuckDB and Spark; runs in the stage at-scale"]
fn duckdb_counts_packets_of_each_kind_as_they_are_listed() {
    let Some(python) = example_python() else {
        return;
    };
    for trace in [SORT, FRAMED] {
        let mut listed: BTreeMap<String, [u64; 2]> = BTreeMap::new();
        for line in good(&["packets", trace, "--format", "tsv"]).lines() {
            let columns: Vec<&str> = line.split('\t').collect();
            let bytes = columns
                .iter()
                .find_map(|column| column.strip_prefix("len="));
            let [count, sum] = listed
                .entry(format!("{} {}", columns[1], columns[2]))
                .or_default();
            *count += 1;
            *sum += bytes.expect("a length").parse::<u64>().expect("a number");
        }
        let folder = TempDir::new().expect("a folder");
        let out = folder.path().join("packets");
        let out = out.to_str().expect("a path");
        good(&["packets", trace, "--format", "parquet", "--out", out]);
        let mut ask = Command::new(&python);
        let asked = python::output(ask.args(["-c", PACKETS, out]));
        let asked = python::or_skip(asked).expect("DuckDB reads the files");
        let found: BTreeSet<String> = asked.lines().map(str::to_owned).collect();
        let want = listed
            .into_iter()
            .map(|(kind, [count, bytes])| format!("{kind} {count} {bytes}"));
        assert_eq!(found, want.collect(), "{trace}");
        assert!(found.len() > 5, "{found:?}");
    }
}

#[test]
#[ignore = "half a minute, and Spark is 450 MB; runs in the stage at-scale"]
fn duckdb_and_spark_print_the_profile_of_the_listing() {
    let Some(python) = example_python() else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let functions = folder.path().join("functions.txt");
    let table = "0000000000400000 0000000000000400 T first\n\
                 0000000000400400 0000000000000c00 T second\n\
                 ffff000008082000 0000000000001000 t handlers\n";
    fs::write(&functions, table).expect("a file");
    let counts = good(&["elements", SORT, "--format", "count"]);
    assert!(counts.contains("150000  instructions"), "{counts}");
    let lines = good(&["elements", SORT]).lines().count();
    let printed = ["duckdb_profile.py", "spark_profile.py"]
        .map(|script| example(&python, script, SORT, &functions));
    let [Some(duckdb), Some(spark)] = printed else {
        return;
    };
    let head = format!("elements {lines}, instructions 150000\n");
    assert!(duckdb.starts_with(&head), "{duckdb}");
    assert_eq!(duckdb, spark);
    let functions: Vec<&str> = duckdb.lines().rev().take(3).collect();
    let number = |line: &&str| line.rsplit(' ').next().and_then(|n| n.parse::<u64>().ok());
    let sum: u64 = functions.iter().filter_map(number).sum();
    assert_eq!(sum, 150_000, "{duckdb}");
    println!("{head}by DuckDB and by Spark, from 5 shards");
}
