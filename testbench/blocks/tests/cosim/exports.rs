// SPDX-License-Identifier: MIT OR Apache-2.0
//! The coverage and sensitivity of the co-simulation.

use crate::bench::recorded;
use crate::{BLOCKS, PRESETS, SEED};
use coretrace_hdl_etm::chained::AsyncDetector;
use coretrace_hdl_verilog::verilog;
use coretrace_pipelines::DecoderTop;
use coretrace_test_verilog::cosim::{Simulator, replay};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The crates of `hdl` that hold blocks.
const CRATES_OF_BLOCKS: [&str; 7] = [
    "coresight",
    "etm",
    "parts",
    "sink",
    "flow",
    "compress",
    "software",
];

/// Whether a paragraph of source declares a block, with the derive or with a macro.
fn declares_block(paragraph: &&str) -> bool {
    let derives = |line: &str| line.starts_with("#[derive(") && line.contains("LogicBlock");
    let calls =
        |line: &str| line.starts_with("kernel_block!") || line.starts_with("clocked_block!");
    paragraph.lines().any(|line| derives(line) || calls(line))
}

/// The public blocks of a source file.
fn declared_blocks(source: &str) -> impl Iterator<Item = &str> {
    let paragraphs = source.split("\n\n").filter(declares_block);
    paragraphs.filter_map(|paragraph| {
        let (_, name) = paragraph.split_once("pub struct ")?;
        name.split(|c: char| !c.is_alphanumeric()).next()
    })
}

#[test]
fn no_block_is_missing() {
    let hdl = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hdl");
    let mut declared = BTreeSet::new();
    let mut folders: Vec<PathBuf> = CRATES_OF_BLOCKS
        .iter()
        .map(|name| hdl.join(name).join("src"))
        .collect();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of blocks") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let source = fs::read_to_string(path).expect("a source");
                declared.extend(declared_blocks(&source).map(str::to_owned));
            }
        }
    }
    let tested = BLOCKS.iter().map(|(_, block)| block.to_string());
    assert_eq!(declared, tested.collect());
}

#[test]
fn no_decoder_is_missing() {
    let all = DecoderTop::ALL.iter().chain(&DecoderTop::BASELINES);
    let names = all.map(|top| top.name());
    let tested = PRESETS.iter().map(|(name, _)| *name);
    assert_eq!(names.collect::<BTreeSet<_>>(), tested.collect());
}

/// Top module of [`wrong_detectors`].
const DETECTOR: &str = "wrong_detector";

/// Texts of the A-Sync detector, each with another `&` made a `|`.
fn wrong_detectors() -> Vec<String> {
    let text = verilog(AsyncDetector::<4>::default(), DETECTOR).expect("no finding");
    let places = text.match_indices(" & ");
    places
        .map(|(at, operator)| format!("{} | {}", &text[..at], &text[at + operator.len()..]))
        .collect()
}

#[test]
fn a_wrong_bit_is_caught() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let recording = recorded::<AsyncDetector<4>>();
    let wrong = wrong_detectors().pop().expect("an operator");
    let outcome = replay(&recording, &wrong, DETECTOR, Simulator::Verilator).expect("a replay");
    assert!(
        !outcome.agrees(),
        "seed {SEED:#x}: nothing noticed in\n{wrong}"
    );
}

#[test]
fn every_wrong_operator_of_a_block_is_caught() {
    if skip_or_fail(Tool::Icarus) {
        return;
    }
    let recording = recorded::<AsyncDetector<4>>();
    let wrong = wrong_detectors();
    assert!(wrong.len() > 10, "{} operators", wrong.len());
    for text in wrong {
        let outcome = replay(&recording, &text, DETECTOR, Simulator::Icarus).expect("a replay");
        assert!(
            !outcome.agrees(),
            "seed {SEED:#x}: nothing noticed in\n{text}"
        );
    }
}
