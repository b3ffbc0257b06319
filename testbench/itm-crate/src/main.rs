// SPDX-License-Identifier: MIT OR Apache-2.0
//! The crate `itm` beside the decoder of this project: both must report the same packets of a random stream, and
//! the time of each is printed. What the crate reads otherwise than the manual is not in the stream.
//!
//! `cargo run --release --manifest-path testbench/itm-crate/Cargo.toml --target-dir target`

mod packet;
mod stream;

use std::collections::HashSet;
use std::hint::black_box;
use std::mem::discriminant;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use itm::{Decoder, DecoderOptions, Singles, TracePacket};

use packet::packet;
use stream::{model, stream};

const SEED: u64 = 1;
/// Packets of the random stream, of which those that the crate reads are taken.
const PACKETS: usize = 20_000;
/// Kinds of packets that the crate has.
const KINDS: usize = 14;
/// How long is measured.
const TIME: Duration = Duration::from_secs(4);

fn singles(bytes: &[u8]) -> Singles<&[u8]> {
    Decoder::new(bytes, DecoderOptions { ignore_eof: false }).singles()
}

fn timed(decode: impl FnOnce()) -> Duration {
    let start = Instant::now();
    decode();
    start.elapsed()
}

fn main() -> Result<()> {
    let bytes = stream(SEED, PACKETS);
    let theirs = singles(&bytes).collect::<Result<Vec<TracePacket>, _>>()?;
    let mut ours = Vec::new();
    model(&bytes, |record| ours.extend(packet(&record.packet)));
    ensure!(ours == theirs, "the packets differ");
    let kinds: HashSet<_> = theirs.iter().map(discriminant).collect();
    ensure!(
        kinds.len() == KINDS,
        "the stream has {} kinds of packets",
        kinds.len()
    );

    // They take turns, and the fastest turn of each counts, so other programs disturb both equally.
    let mut fastest = [Duration::MAX; 2];
    let start = Instant::now();
    while start.elapsed() < TIME {
        let times = [
            timed(|| {
                model(black_box(&bytes), |record| {
                    black_box(record);
                })
            }),
            timed(|| {
                singles(black_box(&bytes)).for_each(|packet| {
                    black_box(packet).ok();
                })
            }),
        ];
        for (fastest, time) in fastest.iter_mut().zip(times) {
            *fastest = time.min(*fastest);
        }
    }
    let [model, peer] = fastest.map(|time| time.as_secs_f64());
    let [model_rate, peer_rate] = [model, peer].map(|time| bytes.len() as f64 / time / 1e6);
    let ratio = peer / model;
    println!(
        "seed {SEED}: {} packets, {} bytes, all fields equal",
        ours.len(),
        bytes.len()
    );
    println!("model {model_rate:.0} MB/s  itm {peer_rate:.1} MB/s  ratio {ratio:.1}");
    Ok(())
}
