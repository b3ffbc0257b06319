// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that are measured, with their images.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use coretrace_etm::SourceConfig;
use coretrace_test_gen::GoldenStream;

/// Streams are repeated to this many bytes.
const BYTES: usize = 256 * 1024;

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
    let stream = |golden: GoldenStream| {
        let memory = golden.memory()?.into_iter();
        Ok(Stream {
            memory: memory.map(|(start, bytes)| (start, bytes.into())).collect(),
            bytes: golden.bytes.repeat(BYTES.div_ceil(golden.bytes.len())),
            name: golden.name,
            source: golden.source,
        })
    };
    GoldenStream::all(own)?.into_iter().map(stream).collect()
}
