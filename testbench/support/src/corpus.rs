// SPDX-License-Identifier: MIT OR Apache-2.0
//! The corpus: captures with the lists that OpenCSD 1.3.3 made of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use coretrace_capture::Capture;

use crate::shared_dir;

/// Captures that show OpenCSD's one deviation, with the number of packets after which the newest
/// address differs.
///
/// A 32-bit address leaves the upper half of the address as it is (Arm IHI 0064, Address
/// instruction trace packets). OpenCSD clears it unless the context is known to be AArch64. Only
/// the model's OpenCSD policy does the same; real programs show no difference, random streams do.
pub const OPENCSD_CLEARS_UPPER_HALVES: [(&str, usize); 7] = [
    ("hand-all-types", 693),
    ("hand-commopt1", 265),
    ("hand-ete", 461),
    ("hand-frames", 396),
    ("hand-sync", 23),
    ("hand-tpiu-fsync", 396),
    ("hand-tpiu-hsync", 396),
];

/// Captures of an ETMv4 or ETE that have a golden list, with their folders.
///
/// # Panics
/// If the corpus is not the expected one.
pub fn golden_captures() -> Vec<(PathBuf, Capture)> {
    let Some(shared) = shared_dir() else {
        return Vec::new();
    };
    let mut folders: Vec<PathBuf> = fs::read_dir(shared.join("corpus"))
        .expect("the corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|folder| folder.join("packets.tsv.xz").exists())
        .collect();
    folders.sort();
    let captures: Vec<_> = folders
        .into_iter()
        .map(|folder| {
            let capture = Capture::open(&folder).expect("a good capture");
            (folder, capture)
        })
        .filter(|(_, capture)| capture.sources.iter().any(|source| source.config.is_some()))
        .collect();
    assert!(!captures.is_empty(), "captures with golden packets");
    captures
}

/// The golden rows of each ID, from the name on. The column before is OpenCSD's own count.
///
/// # Panics
/// If the text is not a packet list.
pub fn golden_rows(text: &str) -> BTreeMap<u8, Vec<&str>> {
    let mut rows: BTreeMap<u8, Vec<&str>> = BTreeMap::new();
    for line in text.lines() {
        let mut columns = line.splitn(3, '\t');
        let id = columns.nth(1).expect("an ID");
        let id = u8::from_str_radix(id, 16).expect("a hexadecimal ID");
        rows.entry(id)
            .or_default()
            .push(columns.next().expect("a name"));
    }
    rows
}
