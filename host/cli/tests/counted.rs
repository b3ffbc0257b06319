// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 profile` and `etm4 diff` of traces with images: what ran, counted exactly.

mod common;

use std::collections::BTreeMap;
use std::fs;

use common::{
    corpus, etm4, good, make_records, refused, refused_in_one_line, root, shared, store_bytes,
};
use object::build::elf::Builder;
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const ADPCM: &str = "testbench/traces/adpcm-a32";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";

/// Everything that rows can be about.
const ALL: [&str; 12] = [
    "function", "inlined", "line", "block", "edge", "loop", "coverage", "process", "thread", "cpu",
    "el", "file",
];

/// The rows of a profile of the sorting program by this.
fn rows(by: &str) -> Vec<Value> {
    rows_of(&[SORT, "--elf", PROGRAM, "--by", by])
}

fn rows_of(args: &[&str]) -> Vec<Value> {
    let json = good(&[&["profile", "--format", "json"], args].concat());
    let rows = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    rows.collect()
}

fn number(row: &Value, key: &str) -> u64 {
    row[key]
        .as_u64()
        .unwrap_or_else(|| panic!("no {key} in {row}"))
}

/// Instructions by name, of the rows of this type.
fn instructions(rows: &[Value], kind: &str) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    for row in rows.iter().filter(|row| row["type"] == kind) {
        let name = row["name"].as_str().expect("a name").to_owned();
        *sums.entry(name).or_default() += number(row, "instructions");
    }
    sums
}

#[test]
fn every_instruction_of_a_trace_is_in_one_row() {
    for by in [
        "function", "inlined", "line", "block", "process", "thread", "cpu", "el", "file",
    ] {
        let rows = rows(by);
        assert_eq!(number(&rows[0], "instructions"), 150_000, "{by}");
        assert_eq!(
            instructions(&rows, by).values().sum::<u64>(),
            150_000,
            "{by}"
        );
    }
    let of_a32 = rows_of(&[ADPCM]);
    assert_eq!(
        instructions(&of_a32, "function").values().sum::<u64>(),
        150_025
    );
    let cycles: u64 = of_a32[1..].iter().map(|row| number(row, "cycles")).sum();
    let total = &of_a32[0];
    assert_eq!(
        cycles + number(total, "cycles_without_instruction"),
        number(total, "cycles")
    );
    assert!(cycles > 100_000, "{total}");
}

/// The sums of the call tree of a trace, and those of its sources, by key.
fn sums_of_tree_and_sources(args: &[&str], keys: [&str; 2]) -> [[u64; 2]; 2] {
    let sum = |rows: &[Value], kind: &str, key: &str| -> u64 {
        let rows = rows.iter().filter(|row| row["type"] == kind);
        rows.map(|row| number(row, key)).sum()
    };
    let tree = rows_of(&[args, &["--by", "tree"]].concat());
    let sources = rows_of(args);
    [
        keys.map(|key| sum(&tree, "tree", key)),
        keys.map(|key| sum(&sources, "source", key)),
    ]
}

#[test]
fn the_call_tree_has_every_instruction_and_cycle_once() {
    for (args, instructions) in [
        (&[SORT, "--elf", PROGRAM][..], 150_000),
        (&[ADPCM], 150_025),
    ] {
        let [tree, sources] = sums_of_tree_and_sources(args, ["instructions", "cycles"]);
        assert_eq!(tree, sources, "{args:?}");
        assert_eq!(tree[0], instructions);
    }
    let Some(folder) = shared("corpus-perf/simpleperf") else {
        return;
    };
    let [data, program] = ["perf_etm.data", "etm_test_loop"].map(|name| folder.join(name));
    let [data, program] = [&data, &program].map(|path| path.to_str().expect("text"));
    let args = [data, "--elf", program];
    let [tree, sources] = sums_of_tree_and_sources(&args, ["instructions", "cycles"]);
    assert_eq!(tree, sources);
    assert_eq!(tree[0], 944);
    let Some(folder) = corpus() else {
        return;
    };
    let of_kernel = folder.join("juno_r1_1").display().to_string();
    let [tree, sources] = sums_of_tree_and_sources(&[&of_kernel], ["instructions", "cycles"]);
    assert_eq!(tree, sources);
    assert!(tree[0] > 40_000, "{tree:?}");
}

