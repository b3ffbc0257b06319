// SPDX-License-Identifier: MIT OR Apache-2.0
//! Recordings of several processes, whose programs are at the same addresses.

mod common;
mod two_programs;

use std::collections::BTreeMap;

use common::{Ran, etm4, good};
use serde_json::Value;
use tempfile::TempDir;
use two_programs::{Code, EXEC, Numbers, ONE, Sideband, TEXT, TWO, Turns, recording};

/// Start, end and whether the branch was taken, of each range.
fn ranges(recording: &str, elfs: &[&str], more: &[&str]) -> Vec<(String, String, bool)> {
    let json = run(
        "elements",
        recording,
        elfs,
        &[more, &["--format", "json"]].concat(),
    );
    let objects = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let ranges = objects.filter(|object: &Value| object["type"] == "INSTR_RANGE");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let range = |object: Value| {
        let taken = object["taken"] == true;
        (text(&object["start"]), text(&object["end"]), taken)
    };
    ranges.map(range).collect()
}

fn ran(command: &str, recording: &str, elfs: &[&str], more: &[&str]) -> Ran {
    let elfs = elfs.iter().flat_map(|elf| ["--elf", elf]);
    let arguments: Vec<&str> = [command, recording].into_iter().chain(elfs).collect();
    etm4(&[&arguments, more].concat())
}

fn run(command: &str, recording: &str, elfs: &[&str], more: &[&str]) -> String {
    let ran = ran(command, recording, elfs, more);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, ""),
        "{command} {more:?}"
    );
    ran.stdout
}

/// Both programs in files, and what each does alone.
struct Programs {
    folder: TempDir,
    elfs: [String; 2],
}

impl Programs {
    fn new() -> Programs {
        let folder = TempDir::new().expect("a folder");
        let elfs = [&ONE, &TWO].map(|code| code.elf(folder.path()));
        Programs { folder, elfs }
    }

    fn elfs(&self) -> [&str; 2] {
        self.elfs.each_ref().map(String::as_str)
    }

    fn elf(&self, code: &Code) -> &str {
        &self.elfs[usize::from(code.name == TWO.name)]
    }

    /// A recording of one process that executes one program some times.
    fn alone(&self, code: &Code, times: usize) -> String {
        let turns = vec![(100, code); times];
        recording(self.folder.path(), Numbers::ContextId, &turns, |sideband| {
            sideband.comm(100, 100, EXEC, code.name);
            sideband.map(100, code);
        })
    }

    fn ranges_alone(&self, code: &Code) -> Vec<(String, String, bool)> {
        ranges(&self.alone(code, 1), &[self.elf(code)], &[])
    }

    fn rows_alone(&self, code: &Code, times: usize, by: &str) -> BTreeMap<String, Value> {
        rows(&self.alone(code, times), &[self.elf(code)], by)
    }
}

/// The rows of a profile by their names.
fn rows(recording: &str, elfs: &[&str], by: &str) -> BTreeMap<String, Value> {
    let more = ["--by", by, "--format", "json"];
    let json = run("profile", recording, elfs, &more);
    let objects = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let rows = objects.filter(|object: &Value| object["type"] == by);
    let named = rows.map(|row| (row["name"].as_str().expect("a name").to_owned(), row));
    named.collect()
}

const TURNS: Turns<'static> = &[
    (100, &ONE),
    (200, &TWO),
    (101, &ONE),
    (200, &TWO),
    (30, &ONE),
];

#[test]
fn processes_at_the_same_addresses_are_followed_as_each_alone() {
    let programs = Programs::new();
    let folder = programs.folder.path();
    let elfs = programs.elfs();
    let [one, two] = [&ONE, &TWO].map(|code| programs.ranges_alone(code));
    assert_eq!((one.len(), two.len()), (150, 210));
    let want = [&one[..], &two, &one, &two, &one].concat();
    for numbers in [Numbers::ContextId, Numbers::Vmid] {
        let both = recording(folder, numbers, TURNS, Sideband::two_processes);
        for threads in ["1", "3"] {
            let found = ranges(&both, &elfs, &["--threads", threads]);
            assert!(found == want, "{numbers:?}, {threads} threads");
        }
        assert_eq!(run("elements", &both, &elfs, &["--check"]), "");
    }
}

