// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of captures of software trace.

use std::fs;
use std::path::Path;

use coretrace_capture::open_folder;
use coretrace_software_trace::Protocol;

/// The bytes of each source whose protocol is wanted, by the name of its capture; none, with a line that says
/// so, where the captures are absent.
pub fn streams(is_wanted: impl Fn(Protocol) -> bool) -> Vec<(String, Protocol, Vec<u8>)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus-sw");
    let Ok(entries) = fs::read_dir(&corpus) else {
        assert!(
            std::env::var_os("CI").is_none_or(|ci| ci != "true"),
            "{} is absent",
            corpus.display()
        );
        eprintln!("SKIPPED: {} is absent", corpus.display());
        return Vec::new();
    };
    let paths = entries.map(|entry| entry.expect("an entry").path());
    let mut streams = Vec::new();
    for folder in paths.filter(|path| path.is_dir()) {
        let trace = open_folder(&folder).expect("a capture");
        let buffer = &trace.buffers[0];
        let all: Vec<usize> = (0..buffer.sources.len()).collect();
        let split = buffer.split(&all).expect("frames");
        for (index, source) in buffer.sources.iter().enumerate() {
            let Some(protocol) = source.software.filter(|it| is_wanted(*it)) else {
                continue;
            };
            let raw = split.as_ref().map_or(buffer, |split| &split[index]);
            let (bytes, _) = raw.bytes.load().expect("bytes");
            streams.push((trace.name.clone(), protocol, bytes));
        }
    }
    assert!(!streams.is_empty(), "captures of this protocol");
    streams
}
