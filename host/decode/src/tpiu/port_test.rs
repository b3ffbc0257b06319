// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random streams through a formatter, a port with syncs, and back; with and without damage.

use super::{Deframer, Demux, Format, FrameEvent, FrameGenerator, RunEvent};
use coretrace_coresight::{FSYNC, Frame, FrameBuilder, HSYNC, TraceId};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

type Streams = Vec<Vec<u8>>;

/// Runs `test` with many generators; the seed of a failure is the last one printed.
fn with_seeds(count: u64, test: impl Fn(&mut StdRng)) {
    for seed in 0..count {
        println!("seed {seed}");
        test(&mut StdRng::seed_from_u64(seed));
    }
}

/// Frames with the bytes of each ID in them. IDs change after any number of bytes, early, late, and
/// with no byte at all.
fn random_frames(rng: &mut StdRng, bursts: usize) -> (Vec<Frame>, Streams) {
    let ids = [0x01, 0x10, 0x11, 0x6F, 0x00, 0x70, 0x7D].map(|id| TraceId::new(id).unwrap());
    let mut builder = match rng.random_range(0..3) {
        0 => FrameBuilder::new(),
        _ => FrameBuilder::announcing_every(rng.random_range(0..4)),
    };
    let (mut frames, mut streams) = (Vec::new(), vec![Vec::new(); 128]);
    for _ in 0..bursts {
        let id = *ids.choose(rng).unwrap();
        if rng.random_ratio(1, 4) {
            frames.extend(builder.announce(*ids.choose(rng).unwrap()));
        }
        for _ in 0..rng.random_range(1..20) {
            let byte = *[0x00, 0x7F, 0xFF, rng.random()].choose(rng).unwrap();
            frames.extend(builder.push(id, byte));
            streams[usize::from(id.value())].push(byte);
        }
    }
    frames.extend(builder.flush());
    (frames, streams)
}

/// The frames on a port: a full sync first and then now and then, half syncs anywhere.
fn random_port(rng: &mut StdRng, frames: &[Frame]) -> Vec<u8> {
    let mut port = FSYNC.to_le_bytes().to_vec();
    let period = rng.random_range(1..6);
    let half_syncs = rng.random_range(0..4);
    for (number, frame) in frames.iter().enumerate() {
        if number % period == 0 {
            port.extend(FSYNC.to_le_bytes());
        }
        for pair in frame.chunks(2) {
            while rng.random_ratio(half_syncs, 8) {
                port.extend(HSYNC.to_le_bytes());
            }
            port.extend(pair);
        }
    }
    port
}

fn random_bytes(rng: &mut StdRng, len: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(len);
    for _ in 0..len {
        bytes.push(*[0xFF, 0x7F, rng.random()].choose(rng).unwrap());
    }
    bytes
}

/// A port in which some words are lost, wrong, or have others in front of them.
fn random_damaged_port(rng: &mut StdRng) -> Vec<u8> {
    let (frames, _) = random_frames(rng, 20);
    let mut port = random_port(rng, &frames);
    for _ in 0..rng.random_range(1..4) {
        let word = 4 * rng.random_range(0..port.len() / 4);
        match rng.random_range(0..3) {
            0 => drop(port.drain(word..word + 4)),
            1 => port[word] ^= rng.random::<u8>(),
            _ => {
                let len = rng.random_range(1..8) * 2;
                let junk = random_bytes(rng, len);
                drop(port.splice(word..word, junk));
            }
        }
    }
    port
}

fn all_streams(format: Format, stream: &[u8], chunk: usize) -> (Streams, Deframer, Demux) {
    let (mut deframer, mut demux) = (Deframer::new(format), Demux::all());
    let mut streams = vec![Vec::new(); 128];
    for bytes in stream.chunks(chunk) {
        deframer.feed(bytes, |event| {
            if let RunEvent::Run(run) = event
                && let Some(id) = demux.route(&run)
            {
                streams[usize::from(id.value())].extend(run.bytes);
            }
        });
    }
    deframer.finish();
    (streams, deframer, demux)
}

