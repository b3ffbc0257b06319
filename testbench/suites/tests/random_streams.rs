// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random legal and broken streams: the hardware reports the model's records, and recovers at the
//! next A-Sync. A failure names its seed. The chained decoders run in the Rust simulation, every
//! preset in Verilator.

use coretrace_coresight::TraceId;
use coretrace_etm::{Kind, Record};
use coretrace_pipelines::DecoderTop;
use coretrace_pipelines::sim::InputWord;
use coretrace_pipelines::sim::full_words;
use coretrace_test_gen::{
    Damage, Framing, RegisterSet, Rng, StreamOptions, damage, frame_streams, legal_stream, rng,
    rounds,
};
use coretrace_test_simulate::Backend;
use coretrace_test_support::{DecoderSetup, check_port, in_parallel, port_presets, source_presets};
use coretrace_test_verilog::preset::PresetEngine;
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use std::ops::Range;

/// Seeds of a simulated decoder of one source; half of them damage the stream.
fn source_seeds() -> u64 {
    rounds(120, 500)
}

/// Seeds of one in Verilator: in the gate, and at night.
const VERILOG_SEEDS: u64 = 200;
const NIGHTLY_SEEDS: Range<u64> = VERILOG_SEEDS..1500;
/// Seeds of a simulated decoder with a trace port.
const PORT_SEEDS: u64 = 60;
/// Seeds of one in Verilator: in the gate, and at night.
const VERILOG_PORT_SEEDS: u64 = 60;
const NIGHTLY_PORT_SEEDS: Range<u64> = VERILOG_PORT_SEEDS..300;

/// How words are filled.
#[derive(Clone, Copy)]
struct Filling {
    /// With any keep masks and gaps.
    is_sparse: bool,
    /// The probability of a loss before a word.
    losses: f64,
    /// No losses from this byte on.
    losses_end: usize,
}

/// Words of a stream. Invalid lanes have random bytes.
fn words(rng: &mut Rng, lanes: usize, bytes: &[u8], filling: Filling) -> Vec<Option<InputWord>> {
    let mut rest = bytes;
    let mut words = Vec::new();
    while !rest.is_empty() {
        let done = bytes.len() - rest.len();
        let mut word = InputWord {
            data: rng.random(),
            keep: 0,
            discontinuity: done < filling.losses_end && rng.random_bool(filling.losses),
        };
        let mask = if filling.is_sparse {
            rng.random()
        } else {
            u32::MAX
        };
        for lane in (0..lanes).filter(|lane| mask >> lane & 1 == 1) {
            let Some((&byte, more)) = rest.split_first() else {
                break;
            };
            word.data = word.data & !(0xFF << (8 * lane)) | u128::from(byte) << (8 * lane);
            word.keep |= 1 << lane;
            rest = more;
        }
        while filling.is_sparse && rng.random_bool(0.1) {
            words.push(None);
        }
        words.push(Some(word));
    }
    words
}

/// The same packets, whatever precedes them in the stream.
fn assert_recovered(seed: u64, all: &[Record], clean: &[Record], before: u64) {
    let tail = &all[all.len().saturating_sub(clean.len())..];
    assert_eq!(tail.len(), clean.len(), "seed {seed}: records are missing");
    for (index, (got, want)) in tail.iter().zip(clean).enumerate() {
        if index == 0 {
            assert_eq!(got.kind, Kind::Async, "seed {seed}");
            assert_eq!(
                got.offset + got.len,
                before + want.len,
                "seed {seed}: where the A-Sync ends"
            );
            continue;
        }
        let want = Record {
            offset: want.offset + before,
            ..*want
        };
        assert_eq!(*got, want, "seed {seed}: after the A-Sync");
    }
}

