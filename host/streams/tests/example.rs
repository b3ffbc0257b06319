// SPDX-License-Identifier: MIT OR Apache-2.0
//! The worked example of `docs/records.md` is what the writer makes of its bytes.

mod common;

use common::{Contents, model, start, written};
use coretrace_abi::record_stream::MAX_PACKET_WORDS;
use coretrace_etm::{ArchProfile, Protocol, Registers};
use coretrace_streams::as_transmitted;
use coretrace_test_gen::RegisterSet;

/// The code blocks and the lines of the table behind a heading.
fn section() -> (Vec<u8>, Vec<u32>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/records.md");
    let text = std::fs::read_to_string(path).expect("the document");
    let (_, rest) = text.split_once("### Example\n").expect("an example");
    let (example, _) = rest.split_once("\n## ").expect("a section behind it");
    let block = example.split("```").nth(1).expect("bytes");
    let hex = |text: &str| u32::from_str_radix(text, 16).ok();
    let bytes = block.lines().skip(1).flat_map(|line| {
        let words = line.split_whitespace();
        words.map_while(|word| hex(word).filter(|_| word.len() == 2).map(|byte| byte as u8))
    });
    let rows = example.lines().filter(|line| line.starts_with("| "));
    let values = rows.flat_map(|row| {
        let value = row.split('|').nth(2).unwrap_or_default();
        let words = value.split_whitespace().map(|word| word.trim_matches('`'));
        words.filter(|word| word.len() == 8).filter_map(hex)
    });
    (bytes.collect(), values.collect())
}

#[test]
fn the_example_of_the_document_is_what_the_writer_makes() {
    let (bytes, words) = section();
    let mut set = RegisterSet::by_name("a53").expect("a set");
    set.protocol = Protocol::Etm4;
    set.profile = ArchProfile::A;
    set.registers = Registers {
        trcconfigr: 0x11,
        trcidr0: 0x2800_0EA1,
        trcidr1: 0x4100_F403,
        trcidr2: 0x488,
        ..Registers::ZERO
    };
    let records = model(&bytes, &set, false);
    let made = written(start(&set, false, false), &records, MAX_PACKET_WORDS);
    assert!(made == words, "{made:08x?} in place of {words:08x?}");
    let got = Contents::of_words(&words);
    assert_eq!(got.records, as_transmitted(records));
    assert!(got.records.len() > 10);
}