#[test]
fn what_goes_into_the_formatter_comes_out_of_the_demultiplexer() {
    with_seeds(200, |rng| {
        let (frames, mut expected) = random_frames(rng, 40);
        // Padding makes the null stream longer, so only the other dropped ones are compared.
        expected[0].clear();
        let reserved: usize = expected.drain(0x70..).map(|stream| stream.len()).sum();
        expected.resize(128, Vec::new());
        let chunk = rng.random_range(1..40);
        let port = random_port(rng, &frames);
        for (format, stream) in [(Format::Frames, frames.concat()), (Format::TpiuHsync, port)] {
            let (streams, deframer, demux) = all_streams(format, &stream, chunk);
            assert_eq!(streams, expected, "{format}");
            assert_eq!(demux.statistics().reserved_bytes, reserved as u64);
            assert_eq!(demux.statistics().unclaimed_bytes, 0);
            assert_eq!(deframer.statistics().losses, 0);
            assert_eq!(deframer.statistics().frames, frames.len() as u64);
        }
    });
}

#[test]
fn everything_is_right_again_from_the_next_full_sync_on() {
    with_seeds(500, |rng| {
        let mut damaged = random_damaged_port(rng);
        damaged.truncate(damaged.len() & !1);
        let (after, _) = random_frames(rng, 20);
        let port = random_port(rng, &after);

        let mut deframer = Deframer::new(Format::TpiuHsync);
        deframer.feed(&damaged, |_| {});
        let start = damaged.len() as u64;
        let mut found = Vec::new();
        deframer.feed(&port, |event| {
            if let RunEvent::Run(run) = event {
                found.push((run.offset - start, run.id, run.bytes.to_vec()));
            }
        });
        let mut expected = Vec::new();
        Deframer::new(Format::TpiuHsync).feed(&port, |event| match event {
            RunEvent::Run(run) => expected.push((run.offset, run.id, run.bytes.to_vec())),
            RunEvent::Discontinuity { .. } => panic!("the port after the damage is whole"),
        });
        assert_eq!(found, expected);
    });
}

#[test]
fn a_whole_frame_is_taken_as_its_bytes_one_by_one() {
    with_seeds(500, |rng| {
        let port = random_damaged_port(rng);
        let events = |chunk| {
            let (mut sync, mut events) = (FrameGenerator::new(), Vec::new());
            for bytes in port.chunks(chunk) {
                sync.feed(bytes, |event| events.push(event));
            }
            sync.finish();
            (events, sync.statistics())
        };
        assert_eq!(events(port.len()), events(1));
    });
}

#[test]
fn a_lost_word_is_reported_before_the_next_full_sync() {
    with_seeds(200, |rng| {
        let (frames, _) = random_frames(rng, 10);
        let mut port = FSYNC.to_le_bytes().to_vec();
        port.extend(frames.concat());
        let lost = 4 * rng.random_range(1..port.len() / 4);
        port.drain(lost..lost + 4);
        let mut sync = FrameGenerator::new();
        let (mut right, mut losses) = (0, 0);
        port.extend(FSYNC.to_le_bytes());
        sync.feed(&port, |event| match event {
            FrameEvent::Discontinuity { .. } => losses += 1,
            FrameEvent::Frame { bytes, .. } => {
                right += usize::from(frames.get(right) == Some(&bytes))
            }
        });
        assert_eq!(losses, 1);
        assert!(right >= (lost - 4) / 16);
        assert!(sync.in_sync());
    });
}

#[test]
fn every_byte_of_any_stream_is_accounted_for() {
    with_seeds(300, |rng| {
        let len = rng.random_range(0..600);
        let stream = random_bytes(rng, len);
        for format in ["frames", "tpiu-fsync", "dstream"].map(|name| name.parse().unwrap()) {
            let chunk = rng.random_range(1..40);
            let (streams, deframer, demux) = all_streams(format, &stream, chunk);
            let (sync, dropped) = (deframer.statistics(), demux.statistics());
            assert_eq!(sync.total_bytes(), len as u64, "{format}");
            let data = streams.concat().len() as u64
                + dropped.null_bytes
                + dropped.reserved_bytes
                + dropped.unclaimed_bytes;
            assert!(
                (7 * sync.frames..=15 * sync.frames).contains(&data),
                "{format}"
            );
        }
    });
}
