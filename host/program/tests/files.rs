// SPDX-License-Identifier: MIT OR Apache-2.0
//! Functions, lines and inlined calls of the program that the project ships.

use std::path::{Path, PathBuf};

use coretrace_program::{Frame, Linked, Program};

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/traces/sort-a64/sort.elf")
}

fn program(address: Option<u64>) -> Program {
    let mut program = Program::default();
    program.add_file(&path(), address).expect("a program");
    program
}

#[test]
fn a_moved_program_has_its_addresses_where_they_are_linked() {
    let program = program(Some(0x7000_0000));
    let symbols = program.symbols().expect("symbols");
    let linked = symbols.link(0x7000_01A4).expect("an address of it");
    let (file, address) = (linked.file, linked.address);
    assert_eq!((file, address), (0, 0x40_01A4));
    assert_eq!(
        symbols.link(0x7000_01A8).map(|it| it.rest),
        Some(linked.rest - 4)
    );
    assert_eq!(symbols.link(0x40_01A4), None);
    let last = 0x7000_01A4 + linked.rest - 1;
    assert!(matches!(symbols.link(last), Some(Linked { rest: 1, .. })));
    let file = &symbols.files()[file];
    assert_eq!(file.path(), path());
    let (function, part) = file.function_at(address).expect("a function");
    assert_eq!(
        (function.name, function.start, function.end),
        ("c_low", 0x40_01A0, 0x40_01D8)
    );
    assert_eq!(part, function.start..function.end);
    assert!(function.is_function && function.is_local, "{function:?}");
    let next = file.next_function(function.start).expect("a function");
    assert_eq!(
        file.function_at(next).map(|(function, _)| function.name),
        Some("ins")
    );
}

#[test]
fn every_function_of_a_program_is_listed_once() {
    let program = program(None);
    let symbols = program.symbols().expect("symbols");
    let functions = symbols.files()[0].functions();
    let functions = functions.iter().filter(|function| function.is_function);
    let names: Vec<&str> = functions.map(|function| function.name).collect();
    let want = [
        "c_up",
        "c_low",
        "ins",
        "qs.constprop.0",
        "walk",
        "memcpy",
        "memset",
        "raise",
        "run",
        "_start",
    ];
    assert_eq!(names, want);
}

#[test]
fn lines_are_in_the_addresses_that_were_asked_for() {
    let program = program(None);
    let symbols = program.symbols().expect("symbols");
    let file = &symbols.files()[0];
    let lines = file.lines(0x40_01A4, 0x40_01D0);
    assert!(!lines.is_empty());
    for line in &lines {
        assert!(
            0x40_01A4 <= line.start && line.start < line.end && line.end <= 0x40_01D0,
            "{line:?}"
        );
        assert_eq!((line.file, line.line), ("./sort.c", 3));
    }
    let bytes: u64 = lines.iter().map(|line| line.end - line.start).sum();
    assert_eq!(bytes, 0x2C);
    assert_eq!(file.lines(0x10, 0x20), []);
}

#[test]
fn an_inlined_function_is_in_front_of_its_caller() {
    let program = program(None);
    let symbols = program.symbols().expect("symbols");
    let file = &symbols.files()[0];
    let names = |frames: Vec<Frame>| -> Vec<Option<String>> {
        frames.into_iter().map(|frame| frame.function).collect()
    };
    // In the loop of the program's own random numbers.
    assert_eq!(
        names(file.frames(0x40_08B0)),
        [Some("rnd".to_owned()), Some("run".to_owned())]
    );
    assert_eq!(names(file.frames(0x40_01A0)), [Some("c_low".to_owned())]);
    assert_eq!(file.frames(0x10), []);
}
