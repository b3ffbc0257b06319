// SPDX-License-Identifier: MIT OR Apache-2.0
//! Words of a trace port, cycle by cycle: framed captures and random ports, some damaged, with
//! pauses and resets in between.

use crate::SEED;
use crate::trace_unit::TraceUnit;
use coretrace_capture::Format;
use coretrace_capture::source_streams;
use coretrace_coresight::TraceId;
use coretrace_hdl_coresight::SOURCES;
use coretrace_test_gen::{
    Damage, Framing, RegisterSet, Rng, StreamOptions, damage, frame_streams, legal_stream, rng,
};
use coretrace_test_simulate::port_words as capture_words;
use coretrace_test_support::golden_captures;
use rand::RngExt;
use rand::seq::IndexedRandom;

/// Words of each capture.
const CAPTURE_WORDS: usize = 300;
/// Random ports.
const PORTS: usize = 9;

/// The configuration of the decoders at a trace port.
#[derive(Clone, Copy)]
pub struct PortConfig {
    pub ids: [u8; SOURCES],
    pub units: [TraceUnit; SOURCES],
    pub enables: u8,
    pub lenient: bool,
}

/// The input of a trace port in a cycle.
#[derive(Clone, Copy)]
pub struct PortWord {
    pub config: PortConfig,
    pub reset: bool,
    pub valid: bool,
    /// Words were lost before it.
    pub lost: bool,
    pub data: u32,
}

/// Sources of a port, some of them switched off.
fn config(rng: &mut Rng, sources: &[(u8, TraceUnit)]) -> PortConfig {
    let source = |index: usize| sources.get(index).copied();
    PortConfig {
        ids: std::array::from_fn(|index| source(index).map_or(0x7F, |(id, _)| id)),
        units: std::array::from_fn(|index| source(index).unwrap_or_default().1),
        enables: if rng.random_ratio(3, 4) {
            0xF
        } else {
            rng.random_range(0..=0xF)
        },
        lenient: rng.random(),
    }
}

/// The start of each framed capture.
fn captured(rng: &mut Rng) -> Vec<(PortConfig, Vec<u32>)> {
    let framed = golden_captures().into_iter().map(|(_, capture)| capture);
    framed
        .filter(|capture| capture.format != Format::Raw)
        .map(|capture| {
            let sources: Vec<_> = source_streams(&capture)
                .iter()
                .map(|stream| (stream.id, TraceUnit::from(stream)))
                .collect();
            let mut words = capture_words(&capture);
            words.truncate(CAPTURE_WORDS);
            (config(rng, &sources), words)
        })
        .collect()
}

/// Framed streams of four sources, two ports of three damaged.
fn generated(rng: &mut Rng) -> Vec<(PortConfig, Vec<u32>)> {
    let ids = [0x01, 0x10, 0x3F, 0x6F].map(|id| TraceId::new(id).expect("an ID"));
    (0..PORTS)
        .map(|number| {
            let sets = ids.map(|_| RegisterSet::any(rng));
            let options = StreamOptions {
                packets: 30,
                sync_every: 10,
                ..StreamOptions::default()
            };
            let streams = sets.map(|set| legal_stream(rng, &set.config(), &options).bytes);
            let parts: Vec<_> = ids
                .into_iter()
                .zip(streams.iter().map(Vec::as_slice))
                .collect();
            let mut port = frame_streams(rng, &parts, &Framing::PORT);
            if number % 3 > 0 {
                let kind = *Damage::ALL.choose(rng).expect("a kind of damage");
                port = damage(rng, &port, kind, 0.01);
            }
            let sources: Vec<_> = ids
                .into_iter()
                .zip(&sets)
                .map(|(id, set)| (id.value(), set.into()))
                .collect();
            let words = port.chunks_exact(4);
            let words = words.map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
            (config(rng, &sources), words.collect())
        })
        .collect()
}

/// The input of a whole run. Idle cycles have random data.
pub fn port_words() -> Vec<PortWord> {
    let mut rng = rng(SEED);
    let mut ports = captured(&mut rng);
    ports.extend(generated(&mut rng));
    let mut cycles = Vec::new();
    for (config, words) in ports {
        let pause = |rng: &mut Rng, reset| PortWord {
            config,
            reset,
            valid: false,
            lost: rng.random(),
            data: rng.random(),
        };
        let pauses = *[0.0, 0.1, 0.5].choose(&mut rng).expect("a rate");
        for _ in 0..rng.random_range(0..4) {
            cycles.push(pause(&mut rng, true));
        }
        for data in words {
            while rng.random_bool(pauses) {
                cycles.push(pause(&mut rng, false));
            }
            // Half-words that a port in sync never has: frame alignment is lost, and found again.
            let is_corrupt = rng.random_bool(0.01);
            let corrupt = *[0xFF, 0xFFFF, 0xFF_0000, 0xFFFF_0000]
                .choose(&mut rng)
                .expect("a mask");
            cycles.push(PortWord {
                config,
                reset: rng.random_bool(0.001),
                valid: true,
                lost: rng.random_bool(0.002),
                data: if is_corrupt { data | corrupt } else { data },
            });
        }
    }
    cycles
}
