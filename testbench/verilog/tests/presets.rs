// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every preset in Verilator puts out, cycle by cycle, what its simulation puts out.

use etm4_pipelines::engine::{full_words, simulate_port, simulate_source};
use etm4_pipelines::{InputWord, LaneWord, PortSource, Preset, SourceConfig};
use etm4_protocol::{Profile, Protocol, Registers};
use etm4_verilog::preset::PresetEngine;
use etm4_verilog::tools::{Tool, skip_or_fail};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn config() -> SourceConfig {
    let registers = Registers {
        trcconfigr: 0x1_0703,
        trcidr0: 0x0801_8EF9,
        trcidr1: 0x4100_F463,
        trcidr2: 0x1000_1088,
        trcidr8: 20,
        trcdevarch: 0,
    };
    SourceConfig {
        protocol: Protocol::Etm4,
        profile: Profile::A,
        registers,
        lenient: true,
    }
}

/// Words of each run.
const WORDS: usize = 1500;

/// Bytes with an A-Sync now and then.
fn bytes(rng: &mut ChaCha8Rng, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while bytes.len() < count {
        bytes.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80]);
        bytes.extend((0..rng.random_range(10..60)).map(|_| rng.random::<u8>()));
    }
    bytes
}

/// Words of a preset, most of them full, with gaps and losses.
fn source_words(rng: &mut ChaCha8Rng, lanes: usize) -> Vec<Option<InputWord>> {
    let bytes = bytes(rng, WORDS * lanes);
    let words = full_words(lanes, &bytes).map(|word| {
        let keep = if rng.random_bool(0.8) {
            word.keep
        } else {
            rng.random()
        };
        let discontinuity = rng.random_bool(0.01);
        rng.random_bool(0.9).then_some(InputWord {
            data: word.data,
            keep,
            discontinuity,
        })
    });
    words.collect()
}

#[test]
fn source_presets_in_verilator_equal_their_simulation() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    for preset in Preset::ALL
        .into_iter()
        .filter(|preset| !preset.takes_frames())
    {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        let words = source_words(&mut rng, preset.bytes_per_cycle());
        let mut want: Vec<(u64, LaneWord)> = Vec::new();
        simulate_source(preset, &config(), words.iter().copied(), |cycle, word| {
            want.push((cycle, word.clone()))
        });
        let mut got = Vec::new();
        let engine = PresetEngine::new(preset).expect("the preset compiles");
        engine
            .run_source(&config(), words.into_iter(), |cycle, word| {
                got.push((cycle, word.clone()))
            })
            .expect("the program runs");
        let name = preset.name();
        assert!(want.len() > WORDS / 2, "{name}: {} results", want.len());
        for (want, got) in want.iter().zip(&got) {
            assert_eq!(got, want, "{name}");
        }
        assert_eq!(got.len(), want.len(), "{name}");
    }
}

/// Words of a trace port: frames with an ID at the start and data that mostly keeps it, half syncs
/// and gaps in between.
fn port_words(rng: &mut ChaCha8Rng) -> Vec<Option<u32>> {
    let mut words = Vec::new();
    for _ in 0..100 {
        words.push(Some(0x7FFF_FFFF));
        for frame_word in 0..rng.random_range(1..40) {
            let id = rng.random_range(0x0Fu32..0x14) << 1 | 1;
            let data: u32 = rng.random::<u32>() & 0x00FE_FF00;
            words.push(Some(if frame_word % 4 == 0 {
                data & !0xFF | id
            } else {
                data | rng.random::<u32>() & 0x00FE
            }));
            if rng.random_bool(0.1) {
                words.push(Some(0x7FFF_7FFF));
            }
            if rng.random_bool(0.1) {
                words.push(None);
            }
        }
    }
    words
}

#[test]
fn port_presets_in_verilator_equal_their_simulation() {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let sources = [0x10, 0x11, 0x12, 0x13].map(|trace_id| PortSource {
        trace_id,
        config: config(),
    });
    for preset in Preset::ALL
        .into_iter()
        .filter(|preset| preset.takes_frames())
    {
        let words = port_words(&mut ChaCha8Rng::seed_from_u64(8));
        let mut want = Vec::new();
        let run = words.iter().copied();
        simulate_port(preset, &sources, run, |source, cycle, word| {
            want.push((cycle, source, word.clone()))
        });
        let mut got = Vec::new();
        let engine = PresetEngine::new(preset).expect("the preset compiles");
        engine
            .run_port(&sources, words.into_iter(), |source, cycle, word| {
                got.push((cycle, source, word.clone()))
            })
            .expect("the program runs");
        let name = preset.name();
        assert!(want.len() > 500, "{name}: {} results", want.len());
        for (want, got) in want.iter().zip(&got) {
            assert_eq!(got, want, "{name}");
        }
        assert_eq!(got.len(), want.len(), "{name}");
    }
}