#[test]
fn paths_of_the_call_tree_are_behind_their_callers_and_in_their_sums() {
    let rows = rows("tree");
    let mut below = BTreeMap::<u64, u64>::new();
    let mut depths = BTreeMap::new();
    for row in rows.iter().rev() {
        let own = number(row, "instructions");
        let total = own + below.remove(&number(row, "node")).unwrap_or_default();
        assert_eq!(number(row, "total_instructions"), total, "{row}");
        if row.get("parent").is_some() {
            *below.entry(number(row, "parent")).or_default() += total;
        }
    }
    assert!(below.is_empty(), "callers behind what they call: {below:?}");
    for row in &rows {
        let depth = row
            .get("parent")
            .map_or(0, |_| 1 + depths[&number(row, "parent")]);
        assert_eq!(number(row, "depth"), depth, "{row}");
        depths.insert(number(row, "node"), depth);
    }
    let text = good(&[
        "profile", SORT, "--elf", PROGRAM, "--by", "tree", "--top", "3",
    ]);
    let names = text
        .lines()
        .skip(3)
        .map(|line| line.split_whitespace().last());
    let names: Vec<_> = names.flatten().collect();
    assert_eq!(names[..3], ["10", "_start", "run"], "{text}");
    assert!(
        text.ends_with(&format!(
            "{} more: --top {} shows them all\n",
            rows.len() - 3,
            rows.len()
        )),
        "{text}"
    );
}

