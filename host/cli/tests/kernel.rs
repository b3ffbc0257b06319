// SPDX-License-Identifier: MIT OR Apache-2.0
//! A program that the kernel interrupts: what ran at EL1 is in the image of the kernel, and what ran at EL0
//! in that of the program.

mod common;
mod two_programs;

use std::collections::{BTreeMap, BTreeSet};

use common::{etm4, good, store_bytes};
use coretrace_test_gen::trace_unit::{Interrupts, Page, TraceUnit, TracedRange};
use serde_json::Value;
use tempfile::TempDir;
use two_programs::{EXEC, ONE, elf_of, recording_of};

/// Where `vmlinux` is linked to be. It ran at the address of the page with the handler.
const LINKED: u64 = 0xFFFF_8000_8000_0000;
/// Where interrupts lead, and the function that is called there.
const VECTOR: u64 = 0x480;
const CALLED: u64 = 0x498;
/// Addresses of the kernel.
const KERNEL: u64 = 1 << 63;

/// A recording of a program with interrupts, its files, and what ran.
struct Recorded {
    folder: TempDir,
    data: String,
    program: String,
    kernel: Page,
    ran: Vec<TracedRange>,
}

impl Recorded {
    fn new() -> Recorded {
        let unit = TraceUnit {
            cid: Some(100),
            interrupts: Interrupts::At(vec![40, 203, 400]),
            traces_handler: true,
            ..TraceUnit::default()
        };
        let trace = ONE.trace();
        let mut ran = Vec::new();
        let stream = unit.trace(&trace, &mut ran);
        let pages = unit.pages(&trace).expect("code");
        let kernel = pages.into_iter().find(|page| page.address >= KERNEL);
        let kernel = kernel.expect("the handler");
        let folder = TempDir::new().expect("a folder");
        let data = recording_of(folder.path(), &unit.registers(), &stream, |sideband| {
            sideband.map_kernel(kernel.address);
            sideband.comm(100, 100, EXEC, ONE.name);
            sideband.map(100, &ONE);
        });
        Recorded {
            program: ONE.elf(folder.path()),
            folder,
            data,
            kernel,
            ran,
        }
    }

    /// The image of the kernel as a file with symbols, linked elsewhere; its path.
    fn vmlinux(&self) -> String {
        let symbols = [("_text", 0), ("vector_irq", VECTOR), ("do_irq", CALLED)];
        let symbols = symbols.map(|(name, offset)| (name.to_owned(), offset));
        let text = self.kernel.bytes.clone();
        elf_of(self.folder.path(), "vmlinux", (LINKED, text), &symbols)
    }

    /// The image of the kernel as bytes at its address, in a memory space.
    fn dump(&self, space: &str) -> String {
        let file = store_bytes(self.folder.path(), "kernel.bin", &self.kernel.bytes);
        format!("{file}@{:#x},space={space}", self.kernel.address)
    }

    fn arguments<'a>(&'a self, command: &'a str, more: &[&'a str]) -> Vec<&'a str> {
        [&[command, &self.data, "--elf", &self.program], more].concat()
    }

    /// The first and last addresses of the ranges that were followed.
    fn followed(&self, more: &[&str]) -> Vec<(u64, u64)> {
        let more = [more, &["--format", "json"]].concat();
        let elements = good(&self.arguments("elements", &more));
        let address = |value: &Value| {
            let digits = value.as_str().expect("text").trim_start_matches("0x");
            u64::from_str_radix(digits, 16).expect("an address")
        };
        let objects = elements.lines().map(serde_json::from_str);
        let objects = objects.map(|object| object.expect("JSON"));
        let ranges = objects.filter(|object: &Value| object["type"] == "INSTR_RANGE");
        ranges
            .map(|range| (address(&range["start"]), address(&range["end"])))
            .collect()
    }

    /// What ran, of the kernel too or of the program alone.
    fn want(&self, has_kernel: bool) -> Vec<(u64, u64)> {
        let ranges = self.ran.iter().map(|range| (range.start, range.end));
        ranges
            .filter(|(start, _)| has_kernel || *start < KERNEL)
            .collect()
    }

    /// Instructions by the names of rows.
    fn rows(&self, by: &str, more: &[&str]) -> BTreeMap<String, (u64, Value)> {
        let more = [more, &["--by", by, "--format", "json"]].concat();
        let rows = good(&self.arguments("profile", &more));
        let rows = rows.lines().map(serde_json::from_str);
        let rows = rows.map(|row| row.expect("JSON"));
        let rows = rows.filter(|row: &Value| row["type"] == by);
        let row = |row: Value| {
            let name = row["name"].as_str().expect("a name").to_owned();
            (name, (row["instructions"].as_u64().expect("a number"), row))
        };
        rows.map(row).collect()
    }
}

#[test]
fn a_vmlinux_is_followed_where_the_recording_says_that_it_ran() {
    let recorded = Recorded::new();
    let vmlinux = recorded.vmlinux();
    let kernel = ["--elf", &vmlinux];
    assert_eq!(recorded.followed(&kernel), recorded.want(true));
    assert_eq!(recorded.followed(&[]), recorded.want(false));
    assert!(recorded.want(false).len() + 9 < recorded.want(true).len());
    let check = [&kernel[..], &["--check"]].concat();
    assert_eq!(good(&recorded.arguments("elements", &check)), "");

    let functions = recorded.rows("function", &kernel);
    let names: BTreeSet<&str> = functions.keys().map(String::as_str).collect();
    let want = ["do_irq", "main_one", "vector_irq", "work_one"];
    assert_eq!(names, BTreeSet::from(want));
    for (name, (_, row)) in &functions {
        let program = row["program"].as_str().expect("a program");
        assert_eq!(program == vmlinux, name.ends_with("irq"), "{row}");
    }
    let levels = recorded.rows("el", &kernel);
    for (level, names) in [
        ("EL1", ["vector_irq", "do_irq"]),
        ("EL0", ["main_one", "work_one"]),
    ] {
        let sum: u64 = names.iter().map(|name| functions[*name].0).sum();
        assert_eq!(levels[level].0, sum, "{level}");
    }
    let folded = recorded.arguments("profile", &["--elf", &vmlinux, "--format", "folded"]);
    assert!(good(&folded).contains(";vector_irq;do_irq "));
}

#[test]
fn a_dump_of_the_kernel_is_seen_in_its_space_alone() {
    let recorded = Recorded::new();
    for (space, has_kernel) in [("EL1N", true), ("EL2", false), ("S", false)] {
        let dump = recorded.dump(space);
        let found = recorded.followed(&["--image", &dump]);
        assert_eq!(found, recorded.want(has_kernel), "{space}");
    }
    let dump = recorded.dump("EL2");
    let ran = etm4(&recorded.arguments("profile", &["--image", &dump]));
    assert!(
        ran.stdout.contains("places without an image"),
        "{}",
        ran.stdout
    );
}
