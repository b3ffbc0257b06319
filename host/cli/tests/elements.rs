// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 elements` on the traces of the project.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use common::{etm4, good, refused_in_one_line, root, shared, store_bytes};
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const ADPCM: &str = "testbench/traces/adpcm-a32";

fn count(trace: &str, what: &str) -> u64 {
    let counts = good(&["elements", trace, "--format", "count"]);
    let line = counts.lines().find(|line| line.ends_with(what));
    let line = line.unwrap_or_else(|| panic!("no {what} in {counts}"));
    let number = line.split_whitespace().next().expect("a number");
    number.parse().expect("a number")
}

#[test]
fn the_traces_of_the_project_give_all_their_instructions() {
    assert_eq!(count(SORT, "  instructions"), 150_000);
    assert_eq!(count(SORT, "  EXCEPTION"), 211);
    assert_eq!(count(ADPCM, "  instructions"), 150_025);
    for trace in [SORT, ADPCM] {
        let text = good(&["elements", trace]);
        assert!(!text.contains("ADDR_NACC"), "{trace}");
        assert!(text.trim_end().ends_with("[end-of-trace]"), "{trace}");
    }
}

#[test]
fn elements_of_json_have_the_fields_of_the_text() {
    for trace in [SORT, ADPCM] {
        let text = good(&["elements", trace, "--format", "tsv"]);
        let json = good(&["elements", trace, "--format", "json"]);
        assert_eq!(text.lines().count(), json.lines().count(), "{trace}");
        for (line, object) in text.lines().zip(json.lines()) {
            let columns: Vec<&str> = line.split('\t').collect();
            let object: Value = serde_json::from_str(object).expect("JSON");
            assert_eq!(object["schema"], "etm4.element.1");
            assert_eq!(object["type"], columns[2]);
            assert_eq!(object["off"].to_string(), columns[0]);
            if columns[2] != "INSTR_RANGE" {
                continue;
            }
            let [start, end] = ["start", "end"].map(|key| object[key].as_str().expect("text"));
            let count = &object["instructions"];
            let range = format!("exec range={start}:[{end}] num_i({count})");
            assert!(columns[3].contains(&range), "{line}");
        }
    }
}

