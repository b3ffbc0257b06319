// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 flow` on the traces of the project.

mod common;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::process::Command;

use common::{good, refused};
use coretrace_test_support::python::{or_skip, output};
use serde_json::Value;
use tempfile::TempDir;

const SORT: &str = "testbench/traces/sort-a64";
const PROGRAM: &str = "testbench/traces/sort-a64/sort.elf";
const ADPCM: &str = "testbench/traces/adpcm-a32";

/// Runs the command on the sorting program with its symbols.
fn sorted(more: &[&str]) -> String {
    good(&[&["flow", SORT, "--elf", PROGRAM], more].concat())
}

fn objects(json: &str) -> Vec<Value> {
    let lines = json.lines();
    lines
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

/// The sum of folded stacks.
fn sum(folded: &str) -> u64 {
    let counts = folded
        .lines()
        .map(|line| line.rsplit_once(' ').expect("a count").1);
    counts
        .map(|count| count.parse::<u64>().expect("a number"))
        .sum()
}

#[test]
fn functions_are_listed_with_their_callers() {
    let text = sorted(&[]);
    let mut lines = text.lines().skip(1).map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.join(" ")
    });
    assert_eq!(lines.next().expect("a line"), "0 0 ID 10 > _start");
    assert_eq!(lines.next().expect("a line"), "3 3 ID 10 > run");
    assert_eq!(text.matches("> exception 14").count(), 211);
    assert!(text.contains("            > c_low"), "it is called by qs");
    assert!(!text.contains("> 0x4"), "a function has no name: {text}");
    assert_eq!(sorted(&["--threads", "3"]), text);
}

#[test]
fn folded_stacks_add_up_to_the_instructions_of_the_trace() {
    let folded = sorted(&["--format", "folded"]);
    assert_eq!(sum(&folded), 150_000);
    assert!(
        folded.contains("\n_start;run;qs.constprop.0;c_low "),
        "{folded}"
    );
    for (trace, instructions) in [(SORT, 150_000), (ADPCM, 150_025)] {
        let folded = good(&["flow", trace, "--format", "folded"]);
        assert_eq!(sum(&folded), instructions, "{trace}");
        let profile = good(&["profile", trace, "--format", "folded"]);
        assert_eq!(profile, folded, "{trace}");
    }
}

/// The frames of a flame graph: how often each name is there with so many samples.
type Frames = BTreeMap<(String, u64), usize>;

/// The frames that folded stacks make.
fn frames(folded: &str) -> Frames {
    let mut sums = BTreeMap::<&str, u64>::new();
    for line in folded.lines() {
        let (stack, weight) = line.rsplit_once(' ').expect("a count");
        let weight = weight.parse::<u64>().expect("a number");
        let ends = stack.match_indices(';').map(|(end, _)| end);
        for end in ends.chain([stack.len()]) {
            *sums.entry(&stack[..end]).or_default() += weight;
        }
    }
    let mut frames = Frames::new();
    for (stack, sum) in sums {
        let name = stack.rsplit(';').next().unwrap_or_default().to_owned();
        *frames.entry((name, sum)).or_default() += 1;
    }
    frames
}

/// The frames of the drawing, `<title>NAME (1,234 samples, 5.67%)</title>`.
fn drawn(svg: &str) -> Frames {
    let mut frames = Frames::new();
    for title in svg.split("<title>").skip(1) {
        let (title, _) = title.split_once("</title>").expect("an end");
        let (name, numbers) = title.rsplit_once(" (").expect("numbers");
        let (samples, _) = numbers.split_once(" samples").expect("samples");
        let samples = samples.replace(',', "").parse().expect("a number");
        let name = name.replace("&lt;", "<").replace("&gt;", ">");
        *frames.entry((name, samples)).or_default() += 1;
    }
    frames
}

#[test]
#[ignore = "needs inferno-flamegraph; the nightly stage viewers runs it"]
fn inferno_draws_the_frames_and_samples_of_folded_stacks() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("folded");
    let folded = sorted(&["--format", "folded"]);
    fs::write(&file, &folded).expect("written");
    let mut inferno = Command::new("inferno-flamegraph");
    let drawing = output(inferno.args(["--minwidth", "0"]).arg(&file));
    let Some(svg) = or_skip(drawing) else {
        return;
    };
    let mut want = frames(&folded);
    want.insert(("all".to_owned(), 150_000), 1);
    assert_eq!(drawn(&svg), want);
}

#[test]
fn the_call_tree_has_costs_with_and_without_calls() {
    let tree = sorted(&["--format", "tree"]);
    let row = |line: &str| -> Vec<String> { line.split_whitespace().map(str::to_owned).collect() };
    let rows: Vec<Vec<String>> = tree.lines().map(row).collect();
    let run = rows
        .iter()
        .find(|row| row.last().is_some_and(|it| it == "run"));
    let run = run.expect("it ran");
    // Instructions with and without what it called, no cycles, the same as time, one call.
    let want = ["149997", "12019", "0", "0", "149997", "12019", "1", "run"];
    assert_eq!(run[..], want);
    assert!(
        tree.ends_with(" paths with less than 0.1 % of the instructions are left out\n"),
        "{tree}"
    );
}

