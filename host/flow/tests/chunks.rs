// SPDX-License-Identifier: MIT OR Apache-2.0
//! Chunks that are followed by themselves, against the whole stream in one piece.

mod common;

use std::fs;

use common::{Stream, own_streams, streams_of};
use coretrace_decode::Policy;
use coretrace_etm::{ArchProfile, Protocol, Registers, SourceConfig};
use coretrace_flow::{Chunk, Cutter, Element, Image, Images, StreamFlow};
use coretrace_test_support::shared_dir;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

type Elements = Vec<(u64, Element)>;

fn doubts(flow: &StreamFlow) -> String {
    format!("{:?}", flow.doubts())
}

impl Stream {
    /// The stretches between losses.
    fn stretches(&self) -> Vec<&[u8]> {
        let mut stretches = Vec::new();
        let mut from = 0;
        for loss in &self.losses {
            stretches.push(&self.bytes[from..*loss as usize]);
            from = *loss as usize;
        }
        stretches.push(&self.bytes[from..]);
        stretches
    }

    /// The elements and doubts of the stream in one piece.
    fn whole(&self) -> (Elements, String) {
        let mut elements = Vec::new();
        let sink = &mut |offset: u64, element: &Element| elements.push((offset, *element));
        let mut flow = self.flow();
        for (number, stretch) in self.stretches().into_iter().enumerate() {
            if number > 0 {
                flow.discontinuity(sink);
            }
            flow.feed(stretch, sink);
        }
        flow.finish(sink);
        let doubts = doubts(&flow);
        (elements, doubts)
    }

    /// The chunks, cut from pieces of this size.
    fn chunks(&self, least: usize, piece: usize, always_at: &[u64]) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        let mut cutter = Cutter::new(self.flow(), 0, least, 1 << 14, always_at);
        for (number, stretch) in self.stretches().into_iter().enumerate() {
            if number > 0 {
                cutter.lost();
            }
            for bytes in stretch.chunks(piece) {
                cutter.feed(bytes, |chunk| chunks.push(chunk));
            }
        }
        cutter.finish(|chunk| chunks.push(chunk));
        chunks
    }

    /// The elements and doubts of chunks, each followed by itself where that is right, and how many
    /// were.
    fn joined(&self, chunks: &[Chunk], random: &mut ChaCha8Rng) -> (Elements, String, usize) {
        let mut elements = Vec::new();
        let mut before = self.flow();
        let mut spare = self.flow();
        let mut all_doubts = coretrace_flow::Doubts::default();
        let mut joined = 0;
        for chunk in chunks {
            let mut own = Vec::new();
            let sink = &mut |offset: u64, element: &Element| own.push((offset, *element));
            if let Some(start) = &chunk.start
                && before.state().as_ref() == Some(&start.state)
            {
                all_doubts.append(&before.replace_doubts(Default::default()));
                spare.resume(&start.state);
                std::mem::swap(&mut before, &mut spare);
                joined += 1;
            }
            // As if it were full now and then.
            let stops = random.random_range(0..3) == 0;
            let from = chunk.follow(0, &mut before, sink, |_| stops);
            chunk.follow(from, &mut before, sink, |_| false);
            elements.extend(own);
        }
        let sink = &mut |offset: u64, element: &Element| elements.push((offset, *element));
        before.finish(sink);
        all_doubts.append(&before.replace_doubts(Default::default()));
        before.replace_doubts(all_doubts);
        let doubts = doubts(&before);
        (elements, doubts, joined)
    }

    /// Compares chunks of several sizes with one piece; how many were followed by themselves.
    fn check(&self, name: &str, random: &mut ChaCha8Rng) -> usize {
        let whole = self.whole();
        let mut joined = 0;
        for least in [1, 700, 5000] {
            let piece = [1, 15, 4096, usize::MAX][random.random_range(0..4)];
            let chunks = self.chunks(least, piece, &[]);
            let bytes: Vec<u8> = chunks
                .iter()
                .flat_map(|chunk| chunk.bytes.clone())
                .collect();
            assert!(bytes == self.bytes, "{name}: bytes");
            let (elements, doubts, number) = self.joined(&chunks, random);
            for (place, (have, want)) in elements.iter().zip(&whole.0).enumerate() {
                assert_eq!(have, want, "{name}: chunks of {least}, element {place}");
            }
            assert_eq!(elements.len(), whole.0.len(), "{name}: chunks of {least}");
            assert_eq!(doubts, whole.1, "{name}: chunks of {least}");
            joined += number;
        }
        joined
    }
}

#[test]
fn chunks_of_the_shipped_traces_join_to_the_whole() {
    let traces = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/traces");
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for name in ["sort-a64", "adpcm-a32", "framed"] {
        for policy in [Policy::Resync, Policy::Lenient, Policy::OpenCsd] {
            let mut joined = 0;
            for stream in streams_of(&traces.join(name), policy) {
                joined += stream.check(name, &mut random);
            }
            assert!(joined > 3, "{name}: {joined} chunks by themselves");
        }
    }
}

