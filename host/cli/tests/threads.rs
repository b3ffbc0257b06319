// SPDX-License-Identifier: MIT OR Apache-2.0
//! Any number of threads and of shards gives what one thread gives of the whole.

mod common;

use std::fs;
use std::path::PathBuf;

use common::{etm4, etm4_with, good, root, shared, store_bytes};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

/// A capture folder whose trace is that of a shipped one many times.
fn long(name: &str, laps: usize) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let from = root().join("testbench/traces").join(name);
    for file in fs::read_dir(&from).expect("a capture") {
        let file = file.expect("an entry").path();
        let to = folder.path().join(file.file_name().expect("a name"));
        fs::copy(&file, to).expect("a copy");
    }
    let text = fs::read_to_string(from.join("capture.toml")).expect("a capture");
    let is_identity = |line: &&str| line.starts_with("bytes") || line.starts_with("sha256");
    let lines: Vec<&str> = text.lines().filter(|line| !is_identity(line)).collect();
    fs::write(folder.path().join("capture.toml"), lines.join("\n")).expect("a capture");
    let trace = fs::read(from.join("trace.bin")).expect("a trace");
    fs::write(folder.path().join("trace.bin"), trace.repeat(laps)).expect("a trace");
    folder
}

fn path_of(folder: &TempDir) -> &str {
    folder.path().to_str().expect("a path")
}

fn damage(folder: &TempDir, seed: u64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let file = folder.path().join("trace.bin");
    let mut bytes = fs::read(&file).expect("a trace");
    for _ in 0..bytes.len() / 2000 {
        let place = random.random_range(0..bytes.len());
        bytes[place] ^= 1 << random.random_range(0..8);
    }
    fs::write(&file, bytes).expect("a trace");
}

fn check_threads(arguments: &[&str]) {
    let one = etm4(arguments);
    for threads in ["2", "3", "16"] {
        let more = etm4(&[arguments, &["--threads", threads]].concat());
        assert!(
            one.stdout == more.stdout,
            "{arguments:?}: {threads} threads"
        );
        assert_eq!(one.stderr, more.stderr, "{arguments:?}: {threads} threads");
        assert_eq!(one.code, more.code, "{arguments:?}: {threads} threads");
    }
}

#[test]
fn any_number_of_threads_lists_the_same() {
    for (name, laps) in [("sort-a64", 6), ("adpcm-a32", 5), ("framed", 4)] {
        let folder = long(name, laps);
        let path = path_of(&folder);
        for format in ["text", "tsv", "json", "count"] {
            check_threads(&["elements", path, "--format", format]);
        }
        damage(&folder, laps as u64);
        for policy in ["resync", "lenient", "opencsd"] {
            let arguments = ["elements", path, "--format", "tsv", "--on-error", policy];
            check_threads(&arguments);
        }
        check_threads(&["elements", path, "--check"]);
    }
}

#[test]
fn any_number_of_threads_lists_the_same_of_a_pipe() {
    let folder = long("sort-a64", 6);
    let trace = fs::read(folder.path().join("trace.bin")).expect("a trace");
    let pipe = |threads| {
        let arguments = [
            "elements",
            "-",
            "--raw-format",
            "raw",
            "--core",
            "Cortex-A53",
        ];
        let registers = ["--reg", "TRCCONFIGR=0x1001", "--reg", "TRCIDR0=0x28000ea1"];
        let more = ["--reg", "TRCIDR1=0x4100f403", "--reg", "TRCIDR2=0x488"];
        let arguments = [&arguments[..], &registers, &more, &["--threads", threads]].concat();
        etm4_with(&arguments, &trace)
    };
    let one = pipe("1");
    assert!(one.stdout.lines().count() > 100, "{}", one.stderr);
    assert!(one.stdout == pipe("3").stdout);
}

/// Folders of the corpora.
fn corpus() -> Vec<PathBuf> {
    let all = ["corpus", "corpus-flow"].into_iter().filter_map(shared);
    let entries = all.flat_map(|corpus| fs::read_dir(corpus).expect("captures"));
    let folders = entries.map(|entry| entry.expect("an entry").path());
    folders
        .filter(|folder| folder.join("elements.tsv.xz").is_file())
        .collect()
}

#[test]
fn any_number_of_threads_lists_the_same_of_the_corpora() {
    for folder in corpus() {
        let path = folder.to_str().expect("a path");
        for policy in ["resync", "opencsd"] {
            let arguments = ["elements", path, "--format", "tsv", "--on-error", policy];
            let one = etm4(&arguments);
            let more = etm4(&[&arguments[..], &["--threads", "3"]].concat());
            assert!(one.stdout == more.stdout, "{path}");
        }
        let check = ["elements", path, "--check"];
        let more = etm4(&[&check[..], &["--threads", "2"]].concat());
        assert!(etm4(&check).stdout == more.stdout, "{path}");
    }
}

