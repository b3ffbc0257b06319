// SPDX-License-Identifier: MIT OR Apache-2.0
//! A profile as a report: the data of all formats, and the formats.

mod html;
mod rows;
mod svg;
mod text;

pub use html::write as write_html;
pub use rows::{write_json, write_tsv};
pub use text::write as write_text;

use std::cmp::Reverse;
use std::collections::BTreeMap;

use coretrace_program::{Place, Symbols};

use crate::{Axis, Counts, Profile, Sums, Timeline};

/// The sums of all files, and the counts over time of each.
pub struct Report<'a> {
    /// Files that are not empty.
    pub files: Vec<Timed>,
    /// Sources by trace ID.
    pub sources: Vec<SourceReport<'a>>,
    symbols: Symbols<'a>,
}

/// The counts over time of a file.
pub struct Timed {
    /// Its name.
    pub name: String,
    /// The counts.
    pub timeline: Timeline,
}

/// The sums of a source.
pub struct SourceReport<'a> {
    /// Trace ID.
    pub id: u8,
    /// The sums.
    pub sums: &'a Sums,
    /// Every address, the hottest first: by count, then by cycles.
    pub addresses: Vec<HotAddress>,
}

/// An address and its counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct HotAddress {
    /// The address, IS1 in bit 0.
    pub key: u64,
    /// Address packets.
    pub count: u64,
    /// Cycles while it was the newest address.
    pub cycles: u64,
}

impl HotAddress {
    /// The address alone.
    pub fn address(&self) -> u64 {
        self.key & !1
    }

    /// Instruction set bit.
    pub fn is(&self) -> u64 {
        self.key & 1
    }
}

impl<'a> Report<'a> {
    /// Sorts the sums.
    pub fn new(profile: &'a Profile, files: Vec<Timed>, symbols: Symbols<'a>) -> Report<'a> {
        let source = |(&id, sums): (&u8, &'a Sums)| SourceReport {
            id,
            sums,
            addresses: hottest_first(sums),
        };
        Report {
            files,
            sources: profile.sources.iter().map(source).collect(),
            symbols,
        }
    }

    /// Symbol and line of an address, as far as known.
    pub fn place(&self, address: &HotAddress) -> Place {
        self.symbols.place(address.key)
    }
}

fn hottest_first(sums: &Sums) -> Vec<HotAddress> {
    let mut by_key: BTreeMap<u64, HotAddress> = BTreeMap::new();
    for (&key, &count) in &sums.targets {
        by_key.entry(key).or_default().count = count;
    }
    for (&key, &cycles) in &sums.cycles {
        by_key.entry(key).or_default().cycles = cycles;
    }
    let with_key = |(key, address)| HotAddress { key, ..address };
    let mut addresses: Vec<HotAddress> = by_key.into_iter().map(with_key).collect();
    addresses.sort_by_key(|address| Reverse((address.count, address.cycles)));
    addresses
}

/// The sum of all counts.
pub fn total(counts: &Counts) -> u64 {
    counts
        .values()
        .fold(0, |sum, &count| sum.saturating_add(count))
}

/// The name of an axis.
pub fn axis_name(axis: Axis) -> &'static str {
    match axis {
        Axis::Mark => "mark",
        Axis::Timestamp => "timestamp",
        Axis::Record => "record",
    }
}

/// A part of a whole in percent.
pub fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
