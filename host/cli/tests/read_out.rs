// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow-counts`, and `etm4 profile` of what it writes: the profile from counts of branches is that
//! of the trace.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use common::{etm4, good, refused_in_one_line, shared, store_bytes};
use coretrace_capture::SourceDescription;
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::llvm;
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";

/// Bytes of a beat of the stream.
const BEAT: usize = 16;

/// The flow stream of the sorting program; the path of the file.
fn sort(folder: &Path, more: &[&str]) -> String {
    let out = folder.join("sort.flow").display().to_string();
    let args = ["flow-counts", SORT, "--elf", PROGRAM, "--out", &out];
    let ran = etm4(&[&args, more].concat());
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr.as_str()),
        (0, "", "")
    );
    out
}

/// The rows of a profile, without what a core does not count.
fn rows(args: &[&str]) -> Vec<Value> {
    let json = good(&[&["profile", "--format", "json"], args].concat());
    let row = |line: &str| {
        let mut row: Value = serde_json::from_str(line).expect("JSON");
        let fields = row.as_object_mut().expect("an object");
        fields.retain(|key, _| !["cycles", "ticks"].contains(&key.as_str()));
        row
    };
    json.lines().map(row).collect()
}

/// The rows of a profile of the sorting program that are about it; `source` is a trace or a stream.
fn sort_rows(source: &str, by: &str) -> BTreeSet<String> {
    let all = rows(&[source, "--elf", PROGRAM, "--by", by]);
    let is_of_program = |row: &&Value| row["program"] == PROGRAM || row["file"].is_string();
    let of_program = all[1..].iter().filter(is_of_program);
    of_program.map(Value::to_string).collect()
}

#[test]
fn functions_and_lines_of_a_read_out_are_those_of_the_trace() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    for by in ["function", "inlined", "line", "file"] {
        let of_trace = sort_rows(SORT, by);
        assert_eq!(sort_rows(&flow, by), of_trace, "{by}");
        assert!(!of_trace.is_empty(), "{by}");
    }
    let lcov = |source| good(&["profile", source, "--elf", PROGRAM, "--format", "lcov"]);
    assert_eq!(lcov(&flow), lcov(SORT));
    // An exception cuts a range of the trace in two.
    let coverage = |source| -> Vec<Value> {
        let mut rows = rows(&[source, "--elf", PROGRAM, "--by", "coverage"]);
        for row in &mut rows[1..] {
            row.as_object_mut().expect("an object").remove("blocks");
        }
        rows.split_off(1)
    };
    assert_eq!(coverage(&flow), coverage(SORT));
}

#[test]
fn branches_are_those_of_the_trace() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let edges = |source| -> BTreeMap<String, u64> {
        let rows = rows(&[source, "--elf", PROGRAM, "--by", "edge"]);
        let edges = rows[1..].iter().filter(|row| row["program"] == PROGRAM);
        let name = |row: &Value| row["name"].as_str().expect("a name").to_owned();
        edges
            .map(|row| (name(row), row["visits"].as_u64().expect("a number")))
            .collect()
    };
    let (of_counts, of_trace) = (edges(&flow), edges(SORT));
    let names = |edges: &BTreeMap<String, u64>| edges.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&of_counts), names(&of_trace));
    for ((name, count), want) in of_counts.iter().zip(of_trace.values()) {
        // The program was interrupted once behind a call by address, and nobody knows behind which one.
        let most = u64::from(name.ends_with(" indirect-call"));
        assert!(count.abs_diff(*want) <= most, "{name}: {count}, {want}");
    }
    assert!(of_trace.len() > 25, "{of_trace:?}");
}

#[test]
fn many_read_outs_are_added_up_to_one() {
    let folder = TempDir::new().expect("a folder");
    let profile = |flow: &str, by: &str| rows(&[flow, "--elf", PROGRAM, "--by", by]);
    let one = sort(folder.path(), &[]);
    let of_one = ["function", "block", "edge"].map(|by| profile(&one, by));
    let many = sort(folder.path(), &["--every", "1000"]);
    let of_many = ["function", "block", "edge"].map(|by| profile(&many, by));
    for (one, many) in of_one.iter().zip(&of_many) {
        assert_eq!(one[1..], many[1..]);
        assert_eq!(one[0]["read_outs"], 1);
        assert!(many[0]["read_outs"].as_u64() > Some(30), "{}", many[0]);
        for same in ["instructions", "taken", "not_taken", "atoms", "skipped"] {
            assert_eq!(one[0][same], many[0][same], "{same}");
        }
    }
}

