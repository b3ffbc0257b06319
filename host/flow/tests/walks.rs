// SPDX-License-Identifier: MIT OR Apache-2.0
//! The flow against what programs did: the walks from which streams were made.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use coretrace_capture::read_xz_text;
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Config, Record, SourceConfig};
use coretrace_flow::{Element, ElementSink, Flow, Image, Images, Outcome, StreamFlow};
use coretrace_isa::Class;
use coretrace_test_gen::GoldenStream;
use coretrace_test_support::{FollowedCapture, shared_dir};

/// The ranges of a walk: first address, end, instructions, and how the last one ended.
#[derive(Default)]
struct Walk(String);

impl ElementSink for Walk {
    fn element(&mut self, _: u64, element: &Element) {
        let Element::Range(range) = element else {
            return;
        };
        let outcome = match (range.last.class, range.outcome) {
            (Class::Other, _) => '-',
            (_, Outcome::E) => 'E',
            (_, Outcome::N) => 'N',
        };
        let (start, end, count) = (range.start, range.end, range.count);
        writeln!(self.0, "{start:x} {end:x} {count} {outcome}").expect("a string");
    }
}

/// The walk of a stream: through records, and from its bytes in pieces of any size.
fn walk_of_stream(source: &SourceConfig, images: &Images, bytes: &[u8], piece: usize) -> String {
    let config = Config::new(source.protocol, source.profile, &source.registers);
    let mut of_records = Walk::default();
    let mut flow = Flow::new(source, images.clone(), false);
    let mut decoder = Decoder::new(config, Policy::Resync);
    decoder.feed(bytes, |record| flow.record(record, &mut of_records));
    decoder.finish(|record| flow.record(record, &mut of_records));
    flow.finish(bytes.len() as u64, &mut of_records);

    let mut of_bytes = Walk::default();
    let mut flow = StreamFlow::new(source, images.clone(), Policy::Resync);
    for piece in bytes.chunks(piece) {
        flow.feed(piece, &mut of_bytes);
    }
    flow.finish(&mut of_bytes);
    assert_equal(&of_bytes.0, &of_records.0, "from bytes");
    of_records.0
}

/// What was in memory.
fn images(memory: Vec<(u64, Vec<u8>)>) -> Images {
    let image = |(address, bytes): (u64, Vec<u8>)| Image::new(address, bytes);
    Images::new(memory.into_iter().map(image).collect())
}

fn assert_equal(walk: &str, truth: &str, name: &str) {
    for (number, (line, want)) in walk.lines().zip(truth.lines()).enumerate() {
        assert_eq!(line, want, "{name}, range {number}");
    }
    assert_eq!(walk.lines().count(), truth.lines().count(), "{name}");
}

#[test]
fn streams_of_real_programs_give_the_ranges_that_were_executed() {
    let Some(shared) = shared_dir() else { return };
    let streams = GoldenStream::all(&shared.join("workloads/own")).expect("streams");
    for (number, stream) in streams.iter().enumerate() {
        let images = images(stream.memory().expect("an image"));
        let piece = [1, 15, 4096][number % 3];
        let walk = walk_of_stream(&stream.source, &images, &stream.bytes, piece);
        // Ranges in front of an exception are not marked there.
        let truth = stream.ranges().expect("ranges");
        assert_equal(&walk.replace(" -\n", " E\n"), &truth, &stream.name);
    }
    let streams = streams.len();
    assert!(streams > 90, "only {streams} streams");
}

/// Folders with the walk that OpenCSD's ranges are not: Q elements have no path, images are missing,
/// wrong, or not those that were executed.
const NOT_WALKED: [&str; 7] = [
    "flow-q",
    "flow-ete-q",
    "flow-nacc",
    "flow-nacc-rs",
    "flow-wrong",
    "flow-spaces",
    "flow-ids",
];

fn walked_folders(shared: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(shared.join("corpus-flow")).expect("captures");
    let mut folders: Vec<PathBuf> = folders
        .map(|entry| entry.expect("an entry").path())
        .filter(|folder| {
            let name = folder.file_name().expect("a name").to_string_lossy();
            folder.join("ranges.xz").is_file() && !NOT_WALKED.contains(&&*name)
        })
        .collect();
    folders.sort();
    folders
}

#[test]
fn made_captures_give_the_ranges_that_were_walked() {
    let Some(shared) = shared_dir() else { return };
    let folders = walked_folders(&shared);
    for folder in &folders {
        let capture = FollowedCapture::open(folder).expect("a capture");
        let images = capture.images;
        for (source, stream) in capture.streams {
            let mut walk = Walk::default();
            let mut flow = Flow::new(&source, images.clone(), false);
            let record = |record: &Record| flow.record(record, &mut walk);
            coretrace_capture::decode_in_model(&stream, Policy::Resync, |_| {}, record);
            flow.finish(0, &mut walk);
            let truth = read_xz_text(&folder.join("ranges.xz")).expect("ranges");
            // A part of a walk has no walk of its own.
            if truth.is_empty() {
                continue;
            }
            assert_equal(&walk.0, &truth, &folder.display().to_string());
        }
    }
    assert!(folders.len() > 15, "only {} folders", folders.len());
}
