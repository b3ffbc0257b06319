// SPDX-License-Identifier: MIT OR Apache-2.0
//! How many packets per second the model decodes, and OpenCSD on the same bytes.
//!
//! `cargo bench -p coretrace-decode --bench packets`. Both only find the packets and count them.
//! The last column is the ratio of the two for each set of streams, if OpenCSD's C library is
//! installed. An ETE is measured with the model alone.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use coretrace_capture::{Capture, Format, read_xz};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{ArchProfile, Config, Kind, Protocol, Registers};
use coretrace_test_opencsd::{Monitor, OpenCsd, Packet, PacketProcessor};
use criterion::{Criterion, Throughput};

/// Counts packets, not unsynchronised bytes.
#[derive(Default)]
struct Count(u64);

impl Monitor for Count {
    fn packet(&mut self, _: u32, _: &[u8], packet: &Packet) {
        self.0 += u64::from(packet.kind != NOT_SYNC);
    }
}

/// OpenCSD's code of unsynchronised bytes.
const NOT_SYNC: u32 = 0x200;

/// The bytes of one source.
struct Stream {
    protocol: Protocol,
    profile: ArchProfile,
    registers: Registers,
    bytes: Vec<u8>,
}

/// Streams that are measured together.
struct Set {
    name: &'static str,
    streams: Vec<Stream>,
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

fn capture(folder: &Path, id: u8) -> Result<Vec<Stream>> {
    let capture = Capture::open(folder)?;
    let (source, bytes) = match capture.format {
        Format::Raw => (capture.sources.first(), capture.bytes.clone()),
        Format::Framed(_) => {
            let stream = folder.join(format!("stream-{id:02x}.bin"));
            (capture.source(id), fs::read(stream)?)
        }
    };
    Ok(source
        .and_then(|source| {
            Some(Stream {
                protocol: source.protocol.grammar()?,
                profile: source.profile,
                registers: source.registers,
                bytes,
            })
        })
        .into_iter()
        .collect())
}

/// The streams of real programs, all of a Cortex-A53.
fn workloads(own: &Path) -> Result<Vec<Stream>> {
    let mut streams = Vec::new();
    for row in fs::read_to_string(own.join("golden.tsv"))?.lines().skip(1) {
        let mut columns = row.split('\t');
        let (Some(name), Some(trcconfigr)) = (columns.next(), columns.next()) else {
            continue;
        };
        streams.push(Stream {
            protocol: Protocol::Etm4,
            profile: ArchProfile::A,
            registers: Registers {
                trcconfigr: u32::from_str_radix(trcconfigr.trim_start_matches("0x"), 16)?,
                trcidr0: 0x2800_0EA1,
                trcidr1: 0x4100_F403,
                trcidr2: 0x488,
                ..Registers::default()
            },
            bytes: read_xz(&own.join(format!("{name}.xz")))?,
        });
    }
    Ok(streams)
}

fn count_with_model(streams: &[Stream], policy: Policy) -> u64 {
    let mut packets = 0;
    for stream in streams {
        let config = Config::new(stream.protocol, stream.profile, &stream.registers);
        let mut decoder = Decoder::new(config, policy);
        let mut count = |record: &coretrace_etm::Record| {
            packets += u64::from(black_box(record).kind != Kind::NotSync);
        };
        decoder.feed(&stream.bytes, &mut count);
        decoder.finish(&mut count);
    }
    packets
}

fn count_with_opencsd(
    processors: &mut [PacketProcessor<Count>],
    streams: &[Stream],
) -> Result<u64> {
    let mut packets = 0;
    for (processor, stream) in processors.iter_mut().zip(streams) {
        *processor.monitor() = Count::default();
        processor.run(&stream.bytes)?;
        packets += processor.monitor().0;
    }
    Ok(packets)
}

/// One of the decoders, on the streams of one set.
type Decode<'a> = Box<dyn FnMut() -> u64 + 'a>;

fn decoders(set: &Set, library: Option<OpenCsd>) -> Result<Vec<(&'static str, Decode<'_>)>> {
    let streams = &set.streams;
    let mut decoders: Vec<(_, Decode<'_>)> = vec![
        (
            "model as OpenCSD",
            Box::new(|| count_with_model(streams, Policy::OpenCsd)),
        ),
        (
            "model",
            Box::new(|| count_with_model(streams, Policy::Resync)),
        ),
    ];
    if let Some(library) = library
        && streams
            .iter()
            .all(|stream| stream.protocol == Protocol::Etm4)
    {
        let mut processors = streams
            .iter()
            .map(|s| {
                let count = Count::default();
                PacketProcessor::new(library, s.protocol, s.profile, &s.registers, count)
            })
            .collect::<Result<Vec<_>>>()?;
        let packets = count_with_opencsd(&mut processors, streams)?;
        let counted = count_with_model(streams, Policy::OpenCsd);
        ensure!(
            counted == packets,
            "{}: {counted} packets, OpenCSD {packets}",
            set.name
        );
        decoders.push((
            "OpenCSD",
            Box::new(move || count_with_opencsd(&mut processors, streams).unwrap_or_default()),
        ));
    }
    Ok(decoders)
}

fn bench_set(criterion: &mut Criterion, set: &Set, library: Option<OpenCsd>) -> Result<()> {
    let mut group = criterion.benchmark_group(set.name);
    for (name, mut decode) in decoders(set, library)? {
        group.throughput(Throughput::Elements(decode()));
        group.bench_function(name, |bencher| bencher.iter(|| black_box(decode())));
    }
    group.finish();
    Ok(())
}

/// Prints the nanoseconds a packet of each decoder. They take turns, and the fastest turn counts,
/// so other programs on the machine disturb all of them equally.
fn print_ratio(set: &Set, library: Option<OpenCsd>) -> Result<()> {
    let mut decoders = decoders(set, library)?;
    let mut fastest = vec![Duration::MAX; decoders.len()];
    let packets = count_with_model(&set.streams, Policy::OpenCsd);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(3) {
        for ((_, decode), best) in decoders.iter_mut().zip(&mut fastest) {
            let turn = Instant::now();
            black_box(decode());
            *best = turn.elapsed().min(*best);
        }
    }
    print!("{:<16}{packets:>9} packets", set.name);
    for ((name, _), best) in decoders.iter().zip(&fastest) {
        print!(
            "  {name} {:.1} ns",
            best.as_secs_f64() * 1e9 / packets as f64
        );
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
    let mut sets = vec![Set {
        name: "workloads",
        streams: workloads(&shared.join("workloads/own"))?,
    }];
    for (name, id) in CAPTURES {
        let streams = capture(&shared.join("corpus").join(name), id)?;
        sets.push(Set { name, streams });
    }
    let mut criterion = Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .sample_size(20)
        .configure_from_args();
    for set in &sets {
        bench_set(&mut criterion, set, library)?;
    }
    criterion.final_summary();
    sets.iter().try_for_each(|set| print_ratio(set, library))
}
