// SPDX-License-Identifier: MIT OR Apache-2.0
//! Addresses of loads and stores of recorded programs.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use coretrace_capture::read_xz_text;
use coretrace_compress::DataAddresses;

/// Bits of an address.
const ADDRESS_BITS: u64 = 32;

/// What the cache of strides makes of a program.
pub struct Accesses {
    /// The name of the recording.
    pub name: String,
    /// Loads and stores.
    pub count: u64,
    /// How many times fewer bits than the addresses.
    pub ratio: f64,
}

/// Compresses the accesses of all recordings of a folder.
///
/// # Errors
/// If one cannot be read.
pub fn of_folder(folder: &Path) -> Result<Vec<Accesses>> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path().join("trace.txt.xz");
        if path.is_file() {
            let name = path.parent().and_then(Path::file_name);
            let name = name.unwrap_or_default().to_string_lossy().into_owned();
            all.push(of_text(name, &read_xz_text(&path)?)?);
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(all)
}

/// Of lines with the address of an instruction, its word, and its accesses.
fn of_text(name: String, text: &str) -> Result<Accesses> {
    let number = |field: &str| u64::from_str_radix(field, 16).context("a number is expected");
    let mut encoder = DataAddresses::new(false);
    for line in text.lines() {
        let mut fields = line.split(' ');
        let pc = number(fields.next().unwrap_or_default())?;
        for access in fields.skip(1) {
            let address = access.split(':').nth(1).unwrap_or_default();
            encoder.access(pc, number(address)?);
        }
    }
    let trace = encoder.finish();
    let bits = trace.hits.len() + trace.misses.len();
    Ok(Accesses {
        name,
        count: trace.accesses,
        ratio: (ADDRESS_BITS * trace.accesses) as f64 / bits.max(1) as f64,
    })
}
