// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many packets per second the model decodes, and OpenCSD on the same bytes.
//!
//! `cargo bench -p coretrace-decode --bench packets`. Both fold every field of every packet into a
//! digest, and the digests must be equal. The last column is the ratio of the two for each set of
//! streams, if OpenCSD's C library is installed. Names of sets behind `--` choose these.

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

/// How long a set is measured.
const TIME: Duration = Duration::from_secs(4);

/// One of the decoders, with all streams of a set.
trait Decode {
    /// The digests of all streams, one after the other.
    fn decode(&mut self) -> Result<Vec<u64>>;
}

/// The model: a fresh decoder for each stream, and its digest.
struct Model<'s>(Vec<(&'s Stream, Decoder, Digest)>);

impl Model<'_> {
    fn new(streams: &[Stream], policy: Policy) -> Model<'_> {
        let model = |stream: &'_ Stream| {
            let config = stream.config();
            (Decoder::new(config, policy), Digest::new(&config))
        };
        let all = streams.iter().map(|stream| {
            let (decoder, digest) = model(stream);
            (stream, decoder, digest)
        });
        Model(all.collect())
    }
}

impl Decode for Model<'_> {
    fn decode(&mut self) -> Result<Vec<u64>> {
        let digests = self.0.iter_mut().map(|(stream, fresh, digest)| {
            let mut decoder = fresh.clone();
            digest.clear();
            decoder.feed_to(&stream.bytes, digest);
            decoder.finish(|record| digest.record(record));
            Ok(digest.value)
        });
        digests.collect()
    }
}

/// OpenCSD: a packet processor for each stream.
struct Reference<'s>(Vec<(&'s Stream, PacketProcessor<Digest>)>);

impl Reference<'_> {
    fn new(library: OpenCsd, streams: &[Stream]) -> Result<Reference<'_>> {
        let processors = streams.iter().map(|stream| {
            let digest = Digest::new(&stream.config());
            let source = SourceConfig {
                protocol: stream.protocol,
                profile: stream.profile,
                registers: stream.registers,
                lenient: false,
            };
            let processor = PacketProcessor::new(library, &source, digest)?;
            Ok((stream, processor))
        });
        Ok(Reference(processors.collect::<Result<_>>()?))
    }
}

impl Decode for Reference<'_> {
    fn decode(&mut self) -> Result<Vec<u64>> {
        let digests = self.0.iter_mut().map(|(stream, processor)| {
            processor.monitor().clear();
            processor.run(&stream.bytes)?;
            let digest = processor.monitor();
            Ok(digest.value)
        });
        digests.collect()
    }
}

fn packets(stream: &Stream) -> usize {
    let mut packets = 0;
    Decoder::new(stream.config(), Policy::OpenCsd).feed(&stream.bytes, |_| packets += 1);
    packets
}

/// Prints the nanoseconds a packet of each decoder. They take turns, and the fastest turn counts,
/// so other programs on the machine disturb all of them equally.
fn measure(set: &Set, library: Option<OpenCsd>) -> Result<()> {
    let streams = &set.streams;
    let mut as_opencsd = Model::new(streams, Policy::OpenCsd);
    let model = Model::new(streams, Policy::Resync);
    let want = as_opencsd.decode()?;
    let mut decoders: Vec<(&str, Box<dyn Decode + '_>)> = vec![
        ("model as OpenCSD", Box::new(as_opencsd)),
        ("model", Box::new(model)),
    ];
    if let Some(library) = library {
        let mut reference = Reference::new(library, streams)?;
        ensure!(
            reference.decode()? == want,
            "{}: the digests differ",
            set.name
        );
        decoders.push(("OpenCSD", Box::new(reference)));
    }
    let mut fastest = vec![Duration::MAX; decoders.len()];
    let start = Instant::now();
    while start.elapsed() < TIME {
        for ((_, decoder), best) in decoders.iter_mut().zip(&mut fastest) {
            let turn = Instant::now();
            black_box(decoder.decode()?);
            *best = turn.elapsed().min(*best);
        }
    }
    let packets = streams.iter().map(packets).sum::<usize>();
    let bytes: usize = streams.iter().map(|stream| stream.bytes.len()).sum();
    print!("{:<16}{packets:>9} packets {bytes:>9} bytes", set.name);
    for ((name, _), best) in decoders.iter().zip(&fastest) {
        let seconds = best.as_secs_f64();
        let (each, rate) = (seconds * 1e9 / packets as f64, bytes as f64 / seconds / 1e6);
        print!("  {name} {each:.1} ns {rate:.0} MB/s");
    }
    if let [model, _, opencsd] = fastest[..] {
        print!("  ratio {:.2}", opencsd.as_secs_f64() / model.as_secs_f64());
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
