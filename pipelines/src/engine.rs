// SPDX-License-Identifier: MIT OR Apache-2.0
//! Whole streams through simulated presets.

use crate::collector::LaneWord;
use crate::port_sim::{PortSim, PortSource, PortStatus};
use crate::source_sim::{InputWord, SourceConfig, SourceSim};
use crate::{Etm4Byte, Etm4X4, Preset};

/// Cycles without input after which every result of a preset has come out.
pub const DRAIN_CYCLES: usize = 32;

/// The bytes of a stream as full words of `lanes` bytes; the last one may be partial.
pub fn full_words(lanes: usize, bytes: &[u8]) -> impl Iterator<Item = InputWord> + Clone {
    bytes.chunks(lanes).map(|chunk| {
        let data = chunk
            .iter()
            .rev()
            .fold(0, |data, &byte| data << 8 | u32::from(byte));
        InputWord {
            data,
            keep: (1 << chunk.len()) - 1,
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
    preset: Preset,
    config: &SourceConfig,
    words: impl Iterator<Item = Option<InputWord>>,
    sink: impl FnMut(u64, &LaneWord),
) {
    match preset {
        Preset::Etm4Byte => run::<Etm4Byte>(config, words, sink),
        Preset::Etm4X4 => run::<Etm4X4>(config, words, sink),
        Preset::TpiuEtm4X4 => panic!("{} takes the words of a trace port", preset.name()),
    }
}

fn run<S: SourceSim>(
    config: &SourceConfig,
    words: impl Iterator<Item = Option<InputWord>>,
    mut sink: impl FnMut(u64, &LaneWord),
) {
    let mut sim = S::start(config);
    let drain = std::iter::repeat_n(None, DRAIN_CYCLES);
    for (cycle, word) in (0..).zip(words.chain(drain)) {
        if let Some(result) = sim.step(word.as_ref()) {
            sink(cycle, &result);
        }
    }
}

/// Runs `tpiu_etm4_x4` over the words of a trace port. `sink` gets every result word with the
/// index of its source and its cycle. Returns the status at the end.
pub fn simulate_port(
    sources: &[PortSource],
    words: impl Iterator<Item = Option<u32>>,
    mut sink: impl FnMut(usize, u64, &LaneWord),
) -> PortStatus {
    let mut sim = PortSim::start(sources);
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