#[test]
fn chunks_of_the_corpus_join_to_the_whole() {
    let Some(shared) = shared_dir() else { return };
    let mut joined = 0;
    for (seed, corpus) in [(2, "corpus"), (3, "corpus-flow")] {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let folders = fs::read_dir(shared.join(corpus)).expect("captures");
        for folder in folders {
            let folder = folder.expect("an entry").path();
            for policy in [Policy::Resync, Policy::OpenCsd] {
                for stream in streams_of(&folder, policy) {
                    joined += stream.check(&folder.display().to_string(), &mut random);
                }
            }
        }
    }
    assert!(joined > 1000, "{joined} chunks by themselves");
}

#[test]
fn chunks_of_programs_join_also_where_bytes_are_wrong_or_lost() {
    for (seed, (name, good)) in own_streams().into_iter().enumerate() {
        let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
        let chunks = good.chunks(700, 15, &[]);
        let starts = chunks.iter().filter(|chunk| chunk.start.is_some()).count();
        let joined = good.check(&name, &mut random);
        assert!(joined >= starts, "{name}: {joined} of {starts}");
        if !name.contains("all") && !name.contains("mixed") {
            continue;
        }
        let policy = [Policy::Resync, Policy::Lenient, Policy::OpenCsd][seed % 3];
        let mut damaged = Stream { policy, ..good };
        let most = damaged.bytes.len();
        for _ in 0..40 {
            let place = random.random_range(0..most);
            damaged.bytes[place] ^= 1 << random.random_range(0..8);
        }
        let losses = (0..5).map(|_| random.random_range(0..most as u64));
        damaged.losses = losses.collect();
        damaged.losses.sort_unstable();
        damaged.check(&name, &mut random);
    }
}

#[test]
fn random_packets_join_to_the_whole_whatever_the_cuts() {
    const ASYNC: [u8; 12] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80];
    let mut joined = 0;
    for seed in 0..300 {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let max_spec = [0, 0, 1, 7, u32::MAX][random.random_range(0..5)];
        let word = |random: &mut ChaCha8Rng| match random.random_range(0..3) {
            0 => random.random(),
            1 => 0x5400_0000 | random.random_range(0..64) << 5,
            _ => 0x1400_0000 | random.random::<u32>() & 0x3FF_001F,
        };
        let image: Vec<u8> = (0..0x400)
            .flat_map(|_| word(&mut random).to_le_bytes())
            .collect();
        let images = [0, 0x40_0000].map(|address| Image::new(address, &image[..]));
        let mut bytes = Vec::new();
        for _ in 0..random.random_range(1..12) {
            if random.random_range(0..8) > 0 {
                bytes.extend(ASYNC);
                let spec = random.random_range(0..2u8);
                bytes.extend(
                    [[0x01, 0x01, 0x00, 0x00], [0x01, 0x05, 0x00, spec]][usize::from(spec)],
                );
                bytes.extend([
                    0x85,
                    0,
                    0,
                    0x40,
                    0,
                    0,
                    0,
                    0,
                    0,
                    random.random::<u8>() & 0x3B,
                ]);
            }
            for _ in 0..random.random_range(0..600) {
                bytes.push(match random.random_range(0..40) {
                    0..32 => random.random_range(0xC0..=0xFF),
                    32..39 => {
                        [0x06, 0x07, 0x90, 0x91, 0x95, 0x2D, 0x30, 0xA0][random.random_range(0..8)]
                    }
                    _ => random.random(),
                });
            }
        }
        let losses = (0..random.random_range(0..3)).map(|_| random.random_range(0..=bytes.len()));
        let mut losses: Vec<u64> = losses.map(|loss| loss as u64).collect();
        losses.sort_unstable();
        let stream = Stream {
            source: SourceConfig {
                protocol: [Protocol::Etm4, Protocol::Ete][random.random_range(0..2)],
                profile: [ArchProfile::A, ArchProfile::M7][random.random_range(0..2)],
                registers: Registers {
                    trcconfigr: random.random::<u32>() & 0x3_18D9,
                    trcidr0: random.random::<u32>() & !0x8 | 0x80,
                    trcidr1: 0x4100_F403,
                    trcidr2: 0x1088,
                    trcidr8: max_spec,
                    trcdevarch: 0x4770_5A13,
                },
                lenient: false,
            },
            images: Images::new(images.into()),
            policy: [Policy::Resync, Policy::Lenient, Policy::OpenCsd][random.random_range(0..3)],
            bytes,
            losses,
        };
        joined += stream.check(&format!("seed {seed}"), &mut random);
    }
    assert!(joined > 300, "{joined} chunks by themselves");
}

#[test]
fn cuts_depend_on_the_bytes_alone() {
    let traces = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testbench/traces");
    for stream in streams_of(&traces.join("adpcm-a32"), Policy::Resync) {
        let offsets = |piece, always_at: &[u64]| {
            let chunks = stream.chunks(1 << 20, piece, always_at);
            let offsets: Vec<u64> = chunks.iter().map(|chunk| chunk.offset).collect();
            offsets
        };
        let always_at = [3000, 9000, 9001, 20_000];
        let want = offsets(usize::MAX, &always_at);
        assert!(want.len() > 2, "{want:?}");
        for piece in [1, 15, 1000, 5000] {
            assert_eq!(offsets(piece, &always_at), want, "pieces of {piece}");
        }
        for at in always_at {
            let first = offsets(15, &[at])[1..].first().copied();
            assert!(first.is_none_or(|first| want.contains(&first)), "{at}");
        }
    }
}
