// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures whose programs can be followed: with what was in memory.

use std::path::Path;

use coretrace_capture::{Capture, MemoryImage, SourceStream, open_folder, source_streams};
use coretrace_etm::SourceConfig;
use coretrace_flow::{Image, Images, Spaces};

/// A capture with what was in memory.
pub struct FollowedCapture {
    /// What was in memory.
    pub images: Images,
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
            images: Images::new(memory.map(image).collect()),
            streams: source_streams(&capture)
                .into_iter()
                .map(with_source)
                .collect(),
        })
    }
}

fn image(of: &MemoryImage) -> Image {
    let spaces = of.space.as_deref().map(Spaces::of_name);
    Image {
        spaces: spaces.map_or(Spaces::ANY, |named| named.expect("the name of a space")),
        vmid: of.vmid,
        cid: of.cid,
        ..Image::new(of.address, of.read().expect("an image"))
    }
}