#[test]
fn cycles_are_at_the_branches_behind_which_they_were_counted() {
    const ADPCM: &str = "testbench/traces/adpcm-a32";
    let folder = TempDir::new().expect("a folder");
    let out = folder.path().join("adpcm.flow").display().to_string();
    let image = format!("{ADPCM}/adpcm.bin.xz@0x10000");
    let code = ["--image", &image, "--isa", "a32"];
    good(&[&["flow-counts", ADPCM, "--out", &out][..], &code].concat());
    let blocks = ["profile", &out, "--by", "block", "--format", "json"];
    let json = good(&[&blocks[..], &code].concat());
    let rows: Vec<Value> = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    // The core needs a cycle for each instruction, and its trace unit counts no fewer than 16.
    let [of, blocks @ ..] = &rows[..] else {
        panic!("no rows in {json}");
    };
    let sums = ["instructions", "cycles", "threshold"].map(|key| of[key].as_u64());
    assert_eq!(sums, [Some(150_025), Some(150_025), Some(16)]);
    let cycles = |row: &Value| row["cycles"].as_u64().expect("a number");
    assert_eq!(blocks.iter().map(cycles).sum::<u64>(), 150_025);
    assert!(blocks.iter().any(|row| cycles(row) == 0), "{json}");
    let text = good(&[&["profile", &out][..], &code].concat());
    // Without symbols nobody knows where in their blocks functions begin.
    let doubt =
        "times the program came into a block where its first instruction there is not known";
    let numbers = ["flows_assumed", "instructions_doubtful"].map(|key| of[key].as_u64());
    assert!(text.contains(doubt), "{text}");
    assert!(
        numbers.iter().all(|number| *number > Some(0)),
        "{numbers:?}"
    );
    let exactness = "150025 cycles, each at the branch behind which it was counted; no count is of fewer than 16";
    assert!(text.contains(exactness), "{text}");
}

#[test]
fn what_a_core_does_not_count_is_said() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let text = good(&["profile", &flow, "--elf", PROGRAM]);
    // The trace has the kernel, and the program has not.
    for line in [
        "148523 instructions, 32764 branches taken and 7995 not, counted on chip in 1 read-out\n",
        "incomplete: 211 losses of the place in the program, 844 atoms without a place\n",
        "checked: no unconditional branch contradicts the counts\n",
        "not counted: time, exceptions and stacks",
    ] {
        assert!(text.contains(line), "no {line:?} in {text}");
    }
    assert!(!text.contains("not known"), "{text}");
    refused_in_one_line(
        &["profile", &flow, "--elf", PROGRAM, "--format", "folded"],
        &["no calls"],
    );
    for by in ["process", "thread", "cpu", "el"] {
        refused_in_one_line(
            &["profile", &flow, "--elf", PROGRAM, "--by", by],
            &["all contexts together"],
        );
    }
}

#[test]
fn a_changed_counter_is_found_and_named() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let bytes = fs::read(&flow).expect("a stream");
    let beats: Vec<&[u8]> = bytes.chunks(BEAT).collect();
    let is_site = |beat: &&[u8]| beat[0] & 7 == 1;
    let sites = beats.iter().filter(|beat| is_site(beat)).count();
    assert!(sites > 20, "only {sites} sites");
    let numbers = (0..beats.len()).filter(|number| is_site(&beats[*number]));
    for (sum, number) in numbers.enumerate() {
        let mut changed = bytes.clone();
        changed[BEAT * number + 4 + 4 * (sum % 3)] ^= 1 << (sum % 8);
        let path = store_bytes(folder.path(), "changed.flow", &changed);
        let ran = etm4(&["profile", &path, "--elf", PROGRAM]);
        assert_eq!(ran.code, 1, "beat {number}: {}", ran.stderr);
        assert!(ran.stdout.contains("qs.constprop.0"), "{}", ran.stdout);
        // More turns of a loop of one branch contradict the atoms alone.
        let named = "the counts contradict each other at 0x4";
        let atoms = "branches are counted, and 40759 atoms were followed";
        let is_said = ran.stderr.contains(named) || ran.stderr.contains(atoms);
        assert!(is_said, "beat {number}: {}", ran.stderr);
    }
}