#[test]
fn a_part_of_a_trace_has_its_instructions_and_its_frames() {
    let part = ["--from", "1500i", "--to", "3000i"];
    let folded = sorted(&[&part[..], &["--format", "folded"]].concat());
    assert_eq!(sum(&folded), 1500);
    assert!(folded.starts_with("_start;run "), "{folded}");
    let text = sorted(&part);
    assert_eq!(text.matches(" > ").count(), text.matches(" < ").count());
    let empty = sorted(&["--from", "9000000i", "--format", "folded"]);
    assert_eq!(empty, "");
    let args = ["flow", SORT, "--from", "100i", "--to", "50i"];
    refused(&args, &["--from is behind --to"]);
}

#[test]
fn calls_around_an_address_are_those_before_and_behind_each_arrival() {
    let near = sorted(&["--around", "qs.constprop.0", "--calls", "2"]);
    let arrivals = near.matches("* 0x400280").count();
    assert!(arrivals > 100, "only {arrivals} arrivals");
    assert!(near.lines().count() <= 1 + 5 * arrivals, "{near}");
    let by_address = sorted(&["--around", "0x400280", "--calls", "2"]);
    assert_eq!(near, by_address);
    let args = ["flow", SORT, "--around", "nothing"];
    refused(&args, &["no function is called nothing", "--elf"]);
}

#[test]
fn json_has_every_frame_with_its_time_between_the_timestamps() {
    let elements = objects(&good(&["elements", ADPCM, "--format", "json"]));
    let stamps: Vec<u64> = elements
        .iter()
        .filter(|element| element["type"] == "TIMESTAMP")
        .map(|element| {
            let digits = element["ts"].as_str().expect("text");
            u64::from_str_radix(digits.trim_start_matches("0x"), 16).expect("a number")
        })
        .collect();
    let (first, last) = (stamps[0], stamps[stamps.len() - 1]);
    let mut open: HashMap<String, Vec<Value>> = HashMap::new();
    let mut before = 0;
    for object in objects(&good(&["flow", ADPCM, "--format", "json"])) {
        assert_eq!(object["schema"], "etm4.flow.1");
        let time = object["time"].as_u64().expect("a number");
        assert!(time >= before, "{object}");
        before = time;
        if object["estimated"] != true {
            assert!((first..=last).contains(&time), "{object}");
        }
        let thread = format!("{} {} {}", object["id"], object["vmid"], object["cid"]);
        let frames = open.entry(thread).or_default();
        match object["type"].as_str().expect("text") {
            "ENTER" => {
                assert_eq!(object["depth"], frames.len());
                frames.push(object["function"].clone());
            }
            "LEAVE" => assert_eq!(frames.pop().as_ref(), Some(&object["function"])),
            other => panic!("{other}"),
        }
    }
    assert!(open.values().all(Vec::is_empty));
    // The times of most are known.
    assert!(before > first);
}

/// Fields of a message: number, and value or bytes.
enum Field<'a> {
    Number(u64, u64),
    Bytes(u64, &'a [u8]),
}

fn fields(mut bytes: &[u8]) -> Vec<Field<'_>> {
    fn varint(bytes: &mut &[u8]) -> u64 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let (&byte, rest) = bytes.split_first().expect("a byte");
            *bytes = rest;
            value |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let key = varint(&mut bytes);
        let value = varint(&mut bytes);
        found.push(if key & 7 == 2 {
            let (content, rest) = bytes.split_at(value as usize);
            bytes = rest;
            Field::Bytes(key >> 3, content)
        } else {
            assert_eq!(key & 7, 0);
            Field::Number(key >> 3, value)
        });
    }
    found
}

fn number(bytes: &[u8], wanted: u64) -> Option<u64> {
    fields(bytes).iter().find_map(|field| match *field {
        Field::Number(number, value) if number == wanted => Some(value),
        _ => None,
    })
}

fn content(bytes: &[u8], wanted: u64) -> Option<&[u8]> {
    fields(bytes).into_iter().find_map(|field| match field {
        Field::Bytes(number, content) if number == wanted => Some(content),
        _ => None,
    })
}

/// The trace of the sorting program for Perfetto; the path of the file.
fn perfetto(folder: &TempDir) -> String {
    let path = folder.path().join("sort.pftrace");
    let path = path.to_str().expect("text").to_owned();
    sorted(&["--format", "perfetto", "--out", &path]);
    path
}

