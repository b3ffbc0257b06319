// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast the program is followed, and by OpenCSD's full decoder on the same bytes and images.
//!
//! `cargo bench -p coretrace-flow --bench flow`. Both fold every field of every element into a
//! digest, and the digests must be equal; the last column is the ratio to OpenCSD where the elements
//! are written as TSV. Both make their decoders and tables for each run, they take turns, and the
//! fastest turn of each counts. Parts of names behind `--` choose streams. The ratios that are wanted are
//! printed beside those that were measured; they are no condition, because other load changes them.

mod digest;
mod streams;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use coretrace_decode::Policy;
use coretrace_flow::{Element, ElementSink, Image, Images, StreamFlow};
use coretrace_listing::ElementTsv;
use coretrace_test_opencsd::{FullDecoder, OpenCsd};

use digest::Digest;
use streams::Stream;

/// Turns of each decoder, and runs of ours in a turn: OpenCSD takes as long for one.
const TURNS: usize = 5;
const RUNS: u32 = 10;

/// Writes elements as TSV, to nowhere.
struct Tsv {
    writer: ElementTsv,
    text: String,
    bytes: u64,
}

/// Text that is written together.
const TEXT_BYTES: usize = 64 * 1024;

impl Default for Tsv {
    fn default() -> Tsv {
        Tsv {
            writer: ElementTsv::new(0x10),
            text: String::new(),
            bytes: 0,
        }
    }
}

impl ElementSink for Tsv {
    fn element(&mut self, offset: u64, element: &Element) {
        self.writer.element(&mut self.text, offset, element);
        if self.text.len() > TEXT_BYTES {
            self.bytes += self.text.len() as u64;
            black_box(&self.text);
            self.text.clear();
        }
    }
}

fn follow<S: ElementSink + Default>(stream: &Stream, policy: Policy) -> S {
    let image = |(address, bytes): &(u64, _)| Image::new(*address, std::sync::Arc::clone(bytes));
    let images = Images::new(stream.memory.iter().map(image).collect());
    let mut flow = StreamFlow::new(&stream.source, images, policy);
    let mut sink = S::default();
    flow.feed(&stream.bytes, &mut sink);
    flow.finish(&mut sink);
    sink
}

fn follow_with_opencsd(stream: &Stream, library: OpenCsd) -> Result<Digest> {
    let images = stream.memory.clone();
    let mut decoder = FullDecoder::new(library, &stream.source, images, Digest::default())?;
    decoder.run(&stream.bytes)?;
    Ok(*decoder.sink())
}

/// The last result, and the time of a run, the mean of several.
fn timed<T>(runs: u32, mut run: impl FnMut() -> T) -> (T, Duration) {
    let start = Instant::now();
    for _ in 1..runs {
        black_box(run());
    }
    let result = run();
    (result, start.elapsed() / runs)
}

/// Prints a row, and returns the ratios.
fn measure(stream: &Stream, library: OpenCsd) -> Result<[f64; 2]> {
    let mut best = [Duration::MAX; 3];
    let mut digests = [Digest::default(); 2];
    for _ in 0..TURNS {
        let (_, time) = timed(RUNS, || follow::<Digest>(stream, Policy::Resync));
        best[0] = best[0].min(time);
        let (theirs, time) = timed(1, || follow_with_opencsd(stream, library));
        best[1] = best[1].min(time);
        digests = [follow(stream, stream.policy), theirs?];
        let (_, time) = timed(RUNS, || {
            black_box(follow::<Tsv>(stream, Policy::Resync).bytes)
        });
        best[2] = best[2].min(time);
    }
    ensure!(
        digests[0].value == digests[1].value,
        "{}: the digests differ",
        stream.name
    );
    let [ours, theirs, tsv] = best.map(|time| time.as_secs_f64());
    let (bytes, ranges) = (stream.bytes.len() as f64, digests[1].ranges as f64);
    let ratio = theirs / ours;
    println!(
        "{:<28} {:>8.1} MB/s {:>7.1} Mranges/s {:>8.1} Minstr/s   OpenCSD {:>6.2} MB/s   ratio {ratio:.1}   TSV {:.1}",
        stream.name,
        bytes / ours / 1e6,
        ranges / ours / 1e6,
        digests[1].instructions as f64 / ours / 1e6,
        bytes / theirs / 1e6,
        theirs / tsv,
    );
    Ok([ratio, theirs / tsv])
}

/// What is measured.
const MEASURED: [&str; 2] = ["elements", "TSV"];

/// The least ratios to OpenCSD on real programs, as `docs/results.md` wants them.
const WANTED: [u32; 2] = [15, 5];

fn summarise(name: &str, mut ratios: Vec<f64>, wanted: Option<u32>) {
    ratios.sort_by(f64::total_cmp);
    if let [least, .., most] = ratios[..] {
        let median = ratios[ratios.len() / 2];
        let wanted = wanted.map_or_else(String::new, |wanted| format!(" (of {wanted})"));
        println!(
            "{name}, ratio to OpenCSD: least {least:.1}{wanted}, median {median:.1}, most {most:.1}"
        );
    }
}

fn main() -> Result<()> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.is_dir() {
        eprintln!("SKIPPED: the folder shared beside the repository is absent");
        return Ok(());
    }
    let Some(library) = OpenCsd::open() else {
        eprintln!("SKIPPED: OpenCSD's C library is not installed");
        return Ok(());
    };
    let wanted: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    let groups = [
        (
            "real programs",
            streams::of_programs(&shared)?,
            WANTED.map(Some),
        ),
        ("captures", streams::of_captures(&shared)?, [None; 2]),
    ];
    for (group, streams, least) in groups {
        let is_wanted = |name: &str| wanted.iter().any(|part| name.contains(part.as_str()));
        let mut ratios = Vec::new();
        for stream in &streams {
            if wanted.is_empty() || is_wanted(&stream.name) {
                ratios.push(measure(stream, library)?);
            }
        }
        for (place, name) in MEASURED.into_iter().enumerate() {
            let ratios = ratios.iter().map(|both: &[f64; 2]| both[place]).collect();
            summarise(&format!("{group}, {name}"), ratios, least[place]);
        }
    }
    Ok(())
}