#[test]
fn a_flow_that_is_missing_is_found_by_its_atoms() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let mut bytes = fs::read(&flow).expect("a stream");
    // All flows of a block that other blocks do not lead to, and that lead to none: it balances.
    let last = bytes.len() - BEAT;
    let alone = [1 | 1 << 4, 3_u32, 3, 0].map(u32::to_le_bytes).concat();
    let is_first = |beat: &[u8]| beat[0] == 0x11 && beat[1] == 0;
    assert!(
        !bytes.chunks(BEAT).any(is_first),
        "the first branch has no counts"
    );
    bytes.splice(last..last, alone);
    let path = store_bytes(folder.path(), "more.flow", &bytes);
    let ran = etm4(&["profile", &path, "--elf", PROGRAM]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let said = "40762 branches are counted, and 40759 atoms were followed";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
}

#[test]
fn a_page_has_the_rows_and_says_what_is_not_counted() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let profile = ["profile", &flow, "--elf", PROGRAM, "--top", "3"];
    let page = good(&[&profile[..], &["--format", "html"]].concat());
    for by in ["function", "loop", "line", "block", "edge", "coverage"] {
        for row in rows(&[&flow, "--elf", PROGRAM, "--by", by])[1..]
            .iter()
            .take(3)
        {
            let number = ["instructions", "visits", "entered"]
                .iter()
                .find_map(|field| row[field].as_u64());
            let number = format!("<td>{}</td>", number.expect("a number"));
            let name = row["name"].as_str().expect("a name").replace('>', "&gt;");
            let is_row = |line: &&str| line.contains(&number) && line.contains(&name);
            assert!(page.lines().any(|line| is_row(&line)), "{row}");
        }
    }
    for part in [
        "checked: no unconditional branch contradicts the counts",
        "not counted: time, exceptions and stacks",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http") && !page.contains("<script"));
    refused_in_one_line(
        &["profile", &flow, SORT, "--elf", PROGRAM, "--format", "html"],
        &["of flow streams, or of other files"],
    );
}

#[test]
fn another_program_is_refused_or_its_counts_contradict() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let table = folder.path().join("table").display().to_string();
    let make = |elf: &str| good(&["flow-table", "--elf", elf, "--out", &table]);
    make(PROGRAM);
    good(&["profile", &flow, "--elf", PROGRAM, "--flow-table", &table]);

    // A branch less.
    let mut bytes = fs::read(common::root().join(PROGRAM)).expect("a program");
    let nop = 0xD503_201F_u32.to_le_bytes();
    bytes[0x1BC..0x1C0].copy_from_slice(&nop);
    let other = store_bytes(folder.path(), "other.elf", &bytes);
    refused_in_one_line(
        &["profile", &flow, "--elf", &other, "--flow-table", &table],
        &["not that of these programs"],
    );
    let ran = etm4(&["profile", &flow, "--elf", &other]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("contradict"), "{}", ran.stderr);

    let tiny = store_bytes(folder.path(), "tiny", &[0xC0, 0x03, 0x5F, 0xD6]);
    refused_in_one_line(
        &["profile", &flow, "--image", &format!("{tiny}@0x400000")],
        &["those of the programs are", "with its options"],
    );
    refused_in_one_line(&["profile", &flow], &["--elf names programs"]);
}

#[test]
fn counts_are_read_with_the_options_of_the_table() {
    let folder = TempDir::new().expect("a folder");
    let later = format!("{PROGRAM}@0x300000");
    let code = [
        "--later",
        &later,
        "--only",
        "qs.constprop.0",
        "--only",
        "0x4001a0-0x4001d8",
    ];
    let flow = sort(folder.path(), &code);
    let table = folder.path().join("table").display().to_string();
    good(
        &[
            &["flow-table", "--elf", PROGRAM, "--out", &table][..],
            &code,
        ]
        .concat(),
    );
    let profile = ["profile", &flow, "--elf", PROGRAM, "--flow-table", &table];
    let text = good(&[&profile[..], &code].concat());
    assert!(text.contains("checked: no unconditional"), "{text}");
    // All of the function that calls nothing is counted.
    let row = text.lines().find(|line| line.contains(" c_low  "));
    let fields: Vec<&str> = row.expect("a row").split_whitespace().collect();
    assert_eq!(fields[1..3], ["64159", "7203"]);
    refused_in_one_line(&profile, &["not that of these programs"]);
}