#[test]
fn a_trace_for_perfetto_has_slices_in_pairs_with_names() {
    let folder = TempDir::new().expect("a folder");
    let bytes = fs::read(perfetto(&folder)).expect("a trace");
    let mut names: HashMap<u64, String> = HashMap::new();
    let (mut open, mut entered) = (Vec::new(), HashMap::<String, u64>::new());
    for field in fields(&bytes) {
        let Field::Bytes(1, packet) = field else {
            panic!("it is no packet");
        };
        if let Some(entry) = content(packet, 12).and_then(|interned| content(interned, 2)) {
            let name = content(entry, 2).expect("a name");
            let name = String::from_utf8(name.to_vec()).expect("text");
            names.insert(number(entry, 1).expect("a number"), name);
        }
        let Some(event) = content(packet, 11) else {
            assert_eq!(
                content(packet, 60).and_then(|track| number(track, 1)),
                Some(1)
            );
            continue;
        };
        let time = number(packet, 8).expect("a time");
        match number(event, 9) {
            Some(1) => {
                let name = &names[&number(event, 10).expect("a name")];
                *entered.entry(name.clone()).or_default() += 1;
                open.push(time);
            }
            Some(2) => assert!(open.pop() <= Some(time)),
            kind => panic!("{kind:?}"),
        }
    }
    assert!(open.is_empty());
    assert_eq!((entered["run"], entered["exception 14"]), (1, 211));
}

#[test]
fn a_time_line_has_what_an_itm_of_the_same_trace_reports() {
    let folder = TempDir::new().expect("a folder");
    let trace = common::beside_itm(folder.path(), SORT, 5);
    let out = folder.path().join("out.pftrace");
    let place = out.to_str().expect("text");
    let args = ["flow", &trace, "--elf", PROGRAM, "--format", "perfetto"];
    let ran = common::etm4(&[&args[..], &["--out", place]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(!ran.stderr.contains("skipped"), "{}", ran.stderr);
    assert!(ran.stderr.contains("ID 30: 1 of 3 marks"), "{}", ran.stderr);
    let bytes = fs::read(&out).expect("a trace");
    let (mut tracks, mut names) = (HashMap::new(), HashMap::new());
    let mut marks = Vec::new();
    for field in fields(&bytes) {
        let Field::Bytes(1, packet) = field else {
            panic!("it is no packet");
        };
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        if let Some(track) = content(packet, 60) {
            tracks.insert(number(track, 1), text(content(track, 2).expect("a name")));
        }
        if let Some(entry) = content(packet, 12).and_then(|interned| content(interned, 2)) {
            names.insert(number(entry, 1), text(content(entry, 2).expect("a name")));
        }
        if let Some(event) = content(packet, 11) {
            let track = &tracks[&number(event, 11)];
            if track.starts_with("ID 30") {
                let name = &names[&number(event, 10)];
                marks.push(format!("{:?} {track}: {name}", number(packet, 8)));
            }
        }
    }
    let want = ["ITM port 0: Hi", "exceptions: exception 15"];
    assert_eq!(marks, want.map(|mark| format!("Some(5) ID 30: {mark}")));
}

const READER: &str = "
import sys
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent
trace = Trace()
trace.ParseFromString(open(sys.argv[1], 'rb').read())
names, counts, depth = {}, {}, 0
for packet in trace.packet:
    for name in packet.interned_data.event_names:
        names[name.iid] = name.name
    if packet.HasField('track_event'):
        event = packet.track_event
        if event.type == TrackEvent.TYPE_SLICE_BEGIN:
            name = names[event.name_iid]
            counts[name] = counts.get(name, 0) + 1
            depth += 1
        elif event.type == TrackEvent.TYPE_SLICE_END:
            depth -= 1
print(depth, counts['run'], counts['exception 14'])
";

#[test]
#[ignore = "installs Perfetto's package for Python; the nightly stage viewers runs it"]
fn perfettos_own_messages_read_the_trace_back() {
    let folder = TempDir::new().expect("a folder");
    let trace = perfetto(&folder);
    let tools = common::root().join("target/perfetto");
    let run = |program: &Path, args: &[&str]| {
        let output = Command::new(program).args(args).output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let python = tools.join("bin/python");
    let install = || {
        let folder = tools.to_str()?;
        run(Path::new("python3"), &["-m", "venv", folder])?;
        run(
            &python,
            &["-m", "pip", "install", "--quiet", "perfetto==0.59.1"],
        )
    };
    if run(&python, &["-c", "import perfetto.protos"]).is_none() && install().is_none() {
        let required = std::env::var("ETM4_REQUIRE_TOOLS").as_deref() == Ok("1");
        assert!(
            !required,
            "no perfetto, and ETM4_REQUIRE_TOOLS=1 requires it"
        );
        println!("SKIPPED: Perfetto's package for Python cannot be installed");
        return;
    }
    let read = run(&python, &["-c", READER, &trace]).expect("the trace can be read");
    assert_eq!(read, "0 1 211");
}
