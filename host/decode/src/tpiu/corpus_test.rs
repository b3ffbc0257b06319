// SPDX-License-Identifier: MIT OR Apache-2.0
//! The captures of the shared corpus, against the lists that OpenCSD made of them.

use super::{Deframer, Demux, Format, RunEvent, demux_rows, detect_format};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The folders of framed captures with their formats; empty if the corpus is absent.
fn framed_captures() -> Vec<(PathBuf, Format)> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let Ok(entries) = fs::read_dir(&corpus) else {
        assert_ne!(env::var("CI").as_deref(), Ok("true"), "no corpus");
        eprintln!("SKIPPED: no corpus");
        return Vec::new();
    };
    let mut captures = Vec::new();
    for entry in entries {
        let folder = entry.expect("corpus entry").path();
        let Ok(text) = fs::read_to_string(folder.join("capture.toml")) else {
            continue;
        };
        let quoted = text.lines().find_map(|line| line.strip_prefix("format = "));
        let format = quoted.expect("a line with the format").trim_matches('"');
        if format != "raw" {
            captures.push((folder, format.parse().expect("format is known")));
        }
    }
    assert!(!captures.is_empty(), "framed captures in the corpus");
    captures
}

fn unpacked(path: &Path) -> String {
    let file = fs::File::open(path).expect("golden list");
    let mut text = String::new();
    liblzma::read::XzDecoder::new(file)
        .read_to_string(&mut text)
        .expect("golden list unpacks");
    text
}

#[test]
fn every_capture_gives_the_golden_rows() {
    for (folder, format) in framed_captures() {
        let capture = fs::read(folder.join("trace.bin")).expect("trace.bin");
        let golden = unpacked(&folder.join("demux.tsv.xz"));
        let rows = demux_rows(format, &capture);
        for (number, (row, expected)) in rows.iter().zip(golden.lines()).enumerate() {
            assert_eq!(row, expected, "{} line {}", folder.display(), number + 1);
        }
        assert_eq!(rows.len(), golden.lines().count(), "{}", folder.display());
    }
}

#[test]
fn the_format_of_every_capture_is_detected() {
    for (folder, format) in framed_captures() {
        let capture = fs::read(folder.join("trace.bin")).expect("trace.bin");
        for length in [1 << 12, 1 << 16, capture.len()] {
            let found = detect_format(&capture[..length.min(capture.len())]);
            assert_eq!(found, format, "{}, {length} bytes", folder.display());
        }
    }
}

#[test]
fn every_capture_gives_the_golden_streams_in_chunks_of_any_size() {
    for (folder, format) in framed_captures() {
        let capture = fs::read(folder.join("trace.bin")).expect("trace.bin");
        for chunk in [1, 7, 4096] {
            let (mut deframer, mut demux) = (Deframer::new(format), Demux::all());
            let mut streams: BTreeMap<u8, Vec<u8>> = BTreeMap::new();
            for bytes in capture.chunks(chunk) {
                deframer.feed(bytes, |event| {
                    if let RunEvent::Run(run) = event
                        && let Some(id) = demux.route(&run)
                    {
                        streams.entry(id.value()).or_default().extend(run.bytes);
                    }
                });
            }
            deframer.finish();
            let statistics = deframer.statistics();
            assert_eq!(statistics.losses, 0, "{}", folder.display());
            assert_eq!(statistics.total_bytes(), capture.len() as u64);
            let mut goldens = 0;
            for id in 0..=0x7F_u8 {
                let Ok(golden) = fs::read(folder.join(format!("stream-{id:02x}.bin"))) else {
                    continue;
                };
                goldens += 1;
                assert!(streams[&id] == golden, "{} ID {id:02x}", folder.display());
            }
            assert!(goldens > 0, "{} has no golden stream", folder.display());
        }
    }
}
