// SPDX-License-Identifier: MIT OR Apache-2.0
//! Real programs: the configurations of the streams that OpenCSD has confirmed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::{read_xz, read_xz_text};
use coretrace_decode::Policy;
use coretrace_flow::{Element, ElementSink, StreamFlow};
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::trace_unit::{Interrupts, Page, TraceUnit, TracedRange};
use coretrace_test_support::shared_dir;

use crate::walk::{assert_equal, follow, images, there_and_back};

/// Instructions that the streams have, at least.
const INSTRUCTIONS: u64 = 150_000;
/// Addresses of the kernel.
const KERNEL: u64 = 1 << 63;

/// A row of the list of streams.
struct Golden {
    name: String,
    /// The program and its instruction set.
    program: String,
    unit: TraceUnit,
    trcconfigr: u32,
    bytes: u64,
    /// Encodings are longer than they need be.
    is_longer: bool,
    ranges: PathBuf,
}

fn number(text: &str) -> u64 {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .expect("a number")
}

fn golden(own: &Path, row: &str) -> Golden {
    let columns: Vec<&str> = row.split('\t').collect();
    let [stream, trcconfigr, options, _, _, bytes, ..] = columns[..] else {
        panic!("{row}");
    };
    let [program, isa, kind, _] = stream.split('.').collect::<Vec<_>>()[..] else {
        panic!("{row}");
    };
    let mut unit = TraceUnit::default();
    let mut is_longer = false;
    for option in options.split(',') {
        let (name, value) = option.split_once('=').unwrap_or((option, "0"));
        let value = number(value);
        match name {
            "none" => {}
            "rs" => unit.return_stack = value as usize,
            "bb" => unit.broadcast = true,
            "cc" => unit.cycle_threshold = Some(value as u32),
            "ts" => unit.timestamp_cycles = Some(value),
            "cid" => unit.cid = Some(value as u32),
            "vmid" => unit.vmid = Some(value as u8),
            "sync" => unit.sync_bytes = Some(value),
            "kern" => unit.traces_handler = true,
            // Their places are in the stream.
            "irq" => {}
            "fuzz" => is_longer = true,
            _ => panic!("{row}"),
        }
    }
    let its_own = own.join(format!("{program}.{isa}.{kind}.ranges.xz"));
    Golden {
        name: stream.to_owned(),
        program: format!("{program}.{isa}"),
        unit,
        trcconfigr: number(trcconfigr) as u32,
        bytes: number(bytes),
        is_longer,
        ranges: if its_own.is_file() {
            its_own
        } else {
            own.join(format!("{program}.{isa}.ranges.xz"))
        },
    }
}

fn ranges(path: &Path) -> Vec<TracedRange> {
    let text = read_xz_text(path).expect("ranges");
    let range = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let [start, end, _, outcome] = words[..] else {
            panic!("{line}");
        };
        let address = |text| u64::from_str_radix(text, 16).expect("an address");
        TracedRange {
            start: address(start),
            end: address(end),
            taken: Some(outcome == "E"),
        }
    };
    text.lines().map(range).collect()
}

/// The instructions of the program in front of each exception, and all of them.
#[derive(Default)]
struct Program {
    retired: u64,
    exceptions: Vec<u64>,
}

impl ElementSink for Program {
    fn element(&mut self, _: u64, element: &Element) {
        match element {
            Element::Range(range) if range.start & KERNEL == 0 => {
                self.retired += u64::from(range.count);
            }
            Element::Exception { .. } => self.exceptions.push(self.retired),
            _ => {}
        }
    }
}

/// The pages of an `.img`.
fn pages(path: &Path) -> Vec<Page> {
    let bytes = read_xz(path).expect("an image");
    let page = |page: &[u8]| {
        let (address, bytes) = page.split_first_chunk().expect("an address");
        Page {
            address: u64::from_le_bytes(*address),
            bytes: bytes.to_vec(),
        }
    };
    bytes.chunks(8 + 4096).map(page).collect()
}