fn check(backend: &Backend, seeds: Range<u64>) {
    let lanes = backend.preset().bytes_per_cycle();
    for seed in seeds {
        let mut rng = rng(seed);
        let setup = DecoderSetup {
            set: RegisterSet::any(&mut rng),
            lenient: rng.random(),
        };
        let config = setup.set.config();
        let options = StreamOptions {
            packets: 40,
            sync_every: 25,
            unusual: rng.random(),
            ..Default::default()
        };
        let mut bytes = legal_stream(&mut rng, &config, &options).bytes;
        let is_damaged = seed % 2 == 1;
        if is_damaged {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            bytes = damage(&mut rng, &bytes, kind, 0.02);
        }
        let before = bytes.len();
        let options = StreamOptions {
            packets: 15,
            ..Default::default()
        };
        let clean = legal_stream(&mut rng, &config, &options).bytes;
        bytes.extend(&clean);

        let filling = Filling {
            is_sparse: rng.random(),
            losses: if is_damaged { 0.03 } else { 0.0 },
            losses_end: before,
        };
        let words = words(&mut rng, lanes, &bytes, filling);
        let got = setup.check(backend, &words, &format!("seed {seed}"));
        let clean: Vec<_> = full_words(lanes, &clean).map(Some).collect();
        assert_recovered(seed, &got, &setup.in_model(&clean), before as u64);
    }
}

#[test]
fn the_byte_decoder_equals_the_model_and_recovers() {
    check(
        &Backend::Simulation(DecoderTop::Etm4Byte),
        0..source_seeds(),
    );
}

#[test]
fn the_four_byte_decoder_equals_the_model_and_recovers() {
    let seeds = 500..500 + source_seeds();
    check(&Backend::Simulation(DecoderTop::Etm4X4), seeds);
}

fn check_verilog_of_sources(seeds: Range<u64>) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    in_parallel(source_presets(), |preset| {
        let engine = PresetEngine::new(preset).expect("the preset compiles");
        check(&Backend::Verilog(engine), seeds.clone());
    });
}

#[test]
fn the_verilog_of_every_source_preset_equals_the_model_and_recovers() {
    check_verilog_of_sources(0..VERILOG_SEEDS);
}

#[test]
#[ignore = "nightly: many seeds"]
fn the_verilog_of_every_source_preset_equals_the_model_on_many_seeds() {
    check_verilog_of_sources(NIGHTLY_SEEDS);
}

fn check_ports(backend: &Backend, seeds: Range<u64>) {
    for seed in seeds {
        let mut rng = rng(seed);
        let lenient = rng.random();
        let ids = [0x01, 0x10, 0x3F, 0x6F].map(|id| TraceId::new(id).expect("an ID"));
        let sources = ids.map(|id| {
            let set = RegisterSet::any(&mut rng);
            (id, DecoderSetup { set, lenient })
        });
        let options = StreamOptions {
            packets: 60,
            sync_every: 15,
            ..Default::default()
        };
        let streams =
            sources.map(|(_, setup)| legal_stream(&mut rng, &setup.set.config(), &options).bytes);
        let parts: Vec<(TraceId, &[u8])> = ids
            .into_iter()
            .zip(&streams)
            .map(|(id, bytes)| (id, &bytes[..]))
            .collect();
        let mut port = frame_streams(&mut rng, &parts, &Framing::PORT);
        if seed % 4 != 0 {
            let kind = if rng.random() {
                Damage::LostWord
            } else {
                Damage::BitFlip
            };
            port = damage(&mut rng, &port, kind, 0.003);
        }
        check_port(backend, &sources, &port, &format!("seed {seed}"));
    }
}

#[test]
fn the_port_decoder_equals_the_model_on_damaged_ports() {
    check_ports(&Backend::Simulation(DecoderTop::TpiuEtm4X4), 0..PORT_SEEDS);
}

fn check_verilog_of_ports(seeds: Range<u64>) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    in_parallel(port_presets(), |preset| {
        let engine = PresetEngine::new(preset).expect("the preset compiles");
        check_ports(&Backend::Verilog(engine), seeds.clone());
    });
}

#[test]
fn the_verilog_of_every_port_preset_equals_the_model_on_damaged_ports() {
    check_verilog_of_ports(0..VERILOG_PORT_SEEDS);
}

#[test]
#[ignore = "nightly: many seeds"]
fn the_verilog_of_every_port_preset_equals_the_model_on_many_seeds() {
    check_verilog_of_ports(NIGHTLY_PORT_SEEDS);
}
