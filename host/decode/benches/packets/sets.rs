// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams that are measured.

use std::fs;
use std::path::Path;

use anyhow::Result;
use coretrace_capture::{Capture, Format};
use coretrace_etm::{ArchProfile, Config, Protocol, Registers};
use coretrace_test_gen::GoldenStream;

/// Short streams are repeated to this many bytes.
const BYTES: usize = 64 * 1024;

/// An A-Sync, an empty Trace Info, and an address with context, all 0: OpenCSD does not initialise
/// them.
const PREAMBLE: [u8; 23] = [
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0x85, 0, 0, 0, 0, 0, 0, 0, 0,
];

/// The bytes of one source.
pub struct Stream {
    pub protocol: Protocol,
    pub profile: ArchProfile,
    pub registers: Registers,
    pub bytes: Vec<u8>,
}

impl Stream {
    fn new(protocol: Protocol, profile: ArchProfile, registers: Registers, bytes: &[u8]) -> Stream {
        let config = Config::new(protocol, profile, &registers);
        let ids = usize::from(config.vmid_bytes + config.cid_bytes);
        let repeated = bytes.repeat(BYTES.div_ceil(bytes.len()));
        Stream {
            protocol,
            profile,
            registers,
            bytes: [&PREAMBLE[..], &[0xC0], &vec![0; ids], &repeated].concat(),
        }
    }

    pub fn config(&self) -> Config {
        Config::new(self.protocol, self.profile, &self.registers)
    }
}

/// Streams that are measured together.
pub struct Set {
    pub name: &'static str,
    pub streams: Vec<Stream>,
}

/// The captures measured, and which trace ID of them.
const CAPTURES: [(&str, u8); 6] = [
    ("juno-uname-002", 0x16),
    ("juno_r1_1", 0x10),
    ("a55-test-tpiu", 0x01),
    ("hand-all-types", 0),
    ("hand-ete", 0),
    ("src_addr", 0),
];

/// All sets.
pub fn all(shared: &Path) -> Result<Vec<Set>> {
    let mut sets = vec![Set {
        name: "workloads",
        streams: workloads(&shared.join("workloads/own"))?,
    }];
    for (name, id) in CAPTURES {
        let streams = capture(&shared.join("corpus").join(name), id)?;
        sets.push(Set { name, streams });
    }
    Ok(sets)
}

fn capture(folder: &Path, id: u8) -> Result<Vec<Stream>> {
    let capture = Capture::open(folder)?;
    let (source, bytes) = match capture.format {
        Format::Raw => (capture.sources.first(), capture.bytes.clone()),
        Format::Framed(_) => {
            let stream = folder.join(format!("stream-{id:02x}.bin"));
            (capture.source(id), fs::read(stream)?)
        }
    };
    let stream = source.and_then(|source| {
        let protocol = source.protocol.grammar()?;
        Some(Stream::new(
            protocol,
            source.profile,
            source.registers,
            &bytes,
        ))
    });
    Ok(stream.into_iter().collect())
}

/// The streams of real programs.
fn workloads(own: &Path) -> Result<Vec<Stream>> {
    let stream = |GoldenStream { source, bytes, .. }: GoldenStream| {
        Stream::new(source.protocol, source.profile, source.registers, &bytes)
    };
    Ok(GoldenStream::all(own)?.into_iter().map(stream).collect())
}
