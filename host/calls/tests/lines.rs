// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of sources in the list of calls. The program is this test, as if it were one for an Arm core:
//! names and lines do not depend on the instructions.

use std::fs;

use coretrace_calls::{
    At, Begin, Callee, Event, FlowList, ListFormat, Thread, ThreadSymbols, What,
};
use coretrace_isa::Isa;
use coretrace_program::Program;
use tempfile::TempDir;

/// Where an ELF file names its machine, and the number of AArch64.
const MACHINE: usize = 18;
const AARCH64: u16 = 183;

/// A function of several lines.
#[inline(never)]
fn marked(number: u64) -> u64 {
    let half = std::hint::black_box(number) / 2;
    let sum = std::hint::black_box(half) + 3;
    std::hint::black_box(sum) * 5
}

#[test]
fn lines_are_listed_where_they_are_entered() {
    assert_eq!(marked(4), 25);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("program");
    let this = std::env::current_exe().expect("this program");
    let mut bytes = fs::read(this).expect("this program");
    bytes[MACHINE..MACHINE + 2].copy_from_slice(&AARCH64.to_le_bytes());
    fs::write(&path, bytes).expect("written");
    let mut program = Program::default();
    program.add_file(&path, None).expect("a program");
    let symbols = program.symbols().expect("symbols");
    let [(None, start)] = symbols.functions_named("lines::marked")[..] else {
        panic!("it is there once");
    };
    let symbols = ThreadSymbols::from(symbols);
    let thread = Thread::default();
    let at = At::default();
    let whats = [
        What::Enter(Callee::Function(start.into()), 0, Begin::Other),
        What::Ran {
            start,
            end: start + 16,
            count: 4,
            isa: Isa::A64,
        },
    ];
    let list = |format, has_lines| {
        let mut list = FlowList::new(&symbols, format, has_lines);
        for what in whats {
            list.event(&Event { at, thread, what });
        }
        list.text
    };
    let text = list(ListFormat::Text, true);
    let first = text.lines().nth(1).expect("a line of the source");
    assert!(first.contains("tests/lines.rs:"), "{text}");
    assert_eq!(list(ListFormat::Text, false).lines().count(), 1);
    let json = list(ListFormat::Json, true);
    let object: serde_json::Value =
        serde_json::from_str(json.lines().nth(1).expect("an object")).expect("JSON");
    assert_eq!(object["type"], "LINE");
    assert_eq!(object["address"], format!("{start:#x}"));
    let line = object["line"].as_u64().expect("a number");
    assert!((18..=26).contains(&line), "{object}");
}
