// SPDX-License-Identifier: MIT OR Apache-2.0
//! The commands in README.md and in the help texts work in the root of the repository.

mod common;

use std::fs;

use common::{etm4, for_arm, good, root, store_bytes};
use tempfile::TempDir;

/// The captures that are named in the examples of a help text.
fn captures_in(help: &str) -> Vec<&str> {
    help.split_whitespace()
        .filter(|word| word.contains("traces/") && !word.ends_with(".elf"))
        .collect()
}

#[test]
fn the_program_without_arguments_names_a_capture_that_can_be_listed() {
    for args in [&[][..], &["--help"]] {
        let ran = etm4(args);
        let help = format!("{}{}", ran.stdout, ran.stderr);
        let captures = captures_in(&help);
        assert!(!captures.is_empty(), "{args:?} names no capture: {help}");
        for capture in captures {
            let listed = etm4(&["packets", capture]);
            assert_eq!(listed.code, 0, "{args:?}: {capture}: {}", listed.stderr);
        }
    }
}

#[test]
fn the_examples_of_every_command_name_captures_that_are_there() {
    for command in ["packets", "demux", "records", "profile", "diff"] {
        let help = etm4(&[command, "--help"]).stdout;
        let captures = captures_in(&help);
        assert!(!captures.is_empty(), "{command} names no capture: {help}");
        for capture in captures {
            let listed = etm4(&["packets", capture]);
            assert_eq!(listed.code, 0, "{command}: {capture}: {}", listed.stderr);
        }
    }
}

#[test]
fn the_examples_of_records_profile_and_diff_work_as_they_are() {
    let folder = TempDir::new().expect("a folder");
    let mut program = fs::read(common::PROGRAM).expect("this program");
    for_arm(&mut program);
    let program = store_bytes(folder.path(), "program", &program);
    let words_of = |line: &str| -> Vec<String> {
        let words = line
            .split(" |")
            .next()
            .unwrap_or_default()
            .split_whitespace();
        let place = |word: &str| match word.rsplit_once('.') {
            _ if root().join(word).is_file() => word.to_owned(),
            Some((_, "words" | "flow" | "html" | "json")) => {
                folder.path().join(word).display().to_string()
            }
            Some((_, suffix)) if suffix.starts_with("elf") => suffix.replacen("elf", &program, 1),
            _ => word.to_owned(),
        };
        words.skip(1).map(place).collect()
    };
    let help = ["records", "profile", "diff"]
        .map(|command| good(&[command, "--help"]))
        .concat();
    // A core makes what is merged; `software_trace.rs` has such streams.
    let is_example = |line: &&str| line.starts_with("  etm4 ") && !line.contains("--merge");
    let examples = help.lines().filter(is_example);
    let (make, use_them): (Vec<&str>, Vec<&str>) = examples.partition(|line| {
        let made = ["--make", "flow-counts", "--out before"];
        made.iter().any(|word| line.contains(word))
    });
    assert!(make.len() >= 2 && use_them.len() >= 4, "{help}");
    for example in make.iter().chain(&use_them) {
        let words = words_of(example);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = etm4(&args);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{example}");
        let quiet = example.contains("--out");
        assert_eq!(ran.stdout.is_empty(), quiet, "{example}");
    }
}
