// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole streams through simulated presets.

use crate::sim::ResultWord;
use crate::sim::{InputWord, SourceSim};
use crate::sim::{PortSim, PortSource, PortStatus};
use crate::{DecoderTop, Etm4Byte, Etm4JumpX4, Etm4JumpX8, Etm4JumpX16, Etm4X4};
use crate::{Etm4OnehotX4, Etm4OnehotX8, TpiuEtm4JumpX4, TpiuEtm4X4};
use coretrace_etm::SourceConfig;

/// Cycles without input after which every result of a preset has come out.
pub const DRAIN_CYCLES: usize = 128;

/// The bytes of a stream as full words of `lanes` bytes; the last one may be partial.
pub fn full_words(lanes: usize, bytes: &[u8]) -> impl Iterator<Item = InputWord> + Clone {
    bytes.chunks(lanes).map(|chunk| {
        let data = chunk
            .iter()
            .rev()
            .fold(0, |data, &byte| data << 8 | u128::from(byte));
        InputWord {
            data,
            keep: u32::MAX >> (32 - chunk.len()),
            discontinuity: false,
        }
    })
}

/// Runs a decoder of one source over a sequence of words and gaps. `sink` gets every result word
/// with the number of the cycle in which it came out, counted from the first input.
///
/// # Panics
/// If the preset has no single source at its input.
pub fn simulate_source(
    preset: DecoderTop,
    config: &SourceConfig,
    words: impl Iterator<Item = Option<InputWord>>,
    sink: impl FnMut(u64, &ResultWord),
) {
    let (mut words, mut sink) = (words, sink);
    source(preset, config, &mut words, &mut sink);
}

/// Compiled here once, not in each crate that simulates.
fn source(
    preset: DecoderTop,
    config: &SourceConfig,
    words: &mut dyn Iterator<Item = Option<InputWord>>,
    sink: &mut dyn FnMut(u64, &ResultWord),
) {
    match preset {
        DecoderTop::Etm4Byte => run::<Etm4Byte>(config, words, sink),
        DecoderTop::Etm4X4 => run::<Etm4X4>(config, words, sink),
        DecoderTop::Etm4OnehotX4 => run::<Etm4OnehotX4>(config, words, sink),
        DecoderTop::Etm4OnehotX8 => run::<Etm4OnehotX8>(config, words, sink),
        DecoderTop::Etm4JumpX4 => run::<Etm4JumpX4>(config, words, sink),
        DecoderTop::Etm4JumpX8 => run::<Etm4JumpX8>(config, words, sink),
        DecoderTop::Etm4JumpX16 => run::<Etm4JumpX16>(config, words, sink),
        DecoderTop::TpiuEtm4X4 | DecoderTop::TpiuEtm4JumpX4 => {
            panic!("{} takes the words of a trace port", preset.name())
        }
    }
}

fn run<S: SourceSim>(
    config: &SourceConfig,
    words: &mut dyn Iterator<Item = Option<InputWord>>,
    sink: &mut dyn FnMut(u64, &ResultWord),
) {
    let mut sim = S::start(config);
    let drain = std::iter::repeat_n(None, DRAIN_CYCLES);
    for (cycle, word) in (0..).zip(words.chain(drain)) {
        if let Some(result) = sim.step(word.as_ref()) {
            sink(cycle, &result);
        }
    }
}

/// Runs a preset with a trace port over the words of one. `sink` gets every result word with the
/// index of its source and its cycle. Returns the status at the end.
///
/// # Panics
/// If the preset has no trace port.
pub fn simulate_port(
    preset: DecoderTop,
    sources: &[PortSource],
    words: impl Iterator<Item = Option<u32>>,
    sink: impl FnMut(usize, u64, &ResultWord),
) -> PortStatus {
    let (mut words, mut sink) = (words, sink);
    port(preset, sources, &mut words, &mut sink)
}

/// As [`source`].
fn port(
    preset: DecoderTop,
    sources: &[PortSource],
    words: &mut dyn Iterator<Item = Option<u32>>,
    sink: &mut dyn FnMut(usize, u64, &ResultWord),
) -> PortStatus {
    match preset {
        DecoderTop::TpiuEtm4X4 => run_port::<TpiuEtm4X4>(sources, words, sink),
        DecoderTop::TpiuEtm4JumpX4 => run_port::<TpiuEtm4JumpX4>(sources, words, sink),
        _ => panic!("{} has no trace port", preset.name()),
    }
}

fn run_port<S: PortSim>(
    sources: &[PortSource],
    words: &mut dyn Iterator<Item = Option<u32>>,
    sink: &mut dyn FnMut(usize, u64, &ResultWord),
) -> PortStatus {
    let mut sim = S::start(sources);
    let drain = std::iter::repeat_n(None, DRAIN_CYCLES);
    for (cycle, word) in (0..).zip(words.chain(drain)) {
        for (source, result) in sim.step(word).iter().enumerate() {
            if let Some(result) = result {
                sink(source, cycle, result);
            }
        }
    }
    sim.status()
}