#[test]
fn a_stream_that_is_cut_or_none_is_reported() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &["--every", "5000"]);
    let bytes = fs::read(&flow).expect("a stream");
    let cut = store_bytes(folder.path(), "cut.flow", &bytes[..bytes.len() - 20]);
    let ran = etm4(&["profile", &cut, "--elf", PROGRAM]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let said = "1 read-outs are incomplete and left out";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(!ran.stderr.contains("contradict"), "{}", ran.stderr);
    assert!(ran.stdout.contains("qs.constprop.0"), "{}", ran.stdout);
    let none = store_bytes(folder.path(), "none", &[]);
    let ran = etm4(&["profile", "--flow", &none, "--elf", PROGRAM]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("no whole read-out"), "{}", ran.stderr);
}

/// A capture of a golden stream, and its memory as options.
fn golden(folder: &Path, stream: &GoldenStream) -> (String, Vec<String>) {
    let capture = folder.join(&stream.name);
    fs::create_dir_all(&capture).expect("a folder");
    fs::write(capture.join("trace.bin"), &stream.bytes).expect("written");
    let registers = stream.source.registers.named();
    let registers = registers.map(|(name, value)| (name.to_owned(), value));
    let source = SourceDescription {
        name: "ETM".to_owned(),
        protocol: "ETM4".to_owned(),
        trace_id: Some(0x10),
        core: Some("Cortex-A53".to_owned()),
        registers: registers.collect(),
    };
    let head = "name = \"golden\"\nfile = \"trace.bin\"\nformat = \"raw\"\n\n";
    let text = format!("{head}{}", source.toml());
    fs::write(capture.join("capture.toml"), text).expect("written");
    let mut images = Vec::new();
    for (address, bytes) in stream.memory().expect("an image") {
        let file = store_bytes(&capture, &format!("{address:x}.bin"), &bytes);
        images.extend(["--image".to_owned(), format!("{file}@{address:#x}")]);
    }
    (capture.display().to_string(), images)
}

#[test]
fn blocks_of_read_outs_of_real_programs_are_those_of_the_trace() {
    let Some(own) = shared("workloads/own") else {
        return;
    };
    let folder = TempDir::new().expect("a folder");
    let streams = GoldenStream::all(&own).expect("streams");
    let plain = streams
        .iter()
        .filter(|stream| stream.name.ends_with("a64.plain"));
    let mut programs = 0;
    for stream in plain {
        let (capture, images) = golden(folder.path(), stream);
        let images: Vec<&str> = images.iter().map(String::as_str).collect();
        let flow = format!("{capture}.flow");
        good(&[&["flow-counts", &capture, "--out", &flow], &images[..]].concat());
        let visits = |source: &str| -> BTreeMap<String, u64> {
            let rows = rows(&[&[source, "--by", "block"], &images[..]].concat());
            let visits = |row: &Value| row["visits"].as_u64().expect("a number");
            let of_row = |row: &Value| (format!("{} {}", row["start"], row["end"]), visits(row));
            rows[1..].iter().map(of_row).collect()
        };
        let (of_counts, of_trace) = (visits(&flow), visits(&capture));
        assert!(of_trace.len() > 10, "{}: {}", stream.name, of_trace.len());
        // Of a flow that ends in a block it is not counted where in the block it began: once, at the end.
        for block in of_counts.keys().chain(of_trace.keys()) {
            let at = |visits: &BTreeMap<String, u64>| visits.get(block).copied().unwrap_or(0);
            let (got, want) = (at(&of_counts), at(&of_trace));
            let name = &stream.name;
            assert!(got.abs_diff(want) <= 1, "{name} {block}: {got} {want}");
        }
        programs += 1;
    }
    assert!(programs > 5, "only {programs} programs");
}

