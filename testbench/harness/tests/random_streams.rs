// SPDX-License-Identifier: MIT OR Apache-2.0
//! Random legal and broken streams: the hardware gives the model's records, and is right again
//! from the next A-Sync on. A failure names its seed.

use etm4_gen::{
    Damage, Framing, RegisterSet, Rng, StreamOptions, damage, frame_streams, legal_stream, rng,
};
use etm4_model::tpiu::{Deframer, Demux, Format, RunEvent};
use etm4_model::{Decoder, Policy};
use etm4_pipelines::engine::{full_words, simulate_port, simulate_source};
use etm4_pipelines::{Collector, InputWord, PortSource, Preset, SourceConfig};
use etm4_protocol::tpiu::TraceId;
use etm4_protocol::{Kind, Record};
use rand::RngExt;

/// Seeds of the tests with one source; half of them damage the stream.
const SOURCE_SEEDS: u64 = 1000;
/// Seeds of the test with a trace port.
const PORT_SEEDS: u64 = 60;

fn policy(lenient: bool) -> Policy {
    if lenient {
        Policy::Lenient
    } else {
        Policy::Resync
    }
}

fn source_config(set: &RegisterSet, lenient: bool) -> SourceConfig {
    SourceConfig {
        protocol: set.protocol,
        profile: set.profile,
        registers: set.registers,
        lenient,
    }
}

fn modelled(set: &RegisterSet, lenient: bool, bytes: &[u8]) -> Vec<Record> {
    let mut records = Vec::new();
    let mut decoder = Decoder::new(set.config(), policy(lenient));
    decoder.feed(bytes, |record| records.push(*record));
    decoder.finish(|record| records.push(*record));
    records
}

/// Full words, now and then with a gap or a sparse mask.
fn words(rng: &mut Rng, lanes: usize, bytes: &[u8]) -> Vec<Option<InputWord>> {
    if rng.random() {
        return full_words(lanes, bytes).map(Some).collect();
    }
    let mut rest = bytes;
    let mut words = Vec::new();
    while !rest.is_empty() {
        let mut word = InputWord {
            keep: rng.random_range(0..1 << lanes),
            ..InputWord::default()
        };
        for lane in 0..lanes {
            match rest.split_first() {
                Some((&byte, more)) if word.keep >> lane & 1 == 1 => {
                    word.data |= u32::from(byte) << (8 * lane);
                    rest = more;
                }
                _ => word.keep &= !(1 << lane),
            }
        }
        if rng.random_bool(0.1) {
            words.push(None);
        }
        words.push(Some(word));
    }
    words
}

fn in_hardware(
    preset: Preset,
    config: &SourceConfig,
    words: &[Option<InputWord>],
    bytes: &[u8],
) -> Vec<Record> {
    let mut records = Vec::new();
    let mut collector = Collector::new(config.lenient);
    simulate_source(preset, config, words.iter().copied(), |_, word| {
        collector.word(word, |record| records.push(*record));
    });
    collector.finish(
        |offset| bytes[offset as usize],
        |record| records.push(*record),
    );
    records
}

/// The same packets, whatever stood before them in the stream.
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

fn check(preset: Preset, seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let mut rng = rng(seed);
        let set = RegisterSet::any(&mut rng);
        let lenient = rng.random();
        let options = StreamOptions {
            packets: 40,
            sync_every: 25,
            unusual: rng.random(),
            ..Default::default()
        };
        let mut bytes = legal_stream(&mut rng, &set.config(), &options).bytes;
        if seed % 2 == 1 {
            let kind = Damage::ALL[rng.random_range(0..Damage::ALL.len())];
            bytes = damage(&mut rng, &bytes, kind, 0.02);
        }
        let before = bytes.len() as u64;
        let options = StreamOptions {
            packets: 15,
            ..Default::default()
        };
        let clean = legal_stream(&mut rng, &set.config(), &options).bytes;
        bytes.extend(&clean);

        let config = source_config(&set, lenient);
        let words = words(&mut rng, preset.bytes_per_cycle(), &bytes);
        let got = in_hardware(preset, &config, &words, &bytes);
        let want = modelled(&set, lenient, &bytes);
        for (got, want) in got.iter().zip(&want) {
            assert_eq!(got, want, "seed {seed}, {set:?}, lenient {lenient}");
        }
        assert_eq!(got.len(), want.len(), "seed {seed}");
        assert_recovered(seed, &got, &modelled(&set, lenient, &clean), before);
    }
}

#[test]
fn the_byte_decoder_equals_the_model_and_recovers() {
    check(Preset::Etm4Byte, 0..SOURCE_SEEDS / 2);
}

#[test]
fn the_four_byte_decoder_equals_the_model_and_recovers() {
    check(
        Preset::Etm4X4,
        SOURCE_SEEDS / 2..SOURCE_SEEDS + SOURCE_SEEDS / 2,
    );
}

/// The model from the port on: the records of each source.
fn port_model(sources: &[(TraceId, RegisterSet)], lenient: bool, port: &[u8]) -> Vec<Vec<Record>> {
    let mut decoders: Vec<Decoder> = sources
        .iter()
        .map(|(_, set)| Decoder::new(set.config(), policy(lenient)))
        .collect();
    let mut records = vec![Vec::new(); sources.len()];
    let mut demux = Demux::new(sources.iter().map(|(id, _)| *id));
    Deframer::new(Format::TpiuHsync).feed(port, |event| match event {
        RunEvent::Run(run) => {
            if let Some(index) = demux
                .route(&run)
                .and_then(|id| sources.iter().position(|(known, _)| *known == id))
            {
                decoders[index].feed(run.bytes, |record| records[index].push(*record));
            }
        }
        RunEvent::Discontinuity { .. } => {
            for (decoder, records) in decoders.iter_mut().zip(&mut records) {
                decoder.discontinuity(|record| records.push(*record));
            }
        }
    });
    records
}

#[test]
fn the_port_decoder_equals_the_model_on_damaged_ports() {
    for seed in 0..PORT_SEEDS {
        let mut rng = rng(seed);
        let lenient = rng.random();
        let ids = [0x01, 0x10, 0x3F, 0x6F].map(|id| TraceId::new(id).expect("an ID"));
        let sources = ids.map(|id| (id, RegisterSet::any(&mut rng)));
        let options = StreamOptions {
            packets: 60,
            sync_every: 15,
            ..Default::default()
        };
        let streams = sources.map(|(_, set)| legal_stream(&mut rng, &set.config(), &options).bytes);
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
        let port_sources: Vec<PortSource> = sources
            .iter()
            .map(|(id, set)| PortSource {
                trace_id: id.value(),
                config: source_config(set, lenient),
            })
            .collect();
        let words = port
            .chunks_exact(4)
            .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let mut records = vec![Vec::new(); sources.len()];
        let mut collectors = vec![Collector::new(lenient); sources.len()];
        simulate_port(&port_sources, words.map(Some), |source, _, word| {
            collectors[source].word(word, |record| records[source].push(*record));
        });
        let want = port_model(&sources, lenient, &port);
        for (source, (got, want)) in records.iter().zip(&want).enumerate() {
            for (got, want) in got.iter().zip(want) {
                assert_eq!(got, want, "seed {seed}, source {source}");
            }
            // A loss behind the last frame has no word to travel with: the model tells of it.
            let told = want.len()
                - usize::from(want.last().is_some_and(|last| last.kind == Kind::NotSync));
            assert!(
                (told..=want.len()).contains(&got.len()),
                "seed {seed}, source {source}"
            );
        }
    }
}