#[test]
fn the_functions_of_the_sorting_program_are_named() {
    let rows = rows("function");
    let sums = instructions(&rows, "function");
    assert_eq!(
        (sums["qs.constprop.0"], sums["c_low"], sums["run"]),
        (72_342, 64_159, 12_019)
    );
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("a row");
    assert_eq!(row("c_low")["file"], "./sort.c");
    // Interrupts came at the first instruction of some calls, and returns to there are no calls.
    let calls = ["c_low", "qs.constprop.0", "run"].map(|name| number(row(name), "calls"));
    assert_eq!(calls, [7203, 202, 1]);
    let text = good(&["profile", SORT, "--elf", PROGRAM, "--top", "2"]);
    for word in [
        "traced: testbench/traces/sort-a64\n",
        "150000 instructions of 1 source, 211 exceptions\ncomplete: ",
        " 48.2%         72342           202  qs.constprop.0  (./sort.c:4)\n",
    ] {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
    assert!(text.ends_with("more: --top 6 shows them all\n"), "{text}");
}

#[test]
fn profile_tree_flow_and_report_count_the_same_calls() {
    for (args, calls) in [(&[SORT, "--elf", PROGRAM][..], 7617), (&[ADPCM], 1459)] {
        let by_name = |by: &str| {
            let mut sums = BTreeMap::new();
            let rows = rows_of(&[args, &["--by", by]].concat());
            for row in rows.iter().filter(|row| row["type"] == by) {
                let name = row["name"].as_str().expect("a name").to_owned();
                *sums.entry(name).or_insert(0) += number(row, "calls");
            }
            sums.retain(|_, calls| *calls > 0);
            sums
        };
        let of_profile = by_name("function");
        assert_eq!(of_profile.values().sum::<u64>(), calls);
        assert_eq!(by_name("tree"), of_profile);
        let flow = good(&[&["flow"], args, &["--format", "json"]].concat());
        assert_eq!(flow.matches("\"call\":true").count() as u64, calls);
        let page = good(&[&["report"], args, &["--out", "-"]].concat());
        let shown = calls.to_string();
        let (thousands, rest) = shown.split_at(1);
        let shown = format!("<dt>Calls</dt><dd>{thousands},{rest}</dd>");
        assert!(page.contains(&shown), "no {shown}");
    }
}

#[test]
fn what_was_inlined_and_its_lines_have_their_own_rows() {
    let inlined = instructions(&rows("inlined"), "inlined");
    assert_eq!(inlined["c_up"] + inlined["c_low"], 64_159);
    assert_eq!(inlined["rnd"] + inlined["run"], 12_019);
    let lines = instructions(&rows("line"), "line");
    assert_eq!(lines["./sort.c:4"], 72_342);
    assert_eq!(lines["./rt.h:16"], inlined["rnd"]);
}

#[test]
fn calls_of_a_program_without_symbols_name_its_code() {
    let named = instructions(&rows("function"), "function");
    let unnamed = instructions(&rows_of(&[SORT]), "function");
    assert_eq!(unnamed["0x4001a0"], named["c_low"]);
    assert_eq!(unnamed["0x400280"], named["qs.constprop.0"]);
    // A file without symbols is no reason to know less.
    let folder = TempDir::new().expect("a folder");
    let bytes = fs::read(root().join(PROGRAM)).expect("a program");
    let mut program = Builder::read(&bytes[..]).expect("an ELF file");
    program
        .symbols
        .iter_mut()
        .for_each(|symbol| symbol.delete = true);
    let mut bytes = Vec::new();
    program.write(&mut bytes).expect("an ELF file");
    let stripped = store_bytes(folder.path(), "stripped.elf", &bytes);
    let with_file = instructions(&rows_of(&[SORT, "--elf", &stripped]), "function");
    assert_eq!(with_file, unnamed);
}

#[test]
fn coverage_has_the_functions_that_did_not_run() {
    let rows = rows("coverage");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("a row");
    let (ran, idle) = (row("c_low"), row("walk"));
    assert_eq!((number(ran, "bytes_ran"), number(ran, "bytes")), (56, 56));
    assert_eq!(
        (number(idle, "bytes_ran"), number(idle, "lines_ran")),
        (0, 0)
    );
    assert!(
        number(idle, "lines") > 0 && number(idle, "bytes") > 1000,
        "{idle}"
    );
    let info = good(&["profile", SORT, "--elf", PROGRAM, "--format", "lcov"]);
    check_lcov(&info);
    for line in ["SF:./sort.c", "FNDA:0,walk", "FNDA:7203,c_low", "DA:7,0"] {
        assert!(
            info.lines().any(|found| found == line),
            "no {line} in {info}"
        );
    }
}

/// Checks the lines of a tracefile, and that its sums are those of its lines.
fn check_lcov(info: &str) {
    assert_eq!(info.lines().last(), Some("end_of_record"));
    for file in info
        .split("end_of_record\n")
        .filter(|file| !file.is_empty())
    {
        let values = |name: &str| -> Vec<&str> {
            file.lines()
                .filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .collect()
        };
        assert!(file.starts_with("TN:\nSF:"), "{file}");
        let counts = |name: &str, at: usize| -> Vec<u64> {
            let fields = values(name)
                .into_iter()
                .map(|line| line.split(',').nth(at).expect("a field"));
            fields
                .map(|field| field.parse().expect("a number"))
                .collect()
        };
        for (of, all, hit, at) in [("DA", "LF", "LH", 1), ("FNDA", "FNF", "FNH", 0)] {
            let found = counts(of, at);
            let ran = found.iter().filter(|count| **count > 0).count() as u64;
            assert_eq!(counts(all, 0), [found.len() as u64], "{file}");
            assert_eq!(counts(hit, 0), [ran], "{file}");
        }
        assert_eq!(values("FN").len(), values("FNDA").len());
    }
}

#[test]
fn loops_have_their_iterations() {
    let rows = rows("loop");
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect("a loop");
    // The program fills an array of 2000 numbers.
    let fill = row("run+0x30");
    assert_eq!(
        (number(fill, "entries"), number(fill, "iterations")),
        (1, 1999)
    );
    assert_eq!(number(fill, "instructions"), 12_000);
    // The two loops that look for what to swap are entered at their ends, once for each step of the loop
    // around them.
    for name in ["qs.constprop.0+0x68", "qs.constprop.0+0x8c"] {
        let inner = row(name);
        assert!(number(inner, "entries") > 1000, "{inner}");
        assert!(number(inner, "iterations") > 2000, "{inner}");
    }
}

#[test]
fn tsv_of_counts_has_the_fields_of_json() {
    for by in ALL {
        let rows = rows(by);
        let args = [
            "profile", SORT, "--elf", PROGRAM, "--by", by, "--format", "tsv",
        ];
        let table = good(&args);
        assert_eq!(table.lines().count(), rows.len(), "{by}");
        assert!(rows.len() > 1, "{by}");
        for (line, row) in table.lines().zip(&rows) {
            assert_eq!(row["schema"], "etm4.counts.1");
            let mut columns = line.split('\t');
            assert_eq!(columns.next(), row["type"].as_str());
            let mut fields = 2;
            for field in columns {
                let (key, value) = field.split_once('=').expect("key=value");
                let found = row[key]
                    .as_str()
                    .map_or(row[key].to_string(), str::to_owned);
                assert_eq!(found, value, "{line}");
                fields += 1;
            }
            assert_eq!(fields, row.as_object().expect("an object").len(), "{line}");
        }
    }
}

#[test]
fn several_traces_are_added_up() {
    let twice = rows_of(&[SORT, SORT, "--elf", PROGRAM]);
    let sums = instructions(&twice, "function");
    assert_eq!(sums["c_low"], 2 * 64_159);
    let sources = |rows: &[Value]| -> Vec<(String, u64)> {
        let rows = rows.iter().filter(|row| row["type"] == "source");
        let of = |row: &Value| row["capture"].as_str().expect("a capture").to_owned();
        rows.map(|row| (of(row), number(row, "instructions")))
            .collect()
    };
    let each = [(SORT.to_owned(), 150_000), (ADPCM.to_owned(), 150_025)];
    assert_eq!(sources(&rows_of(&[SORT, ADPCM])), each);
    let tree = rows_of(&[SORT, ADPCM, "--by", "tree"]);
    for (capture, instructions) in each {
        let rows = tree.iter().filter(|row| row["capture"] == capture.as_str());
        let sum: u64 = rows.map(|row| number(row, "instructions")).sum();
        assert_eq!(sum, instructions, "{capture}");
    }
    let mixed = good(&["profile", SORT, ADPCM]);
    assert!(
        mixed.contains("300025 instructions of 2 sources"),
        "{mixed}"
    );
}

#[test]
fn a_trace_without_images_counts_arrivals_and_says_so() {
    let ran = etm4(&["profile", "testbench/traces/framed"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for word in ["no memory images", "not time", "--elf"] {
        assert!(ran.stderr.contains(word), "no {word:?} in {}", ran.stderr);
    }
    assert!(ran.stdout.contains("address packets"), "{}", ran.stdout);
    for format in ["bolt", "fdata", "autofdo", "lcov"] {
        let args = ["profile", "testbench/traces/framed", "--format", format];
        refused(&args, &["no program is known", "--elf"]);
        refused(
            &["profile", ADPCM, "--elf", PROGRAM, "--format", format],
            &["is it the traced program"],
        );
    }
}

#[test]
fn rows_that_need_images_are_refused_without_them() {
    let folder = TempDir::new().expect("a folder");
    let words = make_records(folder.path(), SORT, &[]);
    for more in [["--by", "line"], ["--by", "tree"], ["--format", "folded"]] {
        let trace = ["profile", "testbench/traces/framed", more[0], more[1]];
        refused_in_one_line(&trace, &["no memory images", more[0], "--elf"]);
        let stream = ["profile", &words, "--elf", PROGRAM, more[0], more[1]];
        refused_in_one_line(&stream, &["without a path", more[0], "flow stream"]);
    }
}

#[test]
fn profiles_are_compared_by_function() {
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("before.json").display().to_string();
    let profile = [
        "profile", SORT, "--elf", PROGRAM, "--format", "json", "--out", &out,
    ];
    assert_eq!(good(&profile), "");
    for format in ["json", "tsv"] {
        let same = good(&["diff", &out, SORT, "--elf", PROGRAM, "--format", format]);
        assert_eq!(same, "");
    }
    let same = good(&["diff", &out, SORT, "--elf", PROGRAM]);
    let want = "150000 instructions before, 150000 after: +0 +0.0%\n\nno function differs\n";
    assert_eq!(same, want);
    let slower = fs::read_to_string(&out).expect("written");
    let slower = slower
        .replace("64159", "74159")
        .replace("qs.constprop.0", "qs");
    let slower = store_bytes(folder.path(), "after.json", slower.as_bytes());
    let text = good(&["diff", &out, &slower]);
    for word in [
        "150000 instructions before, 160000 after: +10000 +6.7%\n",
        "-72342     gone    48.2%     0.0%  qs.constprop.0\n",
        "+72342      new     0.0%    45.2%  qs\n",
        "+10000   +15.6%    42.8%    46.3%  c_low\n",
    ] {
        assert!(text.contains(word), "no {word:?} in {text}");
    }
    // One is gone, one is new, one changed, and the others are the same.
    let rows = good(&["diff", &out, &slower, "--format", "json"]);
    let rows = rows
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let rows: Vec<Value> = rows.collect();
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert!(
        rows.iter()
            .all(|row| row["schema"] == "etm4.diff.1" && row["change"] != 0)
    );
    refused(
        &["diff", &out, "testbench/traces/framed"],
        &["no memory images"],
    );
    let other = good(&["profile", SORT, "--by", "el", "--format", "json"]);
    let other = store_bytes(folder.path(), "el.json", other.as_bytes());
    refused(&["diff", &out, &other], &["el.json", "--by function"]);
}

/// Ranges and branches of an AutoFDO text, and how often each came.
fn autofdo(text: &str, sections: &[usize]) -> Vec<BTreeMap<String, u64>> {
    let mut lines = text.lines();
    let mut section = || {
        let count: usize = lines
            .next()
            .expect("a number of lines")
            .parse()
            .expect("a number");
        let pairs = lines
            .by_ref()
            .take(count)
            .map(|line| line.rsplit_once(':').expect("a count"));
        let number =
            |(key, count): (&str, &str)| (key.to_owned(), count.parse().expect("a number"));
        pairs.map(number).collect::<BTreeMap<String, u64>>()
    };
    let all: Vec<BTreeMap<String, u64>> = (0..=sections[sections.len() - 1])
        .map(|_| section())
        .collect();
    sections.iter().map(|&at| all[at].clone()).collect()
}

#[test]
fn branches_for_autofdo_are_those_that_simpleperf_found() {
    let Some(folder) = shared("corpus-perf/simpleperf") else {
        return;
    };
    let path = |name: &str| folder.join(name).display().to_string();
    let (data, program) = (path("perf_etm.data"), path("etm_test_loop"));
    let text = good(&["profile", &data, "--elf", &program, "--format", "autofdo"]);
    let mut found = autofdo(&text, &[0, 1]);
    let golden = fs::read_to_string(path("perf_inject.data")).expect("a list");
    // Between both it has a list of addresses.
    let golden = autofdo(&golden, &[0, 2]);
    // It has no targets of indirect branches: those are 0.
    let mut targets = BTreeMap::new();
    for (branch, count) in std::mem::take(&mut found[1]) {
        let (from, _) = branch.split_once("->").expect("an arrow");
        let unknown = format!("{from}->0");
        let key = if golden[1].contains_key(&unknown) {
            unknown
        } else {
            branch
        };
        *targets.entry(key).or_default() += count;
    }
    found[1] = targets;
    assert_eq!(found, golden);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_damaged_program_is_used_or_refused(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..40),
        (by, format) in (0..ALL.len(), 0_usize..7),
    ) {
        let folder = TempDir::new().expect("a folder");
        let mut program = fs::read(root().join(PROGRAM)).expect("the program");
        // Most of it is a hole between code and data.
        let full: Vec<usize> = (64..program.len()).filter(|at| program[*at] != 0).collect();
        for (at, value) in flips {
            program[full[at.index(full.len())]] = value;
        }
        let program = store_bytes(folder.path(), "flipped.elf", &program);
        let format = ["text", "tsv", "json", "bolt", "fdata", "autofdo", "lcov"][format];
        let mut args = vec!["profile", SORT, "--elf", &program, "--format", format];
        if ["text", "tsv", "json"].contains(&format) {
            args.extend(["--by", ALL[by]]);
        }
        let ran = etm4(&args);
        prop_assert_eq!(ran.code == 2, ran.stderr.contains("error: "), "{}", ran.stderr);
        prop_assert!((0..=2).contains(&ran.code) && !ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_counts() {
    for trace in [SORT, ADPCM] {
        for by in ["block", "edge"] {
            let profile = |threads: &str| {
                let args = [
                    "profile",
                    trace,
                    "--by",
                    by,
                    "--format",
                    "json",
                    "--threads",
                    threads,
                ];
                good(&args)
            };
            let one = profile("1");
            for threads in ["2", "3", "16"] {
                assert_eq!(profile(threads), one, "{trace} by {by}, {threads} threads");
            }
        }
    }
}

#[test]
fn rows_are_not_chosen_of_a_format_for_a_tool() {
    for format in ["bolt", "fdata", "autofdo", "lcov", "folded", "html"] {
        let args = [
            "profile", SORT, "--elf", PROGRAM, "--by", "line", "--format", format,
        ];
        let ran = etm4(&args);
        assert_eq!(ran.code, 2, "{format}");
        assert!(ran.stderr.contains("--by is for"), "{}", ran.stderr);
    }
}
