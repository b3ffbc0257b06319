// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is measured, and how; the readers are those of the program that includes this.

use std::path::Path;
use std::time::{Duration, Instant};

use coretrace_abi::profile_stream::{Entry, EntryKind, VERSION};
use coretrace_capture::{Capture, decode_in_model, source_streams};
use coretrace_decode::Policy;
use coretrace_etm::{ArchProfile, Record};
use coretrace_profile::entry_of;
use coretrace_streams::{Item, Start};

/// The records of a source.
pub struct Set {
    pub name: &'static str,
    pub start: Start,
    pub records: Vec<Record>,
    /// Their entries, each of one record, as words.
    pub entries: Vec<u32>,
}

/// Records of a set, at least.
const RECORDS: usize = 1_000_000;

/// The captures that the project ships, read again and again.
pub fn sets(root: &Path) -> Vec<Set> {
    ["sort-a64", "adpcm-a32"].map(|name| set(root, name)).into()
}

fn set(root: &Path, name: &'static str) -> Set {
    let folder = root.join("testbench/traces").join(name);
    let capture = Capture::open(&folder).expect("a capture of the project");
    let stream = source_streams(&capture).swap_remove(0);
    let mut once = Vec::new();
    decode_in_model(&stream, Policy::Resync, |_| {}, |record| once.push(*record));
    let mut records = Vec::new();
    while records.len() < RECORDS {
        records.extend(&once);
    }
    let start = Start {
        trace_id: 0x10,
        protocol: stream.protocol,
        v8m: stream.source.profile == ArchProfile::M8,
        registers: stream.source.registers,
        ..Start::default()
    };
    let begin = Entry {
        kind: EntryKind::Start,
        trace_id: start.trace_id,
        weight: VERSION,
        key: 0,
    };
    let of_records = records
        .iter()
        .filter_map(|record| entry_of(start.trace_id, &Item::Record(record)));
    let entries = std::iter::once(begin).chain(of_records);
    let entries = entries.flat_map(|entry| entry.words()).collect();
    Set {
        name,
        start,
        records,
        entries,
    }
}

/// The least seconds of some runs.
pub fn seconds(mut run: impl FnMut()) -> f64 {
    let mut least = Duration::MAX;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(2) {
        let turn = Instant::now();
        run();
        least = turn.elapsed().min(least);
    }
    least.as_secs_f64()
}

/// A line: the set, what was done, nanoseconds for each record or entry, megabytes in a second.
pub fn print(set: &Set, what: &str, count: usize, words: &[u32], seconds: f64) {
    println!(
        "{}\t{what}\t{:.2}\t{:.0}",
        set.name,
        seconds * 1e9 / count as f64,
        words.len() as f64 * 4e-6 / seconds
    );
}