#[test]
fn profiles_of_processes_are_those_of_each_alone() {
    let programs = Programs::new();
    let elfs = programs.elfs();
    for by in ["function", "block", "edge", "loop", "file"] {
        let mut want = programs.rows_alone(&ONE, 3, by);
        want.extend(programs.rows_alone(&TWO, 2, by));
        let both = recording(
            programs.folder.path(),
            Numbers::ContextId,
            TURNS,
            Sideband::two_processes,
        );
        assert!(want.len() > 1, "{by}");
        assert_eq!(rows(&both, &elfs, by), want, "{by}");
    }
    // A profile of one program has none of the other one.
    for format in ["bolt", "fdata", "autofdo"] {
        let profile = |recording: &str, elfs: &[&str]| {
            let more = ["--binary", "two.elf", "--format", format];
            run("profile", recording, elfs, &more)
        };
        let alone = profile(&programs.alone(&TWO, 2), &[programs.elf(&TWO)]);
        let both = recording(
            programs.folder.path(),
            Numbers::ContextId,
            TURNS,
            Sideband::two_processes,
        );
        assert_eq!(profile(&both, &elfs), alone, "{format}");
    }
}

#[test]
fn processes_and_threads_have_rows_with_their_names() {
    let programs = Programs::new();
    let elfs = programs.elfs();
    let instructions = |code: &Code| code.laps * code.lengths.iter().sum::<u64>();
    let (one, two) = (instructions(&ONE), instructions(&TWO));
    for numbers in [Numbers::ContextId, Numbers::Vmid] {
        let folder = programs.folder.path();
        let both = recording(folder, numbers, TURNS, Sideband::two_processes);
        let rows = |by: &str| {
            let more = ["--by", by, "--format", "json"];
            let json = run("profile", &both, &elfs, &more);
            let objects = json
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"));
            let rows = objects.filter(|object: &Value| object["type"] == by);
            let mut rows: Vec<_> = rows
                .map(|row| {
                    let number = |key: &str| row[key].as_u64();
                    let name = row["name"].as_str().expect("a name").to_owned();
                    (number("pid"), number("tid"), name, number("instructions"))
                })
                .collect();
            rows.sort();
            rows
        };
        let row = |pid, tid, name: &str, count| (Some(pid), tid, name.to_owned(), Some(count));
        let by_process = [
            row(30, None, "one", one),
            row(100, None, "one", 2 * one),
            row(200, None, "two", 2 * two),
        ];
        assert_eq!(rows("process"), by_process, "{numbers:?}");
        let by_thread = [
            row(30, Some(30), "one", one),
            row(100, Some(100), "one", one),
            row(100, Some(101), "worker", one),
            row(200, Some(200), "two", 2 * two),
        ];
        assert_eq!(rows("thread"), by_thread, "{numbers:?}");
        let text = run("profile", &both, &elfs, &["--by", "thread"]);
        assert!(text.contains("  worker  (pid 100, tid 101)\n"), "{text}");
    }
}