#[test]
fn a_trace_without_images_says_so() {
    let ran = etm4(&["elements", "testbench/traces/framed", "--format", "count"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("there are no memory images"),
        "{}",
        ran.stderr
    );
    assert!(ran.stdout.contains("ADDR_NACC"), "{}", ran.stdout);
}

#[test]
fn memory_dumps_of_the_command_line_are_images() {
    let folder = TempDir::new().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(SORT);
    let toml = fs::read_to_string(from.join("capture.toml")).expect("a description");
    let (without_memory, _) = toml.split_once("[[memory]]").expect("a memory image");
    fs::write(folder.path().join("capture.toml"), without_memory).expect("written");
    fs::copy(from.join("trace.bin"), folder.path().join("trace.bin")).expect("copied");
    let dump = from.join("sort.bin.xz").display().to_string();
    // The file has the program, and behind it the handler of exceptions.
    let program = format!("--image={dump}@0x400000");
    let handler = format!("--image={dump}@0xffff000008081000,space=EL1N");
    let capture = folder.path().to_str().expect("text");
    let dumped = good(&["elements", capture, &program, &handler]);
    assert_eq!(dumped, good(&["elements", SORT]));
    for (image, want) in [
        (dump.as_str(), "has no address"),
        ("dump@0x12x", "0x12x is not an address"),
        ("dump@0x1000,el=1", "el=1 is not known"),
        ("dump@0x1000,cid=99999999999", "not a number of 32 bits"),
    ] {
        let ran = etm4(&["elements", capture, "--image", image]);
        assert_eq!(ran.code, 2, "{image}: {}", ran.stderr);
        assert!(ran.stderr.contains(want), "{image}: {}", ran.stderr);
    }
}

/// Beginnings of the names of captures whose images are what was executed.
const CONSISTENT: [&str; 7] = [
    "flow-a64",
    "flow-a32",
    "flow-t32",
    "flow-mix",
    "flow-exc",
    "flow-spec",
    "flow-ete",
];

#[test]
fn a_check_is_silent_unless_an_image_is_not_what_ran() {
    for trace in [SORT, ADPCM] {
        assert_eq!(good(&["elements", trace, "--check"]), "", "{trace}");
    }
    let Some(flow) = shared("corpus-flow") else {
        return;
    };
    let mut checked = 0;
    for folder in fs::read_dir(&flow).expect("captures") {
        let folder = folder.expect("an entry").path();
        let name = folder.file_name().expect("a name").to_string_lossy();
        if CONSISTENT.iter().any(|known| name.starts_with(known)) {
            let path = folder.to_str().expect("a path");
            assert_eq!(good(&["elements", path, "--check"]), "", "{name}");
            checked += 1;
        }
    }
    assert!(checked > 10, "only {checked} captures");
    let wrong = flow.join("flow-wrong");
    let ran = etm4(&["elements", wrong.to_str().expect("a path"), "--check"]);
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    let image =
        "flow-wrong/image0.bin.xz  10 x a branch without a condition was not taken: 0x4000a4";
    assert!(ran.stdout.contains(image), "{}", ran.stdout);
    let rate = "flow-wrong/image0.bin.xz  22 in 2060 ranges: it is probably not what ran";
    assert!(ran.stdout.contains(rate), "{}", ran.stdout);
    let wrong = wrong.to_str().expect("a path");
    let json = good(&["elements", wrong, "--format", "json"]);
    // Another image is above.
    let begins_there = |line: &&str| line.contains(r#""start":"0x400"#);
    assert_eq!(json.lines().filter(begins_there).count(), 2060);
}

#[test]
fn a_check_of_nothing_is_not_good() {
    let framed = ["elements", "testbench/traces/framed", "--check"];
    refused_in_one_line(&framed, &["nothing to check", "--elf", "--image"]);
    let elsewhere = format!("{SORT}/sort.elf@0x10000000");
    let ran = etm4(&[&framed[..], &["--image", &elsewhere]].concat());
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{}", ran.stderr);
    assert!(ran.stderr.contains("nothing was checked"), "{}", ran.stderr);
}

#[test]
fn a_check_says_which_files_are_other_builds_before_the_rest() {
    let folder = TempDir::new().expect("a folder");
    let program = format!("{SORT}/sort.elf");
    let mut bytes = fs::read(root().join(&program)).expect("a program");
    // A byte of its build ID.
    bytes[0x170] ^= 1;
    let other = store_bytes(folder.path(), "other.elf", &bytes);
    let dump = format!("{program}@0x400000");
    let same = ["elements", SORT, "--check", "--image", &dump, "--elf"];
    assert_eq!(good(&[&same[..], &[&program]].concat()), "");
    let ran = etm4(&[&same[..], &[&other]].concat());
    assert_eq!(ran.code, 1, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("has build ID e04d7767"),
        "{}",
        ran.stdout
    );
    assert_eq!(ran.stdout.lines().count(), 1, "{}", ran.stdout);
}

/// How often each line of an AutoFDO text came.
type Counts = BTreeMap<String, u64>;

/// Ranges and branches of an AutoFDO text: a number of lines and those lines, three times.
fn autofdo(text: &str) -> (Counts, Counts) {
    let mut lines = text.lines();
    let mut section = || {
        let count = lines.next().expect("a number of lines");
        let count: usize = count.parse().expect("a number");
        let lines = lines.by_ref().take(count);
        let pairs = lines.map(|line| line.rsplit_once(':').expect("a count"));
        let number =
            |(key, count): (&str, &str)| (key.to_owned(), count.parse().expect("a number"));
        pairs.map(number).collect::<Counts>()
    };
    let (ranges, _addresses, branches) = (section(), section(), section());
    (ranges, branches)
}

#[test]
fn the_flow_of_a_perf_recording_is_what_simpleperf_found() {
    let Some(folder) = shared("corpus-perf/simpleperf") else {
        return;
    };
    let path = |name: &str| folder.join(name).to_str().expect("text").to_owned();
    let (data, program) = (path("perf_etm.data"), path("etm_test_loop"));
    let json = good(&["elements", &data, "--elf", &program, "--format", "json"]);
    let objects = json
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"));
    let ranges: Vec<Value> = objects
        .filter(|object: &Value| object["type"] == "INSTR_RANGE")
        .collect();
    // Where the recording has it mapped, to where it is linked to be.
    let linked = |value: &Value| {
        let digits = value.as_str().expect("text").trim_start_matches("0x");
        u64::from_str_radix(digits, 16).expect("an address") - 0x58_2B2B_0000
    };
    let (mut found_ranges, mut found_branches) = (Counts::new(), Counts::new());
    for (number, range) in ranges.iter().enumerate() {
        let (start, last) = (linked(&range["start"]), linked(&range["end"]) - 4);
        *found_ranges
            .entry(format!("{start:x}-{last:x}"))
            .or_default() += 1;
        if range["taken"] == true {
            // It has no targets of indirect branches.
            let next = ranges
                .get(number + 1)
                .filter(|_| range["class"] == "direct");
            let target = next.map_or(0, |next| linked(&next["start"]));
            *found_branches
                .entry(format!("{last:x}->{target:x}"))
                .or_default() += 1;
        }
    }
    let golden = fs::read_to_string(path("perf_inject.data")).expect("a list");
    assert_eq!((found_ranges, found_branches), autofdo(&golden));
}
