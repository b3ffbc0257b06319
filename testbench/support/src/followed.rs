// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures whose programs can be followed: with what was in memory.

use std::path::Path;

use coretrace_capture::{Capture, SourceStream, open_folder, source_streams};
use coretrace_etm::SourceConfig;

/// A capture with what was in memory.
pub struct FollowedCapture {
    /// Addresses and the bytes there.
    pub memory: Vec<(u64, Vec<u8>)>,
    /// The sources, each with its stream.
    pub streams: Vec<(SourceConfig, SourceStream)>,
}

impl FollowedCapture {
    /// The capture in a folder; none if that has none.
    ///
    /// # Panics
    /// If a memory image cannot be read.
    pub fn open(folder: &Path) -> Option<FollowedCapture> {
        let capture = Capture::open(folder).ok()?;
        let trace = open_folder(folder).expect("a capture");
        let memory = trace.memory.iter();
        let with_source = |stream: SourceStream| {
            let source = SourceConfig {
                protocol: stream.protocol,
                profile: stream.source.profile,
                registers: stream.source.registers,
                lenient: false,
            };
            (source, stream)
        };
        Some(FollowedCapture {
            memory: memory
                .map(|image| (image.address, image.read().expect("an image")))
                .collect(),
            streams: source_streams(&capture)
                .into_iter()
                .map(with_source)
                .collect(),
        })
    }
}
