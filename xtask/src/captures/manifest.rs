// SPDX-License-Identifier: MIT OR Apache-2.0
//! The manifest of OpenCSD's captures: which ones the documents mean.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::conformance::Captured;

/// Where the manifest is.
pub const MANIFEST: &str = "testbench/traces/opencsd.toml";

/// The contents of the manifest.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// The captures.
    #[serde(rename = "capture")]
    pub captures: Vec<Entry>,
}

/// One capture.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// The folder of the snapshot in the checkout.
    pub snapshot: String,
    /// SHA-256 of the trace, 64 hexadecimal digits.
    pub sha256: String,
    /// Packets of all sources that are decoded.
    pub packets: usize,
}

impl Manifest {
    /// Reads the manifest.
    ///
    /// # Errors
    /// If it cannot be read or is not well-formed.
    pub fn open(root: &Path) -> Result<Manifest> {
        let text = fs::read_to_string(root.join(MANIFEST))
            .with_context(|| format!("cannot read {MANIFEST}"))?;
        toml::from_str(&text).with_context(|| format!("{MANIFEST} is not well-formed"))
    }

    /// The captures that are not there or other ones, a line each.
    pub fn missing(&self, captured: &[Captured]) -> Vec<String> {
        let is_there = |entry: &Entry| {
            captured.iter().any(|captured| {
                matches!(captured, Captured::Equal { snapshot, sha256, packets, .. }
                    if *snapshot == entry.snapshot
                        && *sha256 == entry.sha256
                        && *packets == entry.packets)
            })
        };
        let absent = self.captures.iter().filter(|entry| !is_there(entry));
        absent
            .map(|entry| {
                let Entry {
                    snapshot, packets, ..
                } = entry;
                format!(
                    "{snapshot}: {MANIFEST} has it with {packets} packets, this checkout has not"
                )
            })
            .collect()
    }
}
