// SPDX-License-Identifier: MIT OR Apache-2.0
//! The profiles of `etm4 profile` in the tools that they are for. Without a tool its test is skipped.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::good;
use coretrace_test_support::llvm;
use lcov::report::section::function::Key as FunctionKey;
use lcov::{Reader, Report};
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";

/// Writes the profile of the sorting program in a format; the path of the file.
fn profile(folder: &Path, format: &str) -> String {
    let out = folder.join(format).display().to_string();
    let args = [
        "profile", SORT, "--elf", PROGRAM, "--format", format, "--out", &out,
    ];
    assert_eq!(good(&args), "");
    out
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

#[test]
fn bolt_finds_the_branches_of_a_profile_in_the_code() {
    let folder = TempDir::new().expect("a folder");
    let branches = profile(folder.path(), "bolt");
    let made = folder.path().join("made").display().to_string();
    let args = [
        "-aggregate-only",
        "-pa",
        "-p",
        &branches,
        "-o",
        &made,
        PROGRAM,
    ];
    let Some(said) = llvm("perf2bolt", &args) else {
        return;
    };
    for line in [
        "traces mismatching disassembled function contents: 0 (0.0%)",
        "Out of range traces involving unknown regions: 0 (0.0%)",
    ] {
        assert!(said.contains(line), "no {line:?} in {said}");
    }
    let made = fs::read_to_string(made).expect("written");
    let fdata = fs::read_to_string(profile(folder.path(), "fdata")).expect("written");
    assert_eq!(lines(&fdata), lines(&made));
}

#[test]
fn bolt_takes_branches_by_symbol_and_lays_out_code_by_them() {
    let folder = TempDir::new().expect("a folder");
    let data = format!("-data={}", profile(folder.path(), "fdata"));
    let out = folder.path().join("out").display().to_string();
    let args = [PROGRAM, &data, "-o", &out, "-reorder-blocks=ext-tsp"];
    let Some(said) = llvm("llvm-bolt", &args) else {
        return;
    };
    assert!(
        said.contains("4 out of 10 functions in the binary"),
        "{said}"
    );
    for word in ["stale", "invalid"] {
        assert!(!said.contains(word), "{said}");
    }
}

#[test]
fn clang_uses_the_samples_that_llvm_makes_of_a_profile() {
    let folder = TempDir::new().expect("a folder");
    let profile = profile(folder.path(), "autofdo");
    let made = folder.path().join("made.prof").display().to_string();
    let from = format!("--unsymbolized-profile={profile}");
    let (binary, to) = (format!("--binary={PROGRAM}"), format!("--output={made}"));
    if llvm("llvm-profgen", &[&from, "--use-offset=0", &binary, &to]).is_none() {
        return;
    }
    if let Some(said) = llvm("llvm-profdata", &["show", "--sample", &made]) {
        // Each of its 7203 entries.
        assert!(said.contains("Function: c_low: "), "{said}");
        assert!(said.contains(", 7203, "), "{said}");
    }
    let used = format!("-fprofile-sample-use={made}");
    let Some((without, _)) = compiled(folder.path(), &[]) else {
        return;
    };
    let (with, said) = compiled(folder.path(), &[&used]).expect("clang is there");
    assert!(!said.contains("warning"), "{said}");
    // The samples of its 7203 entries are at its first line, and one more at its function.
    assert!(said.contains("Applied 7203 samples"), "{said}");
    for found in [
        "!\"ProfileFormat\", !\"SampleProfile\"",
        "!\"function_entry_count\", i64 7204",
        "!\"branch_weights\"",
    ] {
        assert!(with.contains(found), "no {found} in {with}");
        assert!(!without.contains(found), "{found} in {without}");
    }
    assert!(!without.contains("!prof"), "{without}");
}

/// The sorting program in the language of LLVM, and what clang prints.
fn compiled(folder: &Path, more: &[&str]) -> Option<(String, String)> {
    let out = folder.join("sort.ll").display().to_string();
    let args = [
        "--target=aarch64-linux-gnu",
        "-O2",
        "-gline-tables-only",
        "-ffreestanding",
        "-S",
        "-emit-llvm",
        "-Rpass-analysis=sample-profile",
        "testbench/traces/sort-a64/sort.c",
        "-o",
        &out,
    ];
    let said = llvm("clang", &[&args, more].concat())?;
    Some((fs::read_to_string(out).expect("written"), said))
}

#[test]
fn the_crate_lcov_reads_a_tracefile_and_would_write_the_same() {
    let args = ["profile", SORT, "--elf", PROGRAM, "--format", "lcov"];
    let text = good(&args);
    let report = Report::from_reader(Reader::new(text.as_bytes())).expect("a tracefile");
    let file = report
        .sections
        .iter()
        .find(|(key, _)| key.source_file.ends_with("sort.c"));
    let (_, file) = file.expect("the source");
    let function = |name: &str| {
        &file.functions[&FunctionKey {
            name: name.to_owned(),
        }]
    };
    assert_eq!(function("c_low").count, 7203);
    assert_eq!(function("walk").count, 0);
    // A function is a line of this program.
    let ran = file.lines.values().filter(|line| line.count > 0).count();
    assert!(ran == 3 && ran < file.lines.len(), "{:?}", file.lines);
    // The crate makes the sums of functions and lines itself, and has functions in the order of their lines.
    let mut written: Vec<String> = report
        .into_records()
        .map(|record| record.to_string())
        .collect();
    let mut lines: Vec<&str> = text.lines().collect();
    written.sort_unstable();
    lines.sort_unstable();
    assert_eq!(written, lines);
}