#[test]
fn bolt_and_llvm_take_profiles_of_a_read_out() {
    let folder = TempDir::new().expect("a folder");
    let flow = sort(folder.path(), &[]);
    let profile = |format: &str| {
        let out = folder.path().join(format).display().to_string();
        let args = ["profile", &flow, "--elf", PROGRAM, "--format", format];
        assert_eq!(good(&[&args[..], &["--out", &out]].concat()), "");
        out
    };
    let made = folder.path().join("made").display().to_string();
    let branches = profile("bolt");
    let args = ["-aggregate-only", "-pa", "-p", &branches, "-o", &made];
    if let Some(said) = llvm("perf2bolt", &[&args[..], &[PROGRAM]].concat()) {
        let sound = "traces mismatching disassembled function contents: 0 (0.0%)";
        assert!(said.contains(sound), "{said}");
    }
    let data = format!("-data={}", profile("fdata"));
    let out = folder.path().join("out").display().to_string();
    if let Some(said) = llvm(
        "llvm-bolt",
        &[PROGRAM, &data, "-o", &out, "-reorder-blocks=ext-tsp"],
    ) {
        let profiled = "4 out of 10 functions in the binary";
        assert!(said.contains(profiled), "{said}");
        for word in ["stale", "invalid"] {
            assert!(!said.contains(word), "{said}");
        }
    }
    let from = format!("--unsymbolized-profile={}", profile("autofdo"));
    let (binary, to) = (format!("--binary={PROGRAM}"), format!("--output={made}"));
    if llvm("llvm-profgen", &[&from, "--use-offset=0", &binary, &to]).is_some()
        && let Some(said) = llvm("llvm-profdata", &["show", "--sample", &made])
    {
        assert!(said.contains("Function: c_low: "), "{said}");
        assert!(said.contains(", 7203, "), "{said}");
    }
}

#[test]
fn what_runs_between_triggers_is_the_profile_of_a_function() {
    let folder = TempDir::new().expect("a folder");
    let window = ["--trigger", "start=c_low", "--trigger", "stop=return:c_low"];
    let event = ["--trigger", "event=qs.constprop.0", "--freeze-after", "3"];
    let flow = sort(folder.path(), &[&window[..], &event].concat());
    let functions = |source: &str| -> Vec<Value> {
        let rows = rows(&[source, "--elf", PROGRAM, "--by", "function"]);
        let is_function = |row: &Value| row["type"] == "function";
        rows.into_iter().filter(is_function).collect()
    };
    let of_trace = functions(SORT);
    let c_low: Vec<&Value> = of_trace
        .iter()
        .filter(|row| row["name"] == "c_low")
        .collect();
    assert_eq!(functions(&flow).iter().collect::<Vec<_>>(), c_low);

    let text = good(&["profile", &flow, "--elf", PROGRAM]);
    let has = |line: &str| assert!(text.contains(line), "{text}");
    has("counted: what ran between triggers\n");
    has("checked: no unconditional branch contradicts the counts\n");
    has("not counted: time, exceptions and stacks\n");
    let ring = text
        .lines()
        .skip_while(|line| !line.starts_with("trigger:"));
    let ring: Vec<&str> = ring.take(65).collect();
    assert!(
        ring[0].starts_with("trigger: the last 64 branches"),
        "{text}"
    );
    assert!(
        ring[64].contains(" qs.constprop.0+0x4 ") && ring[64].ends_with(" was reached"),
        "{text}"
    );

    let all = rows(&[&flow, "--elf", PROGRAM]);
    let of = |key: &str| all[0][key].as_bool();
    assert_eq!((of("windowed"), of("sound")), (Some(true), Some(true)));
    let hops: Vec<&Value> = all.iter().filter(|row| row["type"] == "hop").collect();
    let is_taken = |hop: &&&Value| hop["taken"] == true;
    assert_eq!((hops.len(), hops.iter().filter(is_taken).count()), (64, 63));
    let last = hops.last().expect("a hop");
    assert_eq!(
        (&last["end"], &last["taken"]),
        (&"0x400284".into(), &false.into())
    );

    // The table of the core may have other triggers, or none.
    let table = folder.path().join("sort.table").display().to_string();
    let made = [
        "flow-table",
        "--elf",
        PROGRAM,
        "--out",
        &table,
        "--trigger",
        "start=c_up",
    ];
    good(&made);
    good(&["profile", &flow, "--elf", PROGRAM, "--flow-table", &table]);
}
