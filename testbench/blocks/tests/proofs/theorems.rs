// SPDX-License-Identifier: MIT OR Apache-2.0
//! The texts of the theorems: exported blocks, and the Verilog in `proofs/`.

use coretrace_hdl_etm::ConfigDecode;
use coretrace_hdl_etm::chained::{AsyncDetector, HeaderLookup, StreamStateProcess};
use coretrace_hdl_etm::jump::{JumpResults, JumpTable, StateLookup};
use coretrace_hdl_verilog::verilog;
use rust_hdl::prelude::Block;

use super::names::{Pasts, names};
use super::retime::word_function;
use super::solve::Theorem;

type Files = Vec<(String, String)>;

fn export<B: Block>(block: B, name: &str) -> String {
    verilog(block, name).unwrap_or_else(|findings| panic!("{name}:\n{findings}"))
}

/// A clocked block without its clock, and its state bits. `word` are the ports of a word, `lane`
/// those of each lane.
fn unclocked<B: Block>(
    block: B,
    name: &str,
    lanes: usize,
    word: &[&str],
    lane: &[&str],
) -> (String, usize) {
    let of_lane = |lane_number| lane.iter().map(move |port| format!("{port}_{lane_number}"));
    let mut inputs: Vec<String> = word.iter().map(ToString::to_string).collect();
    inputs.extend((0..lanes).flat_map(of_lane));
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    word_function(&export(block, name), &inputs).unwrap_or_else(|error| panic!("{name}: {error:#}"))
}

fn jump_table<const N: usize>(name: &str) -> (String, usize) {
    let block = JumpTable::<N, 0>::default();
    unclocked(block, name, N, &["flags_in"], &["octet", "lane_in"])
}

fn file(name: &str, text: impl Into<String>) -> (String, String) {
    (name.to_owned(), text.into())
}

macro_rules! fixed {
    ($($name:literal),*) => {
        [$(file($name, include_str!(concat!("../../proofs/", $name)))),*]
    };
}

/// The blocks of the chained decoder, for one byte.
fn chained() -> Files {
    let mut files: Files = vec![
        file(
            "config_decode.v",
            export(ConfigDecode::<1>::default(), "config_decode"),
        ),
        file(
            "header_lookup.v",
            export(HeaderLookup::<1>::default(), "header_lookup"),
        ),
        file(
            "async_detector.v",
            export(AsyncDetector::<1>::default(), "async_detector"),
        ),
        file(
            "stream_state_process.v",
            export(StreamStateProcess::<1>::default(), "stream_state_process"),
        ),
    ];
    files.extend(fixed!["byte_step.v", "abstraction.v"]);
    files
}

fn state_lookup() -> (String, String) {
    file(
        "state_lookup.v",
        export(StateLookup::<1>::default(), "state_lookup"),
    )
}

/// The invariant of the chained decoder holds after a byte if it holds before.
pub fn invariance() -> Theorem {
    let mut files = chained();
    files.push(file("names.vh", names(1, Pasts::default())));
    files.extend(fixed!["invariance.v"]);
    Theorem {
        top: "invariance",
        files,
    }
}

/// An A-Sync leads the chained decoder out of every state.
pub fn resync() -> Theorem {
    let mut files = chained();
    files.push(file("names.vh", names(1, Pasts::default())));
    files.extend(fixed!["resync.v"]);
    Theorem {
        top: "resync",
        files,
    }
}

/// A word of `N` bytes equals `N` bytes of the chained decoder.
pub fn word_step<const N: usize>() -> Theorem {
    let mut files = chained();
    let (table, table_past) = jump_table::<N>("jump_table");
    let pasts = Pasts {
        table: table_past,
        results: 0,
    };
    files.push(file("names.vh", names(N, pasts)));
    files.extend([file("jump_table.v", table), state_lookup()]);
    files.extend(fixed!["word_step.v"]);
    Theorem {
        top: "word_step",
        files,
    }
}

/// Every lane of a word has the state of the chained decoder.
pub fn word_results<const N: usize, const P: usize>() -> Theorem {
    let block = JumpResults::<N, P>::default();
    let word = ["flags", "resume", "state"];
    let lane = ["octet", "lane", "predecode"];
    let (text, results) = unclocked(block, "jump_results", N, &word, &lane);
    let (table, table_past) = jump_table::<N>("jump_table");
    let pasts = Pasts {
        table: table_past,
        results,
    };
    let mut files = chained();
    files.push(file("names.vh", names(N, pasts)));
    files.extend([
        file("jump_table.v", table),
        state_lookup(),
        file("jump_results.v", text),
    ]);
    files.extend(fixed!["word_step.v", "word_results.v"]);
    Theorem {
        top: "word_results",
        files,
    }
}

/// A word of `N` bytes equals a word of its first four bytes followed by one of the other `REST`.
pub fn word_split<const N: usize, const REST: usize>() -> Theorem {
    assert_eq!(N, REST + 4);
    let (whole, past) = jump_table::<N>("jump_table");
    let pasts = Pasts {
        table: past,
        results: 0,
    };
    let mut files: Files = vec![
        file("names.vh", names(N, pasts)),
        file("jump_table.v", whole),
        file("jump_table_four.v", jump_table::<4>("jump_table_four").0),
        file("jump_table_rest.v", jump_table::<REST>("jump_table_rest").0),
        state_lookup(),
    ];
    files.extend(fixed!["word_split.v"]);
    Theorem {
        top: "word_split",
        files,
    }
}
