// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many packets per second the model decodes, and OpenCSD on the same bytes.
//!
//! `cargo bench -p coretrace-decode --bench packets`. Both fold every field of every packet into a
//! digest, and the digests must be equal. The last column is the ratio of the two for each set of
//! streams, if OpenCSD's C library is installed, beside the one that is wanted; it is no condition, because
//! other load changes it. Names of sets behind `--` choose these.

mod digest;
mod sets;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use coretrace_decode::{Decoder, PacketSink, Policy};
use coretrace_etm::SourceConfig;
use coretrace_test_opencsd::{OpenCsd, PacketProcessor};

use digest::Digest;
use sets::{Set, Stream};

/// The least ratio that the README names.
const WANTED: u32 = 5;
/// How long a set is measured.
const TIME: Duration = Duration::from_secs(8);
/// Bytes of a turn: a stream is decoded several times, so that caches are as they are in a long trace.
const TURN: usize = 1 << 20;

/// One of the decoders, of one stream.
trait Decode {
    /// The digest of the stream.
    fn decode(&mut self, bytes: &[u8]) -> Result<u64>;
}

/// The model: a copy of a fresh decoder.
struct Model(Decoder, Digest);

impl Model {
    fn new(stream: &Stream, policy: Policy) -> Model {
        let config = stream.config();
        Model(Decoder::new(config, policy), Digest::new(&config))
    }
}

impl Decode for Model {
    fn decode(&mut self, bytes: &[u8]) -> Result<u64> {
        let Model(fresh, digest) = self;
        let mut decoder = fresh.clone();
        digest.clear();
        decoder.feed_to(bytes, digest);
        decoder.finish(|record| digest.record(record));
        Ok(digest.value)
    }
}

/// OpenCSD: a packet processor.
struct Reference(PacketProcessor<Digest>);

impl Reference {
    fn new(library: OpenCsd, stream: &Stream) -> Result<Reference> {
        let digest = Digest::new(&stream.config());
        let source = SourceConfig {
            protocol: stream.protocol,
            profile: stream.profile,
            registers: stream.registers,
            lenient: false,
        };
        let processor = PacketProcessor::new(library, &source, digest)?;
        Ok(Reference(processor))
    }
}

impl Decode for Reference {
    fn decode(&mut self, bytes: &[u8]) -> Result<u64> {
        let Reference(processor) = self;
        processor.monitor().clear();
        processor.run(bytes)?;
        Ok(processor.monitor().value)
    }
}

fn packets(stream: &Stream) -> usize {
    let mut packets = 0;
    Decoder::new(stream.config(), Policy::OpenCsd).feed(&stream.bytes, |_| packets += 1);
    packets
}

/// How long each decoder takes for a stream. They take turns, and the fastest turn of each counts, so
/// other programs on the machine disturb all of them equally.
fn fastest(stream: &Stream, library: Option<OpenCsd>, time: Duration) -> Result<Vec<Duration>> {
    let mut as_opencsd = Model::new(stream, Policy::OpenCsd);
    let want = as_opencsd.decode(&stream.bytes)?;
    let model = Model::new(stream, Policy::Resync);
    let mut decoders: Vec<Box<dyn Decode>> = vec![Box::new(as_opencsd), Box::new(model)];
    if let Some(library) = library {
        let mut reference = Reference::new(library, stream)?;
        ensure!(
            reference.decode(&stream.bytes)? == want,
            "the digests differ"
        );
        decoders.push(Box::new(reference));
    }
    let passes = TURN.div_ceil(stream.bytes.len()) as u32;
    let mut fastest = vec![Duration::MAX; decoders.len()];
    let start = Instant::now();
    while start.elapsed() < time {
        for (decoder, best) in decoders.iter_mut().zip(&mut fastest) {
            let turn = Instant::now();
            for _ in 0..passes {
                black_box(decoder.decode(&stream.bytes)?);
            }
            *best = (turn.elapsed() / passes).min(*best);
        }
    }
    Ok(fastest)
}

/// Prints the nanoseconds a packet of each decoder.
fn measure(set: &Set, library: Option<OpenCsd>) -> Result<()> {
    let streams = &set.streams;
    let mut sums = vec![Duration::ZERO; if library.is_some() { 3 } else { 2 }];
    for stream in streams {
        let all = fastest(stream, library, TIME / streams.len() as u32).context(set.name)?;
        for (sum, time) in sums.iter_mut().zip(all) {
            *sum += time;
        }
    }
    let packets = streams.iter().map(packets).sum::<usize>();
    let bytes: usize = streams.iter().map(|stream| stream.bytes.len()).sum();
    print!("{:<16}{packets:>9} packets {bytes:>9} bytes", set.name);
    for (name, sum) in ["model as OpenCSD", "model", "OpenCSD"].iter().zip(&sums) {
        let seconds = sum.as_secs_f64();
        let (each, rate) = (seconds * 1e9 / packets as f64, bytes as f64 / seconds / 1e6);
        print!("  {name} {each:.1} ns {rate:.0} MB/s");
    }
    if let [model, _, opencsd] = sums[..] {
        let ratio = opencsd.as_secs_f64() / model.as_secs_f64();
        print!("  ratio {ratio:.2} (of {WANTED})");
    }
    println!();
    Ok(())
}

fn main() -> Result<()> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.is_dir() {
        eprintln!("SKIPPED: the folder shared beside the repository is absent");
        return Ok(());
    }
    let library = OpenCsd::open();
    if library.is_none() {
        eprintln!("SKIPPED: OpenCSD's C library is not installed, the model is measured alone");
    }
    let wanted: Vec<String> = env::args().skip(1).filter(|arg| arg != "--bench").collect();
    for set in sets::all(&shared).context("the streams")? {
        if wanted.is_empty() || wanted.iter().any(|name| name == set.name) {
            measure(&set, library)?;
        }
    }
    Ok(())
}
