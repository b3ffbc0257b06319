// SPDX-License-Identifier: MIT OR Apache-2.0
//! How fast the decoders of software trace are, that of STM beside OpenCSD on the same bytes.
//!
//! `cargo bench -p coretrace-software-trace --bench packets`. Both sides fold every field of every packet
//! into a digest, and the digests must be equal. The last column is the ratio of the two, if OpenCSD's C library
//! is installed, and the last line that of their times for all streams of STM, which have about as many bytes each;
//! version 1.3 has no decoder of ITM. Names of sets behind `--` choose these.

mod digest;
mod itm;
mod sets;
mod stm;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use coretrace_test_opencsd::OpenCsd;

use sets::{Kind, Set};

/// How long a set is measured.
const TIME: Duration = Duration::from_secs(4);
/// Bytes of a turn: a stream is decoded several times, so that caches are as they are in a long trace.
const TURN: usize = 1 << 17;

/// Packets of a stream, and their digest.
type Decoded = (u64, u64);

/// A decoder of one stream.
type Decode = Box<dyn FnMut(&[u8]) -> Result<Decoded>>;

/// The model, and OpenCSD's decoder if there is one.
fn decoders(kind: Kind, library: Option<OpenCsd>) -> Result<Vec<Decode>> {
    let model: Decode = match kind {
        Kind::Stm => Box::new(|bytes| Ok(stm::model(bytes))),
        Kind::Itm => Box::new(|bytes| Ok(itm::model(bytes))),
    };
    let mut decoders = vec![model];
    if let (Kind::Stm, Some(library)) = (kind, library) {
        decoders.push(stm::opencsd(library)?);
    }
    Ok(decoders)
}

/// How long each decoder takes for a stream. They take turns, and the fastest turn of each counts, so other
/// programs on the machine disturb all of them equally.
fn fastest(decoders: &mut [Decode], bytes: &[u8]) -> Result<Vec<Duration>> {
    let passes = TURN.div_ceil(bytes.len()) as u32;
    let mut fastest = vec![Duration::MAX; decoders.len()];
    let start = Instant::now();
    while start.elapsed() < TIME {
        for (decode, best) in decoders.iter_mut().zip(&mut fastest) {
            let turn = Instant::now();
            for _ in 0..passes {
                black_box(decode(black_box(bytes))?);
            }
            *best = (turn.elapsed() / passes).min(*best);
        }
    }
    Ok(fastest)
}

/// Measures each decoder, and prints its nanoseconds a packet.
fn measure(set: &Set, library: Option<OpenCsd>) -> Result<Vec<Duration>> {
    let Set { name, kind, bytes } = set;
    let mut decoders = decoders(*kind, library)?;
    let mut results = Vec::new();
    for decode in &mut decoders {
        results.push(decode(bytes)?);
    }
    let packets = results[0].0;
    ensure!(
        results.iter().all(|result| *result == results[0]),
        "packets and digests differ: {results:x?}"
    );
    let times = fastest(&mut decoders, bytes)?;
    print!("{name:<16}{packets:>9} packets {:>9} bytes", bytes.len());
    for (name, time) in ["model", "OpenCSD"].iter().zip(&times) {
        let seconds = time.as_secs_f64();
        let (each, rate) = (
            seconds * 1e9 / packets as f64,
            bytes.len() as f64 / seconds / 1e6,
        );
        print!("  {name} {each:.1} ns {rate:.0} MB/s");
    }
    println!("{}", ratio(&times));
    Ok(times)
}

/// How many times as long the reference takes, if there is one.
fn ratio(times: &[Duration]) -> String {
    match times {
        [model, reference] => {
            let ratio = reference.as_secs_f64() / model.as_secs_f64();
            format!("  ratio {ratio:.1}")
        }
        _ => String::new(),
    }
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
    let mut sums = [Duration::ZERO; 2];
    for set in sets::all(&shared.join("corpus-sw"))? {
        if wanted.is_empty() || wanted.iter().any(|name| name == set.name) {
            let times = measure(&set, library).context(set.name)?;
            if times.len() == sums.len() {
                sums.iter_mut()
                    .zip(&times)
                    .for_each(|(sum, time)| *sum += *time);
            }
        }
    }
    if sums[0] > Duration::ZERO {
        println!("those of STM together{}", ratio(&sums));
    }
    Ok(())
}
