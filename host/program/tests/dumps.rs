// SPDX-License-Identifier: MIT OR Apache-2.0
//! Memory dumps with an ELF file at their beginning.

use std::fs;
use std::path::Path;

use coretrace_program::{DumpedFile, hex};

/// The build ID of the program of `testbench/traces`, and where its note is.
const BUILD_ID: &str = "e04d7767bba14edde3ead38454295ecb8ea82ace";
const NOTE: std::ops::Range<usize> = 0x158..0x17C;

/// The program header of the note, and in it the place of the address.
const NOTE_HEADER: usize = 64 + 2 * 56;
const ADDRESS: usize = 16;

/// What is in memory of it: its first segment is at the beginning of the file.
fn dump() -> Vec<u8> {
    let program = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join("testbench/traces/sort-a64/sort.elf");
    let mut bytes = fs::read(program).expect("a program");
    bytes.truncate(0x1000);
    bytes
}

#[test]
fn a_dump_has_the_build_id_of_the_file_at_its_beginning() {
    let file = DumpedFile::of(&dump()).expect("a file");
    assert_eq!(hex(&file.build_id), BUILD_ID);
    assert_eq!(file.size, 0x41_FFE8 + 0x1_3898 - 0x40_0000);
    assert_eq!(DumpedFile::of(&dump()[4..]), None);
}

#[test]
fn the_note_is_where_it_was_loaded_and_not_where_it_is_in_the_file() {
    let mut bytes = dump();
    let note = bytes[NOTE].to_vec();
    bytes[NOTE].fill(0);
    assert_eq!(DumpedFile::of(&bytes), None);
    bytes.resize(0x2100, 0);
    bytes.extend(note);
    let address = NOTE_HEADER + ADDRESS;
    bytes[address..address + 8].copy_from_slice(&0x40_2100_u64.to_le_bytes());
    let file = DumpedFile::of(&bytes).expect("a file");
    assert_eq!(hex(&file.build_id), BUILD_ID);
}

#[test]
fn no_cut_and_no_changed_byte_of_a_dump_panics() {
    let whole = dump();
    for len in 0..whole.len() {
        let is_there = DumpedFile::of(&whole[..len]).is_some();
        assert_eq!(is_there, len >= NOTE.end, "{len}");
    }
    for place in 0..NOTE.end {
        for value in [0, 1, 0x7F, 0x80, 0xFF] {
            let mut bytes = whole.clone();
            bytes[place] = value;
            let _ = DumpedFile::of(&bytes);
        }
    }
}
