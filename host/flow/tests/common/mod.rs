// SPDX-License-Identifier: MIT OR Apache-2.0
//! Streams with what is needed to follow them.

use std::path::Path;

use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_flow::{Image, Images, StreamFlow};
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::{FollowedCapture, shared_dir};

/// A stream with what is needed to follow it.
pub struct Stream {
    pub source: SourceConfig,
    pub images: Images,
    pub policy: Policy,
    pub bytes: Vec<u8>,
    /// Offsets before which bytes were lost.
    pub losses: Vec<u64>,
}

impl Stream {
    pub fn flow(&self) -> StreamFlow {
        StreamFlow::new(&self.source, self.images.clone(), self.policy)
    }
}

/// What was in memory.
fn images(memory: Vec<(u64, Vec<u8>)>) -> Images {
    let image = |(address, bytes): (u64, Vec<u8>)| Image::new(address, bytes);
    Images::new(memory.into_iter().map(image).collect())
}

/// The streams of a capture folder.
pub fn streams_of(folder: &Path, policy: Policy) -> Vec<Stream> {
    let Some(capture) = FollowedCapture::open(folder) else {
        return Vec::new();
    };
    let images = capture.images;
    let streams = capture.streams.into_iter();
    let streams = streams.map(|(source, stream)| Stream {
        source: SourceConfig {
            lenient: policy == Policy::Lenient,
            ..source
        },
        images: images.clone(),
        policy,
        losses: stream.discontinuities,
        bytes: stream.bytes,
    });
    streams.collect()
}

/// The streams of `workloads/own`, with their names.
pub fn own_streams() -> Vec<(String, Stream)> {
    let Some(shared) = shared_dir() else {
        return Vec::new();
    };
    let stream = |golden: GoldenStream| {
        let memory = golden.memory().expect("an image");
        let stream = Stream {
            source: golden.source,
            images: images(memory),
            policy: Policy::Resync,
            bytes: golden.bytes,
            losses: Vec::new(),
        };
        (golden.name, stream)
    };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    streams.into_iter().map(stream).collect()
}