/// A range that an exception ends counts as taken there.
fn as_listed(ranges: &[TracedRange]) -> Vec<TracedRange> {
    let listed = |range: &TracedRange| TracedRange {
        taken: Some(range.taken.unwrap_or(true)),
        ..*range
    };
    ranges.iter().map(listed).collect()
}

#[test]
fn the_configurations_of_the_golden_streams_give_their_ranges_and_sizes() {
    let Some(shared) = shared_dir() else { return };
    let own = shared.join("workloads/own");
    let list = fs::read_to_string(own.join("golden.tsv")).expect("a list");
    let mut traces: BTreeMap<String, BranchTrace> = BTreeMap::new();
    println!(
        "{:<28} {:>8} {:>8} {:>7}",
        "stream", "golden", "model", "ratio"
    );
    let mut streams = 0;
    for row in list.lines().skip(1) {
        let mut golden = golden(&own, row);
        let (name, program) = (golden.name.clone(), golden.program.clone());
        let (name, program) = (&name, &program);
        let trace = traces.entry(program.clone()).or_insert_with(|| {
            let file = read_xz(&own.join(format!("{program}.btr.xz"))).expect("a trace");
            BranchTrace::read(&file)
                .expect("a branch trace")
                .prefix(INSTRUCTIONS)
        });
        let truth = ranges(&golden.ranges);
        let given = images(&pages(&own.join(format!("{program}.img.xz"))));
        let mut seen = Program::default();
        let mut flow = StreamFlow::new(&golden.unit.source(), given.clone(), Policy::Resync);
        flow.feed(
            &read_xz(&own.join(format!("{name}.xz"))).expect("a stream"),
            &mut seen,
        );
        flow.finish(&mut seen);
        golden.unit.interrupts = Interrupts::At(seen.exceptions);
        let unit = &golden.unit;
        let trace = trace.prefix(seen.retired);
        assert_eq!(unit.registers().trcconfigr, golden.trcconfigr, "{name}");

        let stream = unit.trace(&trace, &mut ());
        let made = images(&unit.pages(&trace).expect("instructions"));
        for images in [made, given] {
            let walk = follow(unit, &images, &stream, name);
            assert_equal(&as_listed(&walk.ranges), &truth, name);
        }
        let ratio = stream.len() as f64 / golden.bytes as f64;
        println!(
            "{name:<28} {:>8} {:>8} {ratio:>7.3}",
            golden.bytes,
            stream.len()
        );
        assert!(
            golden.is_longer || (0.97..1.03).contains(&ratio),
            "{name}: {ratio}"
        );
        streams += 1;
    }
    assert!(streams > 90, "only {streams} streams");
}

/// Every program from its first instruction to its last, through the settings that send most and
/// least.
#[test]
#[ignore = "long: cargo xtask nightly"]
fn whole_programs_give_what_was_executed() {
    let Some(shared) = shared_dir() else { return };
    let mut programs = 0;
    for folder in ["own", "a64-debian", "a32-mibench"] {
        let files = fs::read_dir(shared.join("workloads").join(folder)).expect("a folder");
        for file in files {
            let path = file.expect("a file").path();
            let name = path.display().to_string();
            // The ranges of the longest one do not fit.
            if !name.ends_with(".btr.xz") || name.contains("a32-mibench/tiff2bw") {
                continue;
            }
            let file = read_xz(&path).expect("a trace");
            let trace = BranchTrace::read(&file).expect("a branch trace");
            for (broadcast, return_stack) in [(false, 3), (true, 0)] {
                let unit = TraceUnit {
                    broadcast,
                    return_stack,
                    cycle_threshold: broadcast.then_some(4),
                    timestamp_cycles: broadcast.then_some(1000),
                    sync_bytes: Some(4096),
                    ..TraceUnit::default()
                };
                there_and_back(&unit, &trace, &name);
            }
            programs += 1;
        }
    }
    assert!(programs > 20, "only {programs} programs");
}
