// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast the streams of a core are read: all records of a record stream, and the sums of either
//! stream.
//!
//! `cargo bench -p etm4 --bench streams`. With `-- --before COMMIT`, where COMMIT is one with version
//! 1 of the record stream, its readers take turns with those of today on the same records, and the
//! last column is the ratio. The commit is checked out and compiled in `target/before`.

mod measure;

use std::collections::HashMap;
use std::hint::black_box;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use coretrace_etm::Record;
use coretrace_profile::{Profile, StreamReader};
use coretrace_streams::{Item, Reader, Sink, Writer};
use measure::{Set, print, seconds, sets};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// The argument that makes this print lines for another run of it.
const LINES: &str = "--lines";
/// Turns of each program.
const TURNS: usize = 3;

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn profile(bytes: &[u8]) {
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    reader.bytes(bytes).expect("a stream");
    black_box(reader.finish().expect("a stream"));
    black_box(profile);
}

/// Has the compiler make every item.
struct Used;

impl Sink for Used {
    fn record(&mut self, record: &Record) {
        black_box(record);
    }

    fn other(&mut self, item: Item<'_>) {
        black_box(&item);
    }
}

fn print_set(set: &Set) {
    let mut words = Vec::new();
    let mut writer = Writer::new(set.start);
    for record in &set.records {
        writer.record(record, &mut words);
    }
    writer.flush(&mut words);
    let bytes = bytes_of(&words);
    let read = seconds(|| {
        let mut reader = Reader::new();
        reader.bytes_to(&bytes, &mut Used);
        reader.finish_to(&mut Used);
    });
    let count = set.records.len();
    print(set, "records", count, &words, read);
    let added = seconds(|| profile(&bytes));
    print(set, "profile of records", count, &words, added);
    let entries = bytes_of(&set.entries);
    let added = seconds(|| profile(&entries));
    let count = set.entries.len() / 4;
    print(set, "profile of entries", count, &set.entries, added);
}

/// Lines of a program: nanoseconds and megabytes by set and what was done.
type Lines = HashMap<String, (f64, f64)>;

fn run(command: &mut Command, lines: &mut Lines) -> Result<Vec<String>> {
    let output = command.output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {errors}");
    let mut order = Vec::new();
    for line in String::from_utf8(output.stdout)?.lines() {
        let Some((name, numbers)) = line.rsplit_once('\t').and_then(|(rest, megabytes)| {
            let (name, nanoseconds) = rest.rsplit_once('\t')?;
            Some((name, (nanoseconds.parse().ok()?, megabytes.parse().ok()?)))
        }) else {
            continue;
        };
        order.push(name.to_owned());
        let best = lines.entry(name.to_owned()).or_insert(numbers);
        if numbers.0 < best.0 {
            *best = numbers;
        }
    }
    Ok(order)
}

/// Compiles `before.rs` in a worktree of a commit; the command that runs it.
fn before(commit: &str) -> Result<Command> {
    let tree = Path::new(ROOT).join("target/before");
    if !tree.is_dir() {
        let mut git = Command::new("git");
        git.args(["-C", ROOT, "worktree", "add", "--detach"])
            .arg(&tree)
            .arg(commit);
        ensure!(git.status()?.success(), "{git:?}");
    }
    let folder = tree.join("host/cli/examples/before");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("main.rs"), include_str!("before.rs"))?;
    std::fs::write(folder.join("measure.rs"), include_str!("measure.rs"))?;
    let target = tree.join("target");
    let mut cargo = Command::new("cargo");
    cargo
        .args([
            "build",
            "-q",
            "--release",
            "-p",
            "etm4",
            "--example",
            "before",
        ])
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&tree);
    ensure!(cargo.status()?.success(), "{cargo:?}");
    let mut program = Command::new(target.join("release/examples/before"));
    program.arg(ROOT);
    Ok(program)
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let place = arguments.iter().position(|argument| argument == "--before");
    let Some(place) = place.filter(|_| !arguments.iter().any(|argument| argument == LINES)) else {
        sets(Path::new(ROOT)).iter().for_each(print_set);
        return Ok(());
    };
    let commit = arguments.get(place + 1).context("name a commit")?;
    let mut old = before(commit)?;
    let mut new = Command::new(std::env::current_exe()?);
    new.arg(LINES);
    let (mut old_lines, mut new_lines) = (Lines::new(), Lines::new());
    let mut order = Vec::new();
    for _ in 0..TURNS {
        run(&mut old, &mut old_lines)?;
        order = run(&mut new, &mut new_lines)?;
    }
    println!("set\tdone\tns before\tns now\tMB/s before\tMB/s now\tratio");
    for name in order {
        let (Some(old), Some(new)) = (old_lines.get(&name), new_lines.get(&name)) else {
            continue;
        };
        println!(
            "{name}\t{}\t{}\t{}\t{}\t{:.1}",
            old.0,
            new.0,
            old.1,
            new.1,
            old.0 / new.0
        );
    }
    Ok(())
}
