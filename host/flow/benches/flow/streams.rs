// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that are measured, with their images.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use coretrace_capture::{MemoryImage, SourceStream, open_folder};
use coretrace_decode::Policy;
use coretrace_etm::SourceConfig;
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::FollowedCapture;

/// Streams are repeated to this many bytes.
const BYTES: usize = 256 * 1024;

/// Images by their addresses.
pub type Memory = Vec<(u64, Arc<[u8]>)>;

/// Captures whose elements both have. Not those that OpenCSD 1.3.3 cannot follow: images by memory space,
/// VMID or context ID, Instrumentation packets, commits in Cycle Count packets, a start within a
/// speculation. Not `flow-damaged`: OpenCSD's library reads on in other places than its lister.
const CAPTURES: [&str; 31] = [
    "corpus/a57_single_step",
    "corpus/ete_spec_1",
    "corpus/juno-uname-002",
    "corpus/juno_r1_1",
    "corpus/q_elem",
    "corpus/src_addr",
    "corpus/ts_marker",
    "corpus-flow/flow-a32",
    "corpus-flow/flow-a64",
    "corpus-flow/flow-a64-bb",
    "corpus-flow/flow-a64-rs",
    "corpus-flow/flow-a64-v83",
    "corpus-flow/flow-cut",
    "corpus-flow/flow-ete",
    "corpus-flow/flow-ete-q",
    "corpus-flow/flow-ete-tm",
    "corpus-flow/flow-exc",
    "corpus-flow/flow-exc-a32",
    "corpus-flow/flow-frames",
    "corpus-flow/flow-mix",
    "corpus-flow/flow-mix-rs",
    "corpus-flow/flow-nacc",
    "corpus-flow/flow-nacc-rs",
    "corpus-flow/flow-q",
    "corpus-flow/flow-spec",
    "corpus-flow/flow-spec-sync",
    "corpus-flow/flow-t32",
    "corpus-flow/flow-v7m",
    "corpus-flow/flow-v8m",
    "corpus-flow/flow-wfx",
    "corpus-flow/flow-wrong",
];

/// A stream with the images of what it follows.
#[derive(Clone)]
pub struct Stream {
    pub name: String,
    pub source: SourceConfig,
    pub memory: Memory,
    pub bytes: Vec<u8>,
    /// What our decoder does in the run that is compared: in a capture that of OpenCSD, also where that is at
    /// fault.
    pub policy: Policy,
}

fn repeated(bytes: &[u8]) -> Vec<u8> {
    bytes.repeat(BYTES.div_ceil(bytes.len()))
}

/// The streams of real programs.
pub fn of_programs(shared: &Path) -> Result<Vec<Stream>> {
    let stream = |golden: GoldenStream| {
        let memory = golden.memory()?.into_iter();
        Ok(Stream {
            memory: memory.map(|(start, bytes)| (start, bytes.into())).collect(),
            bytes: repeated(&golden.bytes),
            name: golden.name,
            source: golden.source,
            policy: Policy::Resync,
        })
    };
    GoldenStream::all(&shared.join("workloads/own"))?
        .into_iter()
        .map(stream)
        .collect()
}

/// The streams of captures: small programs, and packets that the others do not have.
pub fn of_captures(shared: &Path) -> Result<Vec<Stream>> {
    let of_capture = |name| of_capture(&shared.join(name)).context(name);
    let streams = CAPTURES.into_iter().map(of_capture);
    Ok(streams.collect::<Result<Vec<_>>>()?.concat())
}

fn of_capture(folder: &Path) -> Result<Vec<Stream>> {
    let trace = open_folder(folder)?;
    let image = |image: &MemoryImage| Ok((image.address, image.read()?.into()));
    let memory: Memory = trace.memory.iter().map(image).collect::<Result<_>>()?;
    let capture = FollowedCapture::open(folder).context("a capture")?;
    let stream = |(source, stream): (SourceConfig, SourceStream)| Stream {
        name: format!("{} {:#x}", trace.name, stream.id),
        bytes: repeated(&stream.bytes),
        memory: memory.clone(),
        source,
        policy: Policy::OpenCsd,
    };
    let has_bytes = |(_, stream): &(SourceConfig, SourceStream)| !stream.bytes.is_empty();
    let streams = capture.streams.into_iter().filter(has_bytes);
    Ok(streams.map(stream).collect())
}