#[test]
fn calls_of_processes_have_the_names_of_their_functions() {
    let programs = Programs::new();
    let elfs = programs.elfs();
    let folder = programs.folder.path();
    let both = recording(folder, Numbers::ContextId, TURNS, Sideband::two_processes);
    let folded = run("flow", &both, &elfs, &["--format", "folded"]);
    let lines: BTreeMap<&str, &str> = folded
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a count"))
        .collect();
    let count =
        |code: &Code, lengths: &[u64]| (code.laps * lengths.iter().sum::<u64>()).to_string();
    for (thread, code, turns) in [
        ("context 0x64 one", &ONE, 1),
        ("context 0x65 worker", &ONE, 1),
        ("context 0x1e one", &ONE, 1),
        ("context 0xc8 two", &TWO, 2),
    ] {
        let [first, inside, rest] = code.lengths.map(|length| turns * length);
        let name = code.name;
        let main = format!("ID 10 {thread};main_{name}");
        assert_eq!(lines[&main[..]], count(code, &[first, rest]), "{folded}");
        let work = format!("{main};work_{name}");
        assert_eq!(lines[&work[..]], count(code, &[inside]), "{folded}");
    }
    assert_eq!(lines.len(), 8, "{folded}");
    let folded = run("profile", &both, &elfs, &["--format", "folded"]);
    assert_eq!(folded.lines().count(), 8);
    // Both functions begin at the same address.
    let around = ["--around", "main_two", "--calls", "1"];
    let around = ran("flow", &both, &elfs, &around);
    let want = format!("note: {} arrivals at main_two", 2 * TWO.laps);
    assert!(around.stderr.contains(&want), "{}", around.stderr);
    let page = run("report", &both, &elfs, &["--out", "-"]);
    for name in ["main_one", "work_one", "main_two", "work_two"] {
        assert!(page.contains(name), "{name}");
    }
}

#[test]
fn a_thread_that_is_not_known_has_no_image_of_a_process() {
    let programs = Programs::new();
    let elfs = programs.elfs();
    let folder = programs.folder.path();
    let turns: Turns<'_> = &[(100, &ONE), (77, &ONE), (200, &TWO)];
    let data = recording(folder, Numbers::ContextId, turns, Sideband::two_processes);
    let [one, two] = [&ONE, &TWO].map(|code| programs.ranges_alone(code));
    assert!(ranges(&data, &elfs, &[]) == [&one[..], &two].concat());
    let tsv = run("elements", &data, &elfs, &["--format", "tsv"]);
    assert!(tsv.contains("ADDR_NACC"), "{tsv}");
    let by_process = rows(&data, &elfs, "process");
    assert_eq!(by_process.len(), 2, "{by_process:?}");
    // A program with an address is in every process.
    let everywhere = format!("{}@{TEXT:#x}", elfs[0]);
    let turns = &turns[..2];
    let data = recording(folder, Numbers::ContextId, turns, Sideband::two_processes);
    assert!(ranges(&data, &[&everywhere], &[]) == [&one[..], &one].concat());
}

#[test]
fn contexts_without_a_thread_see_the_last_mapping() {
    let programs = Programs::new();
    let elfs = programs.elfs();
    let folder = programs.folder.path();
    let two = programs.ranges_alone(&TWO);
    let turns: Turns<'_> = &[(0, &TWO)];
    for numbers in [Numbers::ContextId, Numbers::Vmid, Numbers::Absent] {
        let data = recording(folder, numbers, turns, Sideband::two_processes);
        assert!(ranges(&data, &elfs, &[]) == two, "{numbers:?}");
        let functions = rows(&data, &elfs, "function");
        assert!(functions.contains_key("main_two"), "{functions:?}");
    }
    // Without context IDs, that is so for all.
    let data = recording(folder, Numbers::None, turns, Sideband::two_processes);
    let ran = ran("elements", &data, &elfs, &["--format", "count"]);
    assert_eq!(ran.code, 0);
    let want = format!("{}  INSTR_RANGE", two.len());
    assert!(ran.stdout.contains(&want), "{}", ran.stdout);
    let want = "note: the trace does not say which process ran, and several had 0x400000 in use";
    assert!(ran.stderr.starts_with(want), "{}", ran.stderr);
    assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
    let by_process = good(&[
        "profile", &data, "--elf", elfs[0], "--elf", elfs[1], "--by", "process",
    ]);
    assert!(by_process.contains("no context ID"), "{by_process}");
}
