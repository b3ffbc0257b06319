// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that are measured, with their images.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use coretrace_capture::read_xz;
use coretrace_etm::{Registers, SourceConfig};

/// Streams are repeated to this many bytes.
const BYTES: usize = 256 * 1024;
/// Bytes of a page of an image.
const PAGE: usize = 4096;

/// Images by their addresses.
pub type Memory = Vec<(u64, Arc<[u8]>)>;

/// A stream of a real program.
pub struct Stream {
    pub name: String,
    pub source: SourceConfig,
    pub memory: Memory,
    pub bytes: Vec<u8>,
}

/// All streams of real programs.
pub fn all(own: &Path) -> Result<Vec<Stream>> {
    let mut streams = Vec::new();
    for row in fs::read_to_string(own.join("golden.tsv"))?.lines().skip(1) {
        let mut columns = row.split('\t');
        let (Some(name), Some(trcconfigr)) = (columns.next(), columns.next()) else {
            continue;
        };
        let registers = Registers {
            trcconfigr: u32::from_str_radix(trcconfigr.trim_start_matches("0x"), 16)?,
            trcidr0: 0x2800_0EA1,
            trcidr1: 0x4100_F403,
            trcidr2: 0x488,
            ..Registers::default()
        };
        let mut parts = name.split('.');
        let (Some(program), Some(isa)) = (parts.next(), parts.next()) else {
            continue;
        };
        let bytes = read_xz(&own.join(format!("{name}.xz")))?;
        streams.push(Stream {
            name: name.trim_end_matches(".etm").into(),
            source: SourceConfig {
                registers,
                ..SourceConfig::default()
            },
            memory: memory(&own.join(format!("{program}.{isa}.img.xz")))?,
            bytes: bytes.repeat(BYTES.div_ceil(bytes.len())),
        });
    }
    Ok(streams)
}

/// The pages of an image, joined where they follow each other.
fn memory(path: &Path) -> Result<Memory> {
    let mut pages = BTreeMap::new();
    for page in read_xz(path)?.chunks(8 + PAGE) {
        let (address, bytes) = page.split_first_chunk().context("an address")?;
        pages.insert(u64::from_le_bytes(*address), bytes.to_vec());
    }
    let mut joined: Vec<(u64, Vec<u8>)> = Vec::new();
    for (address, bytes) in pages {
        match joined.last_mut() {
            Some((start, last)) if *start + last.len() as u64 == address => last.extend(bytes),
            _ => joined.push((address, bytes)),
        }
    }
    let shared = joined
        .into_iter()
        .map(|(start, bytes)| (start, bytes.into()));
    Ok(shared.collect())
}