/// What all shards give, one after the other, and whether one warned that the next one may be wrong.
fn shards(path: &str, id: &str, count: usize, more: &[&str]) -> (String, bool) {
    let mut all = String::new();
    let mut is_doubted = false;
    for number in 0..count {
        let shard = format!("{number}/{count}");
        let arguments = ["elements", path, "--id", id, "--shard", &shard];
        let ran = etm4(&[&arguments[..], more].concat());
        is_doubted |= ran.stderr.contains("may not be those of the whole");
        all += &ran.stdout;
    }
    (all, is_doubted)
}

#[test]
fn shards_one_after_the_other_are_the_whole() {
    for (name, id, laps) in [
        ("sort-a64", "10", 3),
        ("adpcm-a32", "21", 2),
        ("framed", "21", 3),
    ] {
        let folder = long(name, laps);
        let path = path_of(&folder);
        for format in ["text", "tsv", "json"] {
            let format = ["--format", format];
            let whole = good(&[&["elements", path, "--id", id], &format[..]].concat());
            for count in [1, 2, 3, 7, 40] {
                let (all, is_doubted) = shards(path, id, count, &format);
                assert!(all == whole, "{name}: {count} shards");
                assert!(!is_doubted, "{name}: {count} shards");
            }
        }
        let whole = good(&["elements", path, "--id", id]);
        let (all, _) = shards(path, id, 3, &["--threads", "2"]);
        assert!(all == whole, "{name}: 3 shards with threads");
    }
}

#[test]
fn calls_of_all_shards_have_the_instructions_of_the_whole() {
    for (name, id, all) in [("sort-a64", "10", 300_000), ("adpcm-a32", "21", 300_050)] {
        let folder = long(name, 2);
        let path = path_of(&folder);
        for count in [1, 2, 5] {
            let mut sum = 0;
            for number in 0..count {
                let shard = format!("{number}/{count}");
                let args = ["flow", path, "--id", id, "--shard", &shard];
                let folded = good(&[&args[..], &["--format", "folded"]].concat());
                let counts = folded.lines().map(|line| {
                    let (_, count) = line.rsplit_once(' ').expect("a count");
                    count.parse::<u64>().expect("a number")
                });
                sum += counts.sum::<u64>();
            }
            assert_eq!(sum, all, "{name}: {count} shards");
        }
    }
}

#[test]
fn shards_of_a_damaged_trace_are_the_whole_or_one_warns() {
    let mut equal = 0;
    for (name, id, laps) in [
        ("sort-a64", "10", 3),
        ("adpcm-a32", "21", 2),
        ("framed", "10", 3),
    ] {
        for seed in 0..3 {
            let folder = long(name, laps);
            damage(&folder, seed);
            let path = path_of(&folder);
            for policy in ["resync", "opencsd"] {
                let policy = ["--on-error", policy];
                let whole = etm4(&[&["elements", path, "--id", id], &policy[..]].concat()).stdout;
                let (all, is_doubted) = shards(path, id, 9, &policy);
                equal += usize::from(all == whole);
                assert!(all == whole || is_doubted, "{name}, seed {seed}");
            }
        }
    }
    assert!(equal > 12, "only {equal} of 18 are equal");
}

/// The program of the trace, but that none of its branches has a condition; the path of the file.
fn program_without_conditions(folder: &TempDir) -> String {
    let program = root().join("testbench/traces/sort-a64/sort.elf");
    let mut bytes = fs::read(program).expect("a program");
    for word in bytes[0x180..0xC00].as_chunks_mut().0 {
        let instruction = u32::from_le_bytes(*word);
        if instruction >> 24 == 0x54 {
            let words = (instruction as i32) << 8 >> 13;
            let branch = 5 << 26 | words as u32 & 0x3FF_FFFF;
            *word = branch.to_le_bytes();
        }
    }
    store_bytes(folder.path(), "wrong.elf", &bytes)
}

#[test]
fn a_check_counts_the_same_ranges_in_threads_and_shards() {
    let folder = long("sort-a64", 4);
    let program = program_without_conditions(&folder);
    let check = ["elements", path_of(&folder), "--check", "--elf", &program];
    check_threads(&check);
    // Doubts and ranges of the image.
    let numbers = |shard: &[&str]| {
        let ran = etm4(&[&check[..], shard].concat());
        let rate = ran.stdout.lines().find(|line| line.contains(" in "));
        let words = rate.expect("a rate").split_whitespace();
        let numbers: Vec<u64> = words.filter_map(|word| word.parse().ok()).collect();
        assert!(ran.stdout.contains("probably not what ran"));
        [numbers[numbers.len() - 2], numbers[numbers.len() - 1]]
    };
    let mut sums = [0; 2];
    for shard in ["0/3", "1/3", "2/3"] {
        let [doubts, ranges] = numbers(&["--shard", shard]);
        sums = [sums[0] + doubts, sums[1] + ranges];
    }
    assert!(sums[0] > 10_000, "{sums:?}");
    assert_eq!(sums, numbers(&[]));
}

#[test]
fn a_shard_that_is_none_is_an_error() {
    for shard in ["1", "2/2", "x/y", "0/0"] {
        let ran = etm4(&["elements", "testbench/traces/sort-a64", "--shard", shard]);
        assert_eq!(ran.code, 2, "{shard}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("below N") || ran.stderr.contains("number"),
            "{}",
            ran.stderr
        );
    }
}
