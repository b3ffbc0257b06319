// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is on the port: frames with the streams of three sources, gaps, and losses.

use std::iter::repeat_n;

use coretrace_coresight::TraceId;
use coretrace_itm::Config as ItmConfig;
use coretrace_test_gen::{Damage, Framing, RegisterSet, Rng, StreamOptions, damage};
use coretrace_test_gen::{frame_streams, itm_stream, legal_stream, rng, stm_stream};
use coretrace_test_support::DecoderSetup;
use rand::RngExt;
use rand::seq::IndexedRandom;

use crate::SOURCES;

/// Trace IDs of the ETM, the STM and the ITM.
pub const IDS: [u8; SOURCES] = [0x10, 0x21, 0x6F];

/// A word, and whether words were lost before it.
pub type PortWord = (u32, bool);

/// What may happen to a port.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Nothing.
    Whole,
    /// Words are lost with and without a report, bits are wrong, and sources send bytes that are no packets.
    Broken,
}

/// A port and the settings of what decodes it.
pub struct Port {
    /// The ETM, and the error policy of all sources.
    pub etm: DecoderSetup,
    pub itm: ItmConfig,
    /// None in a cycle without a word.
    pub cycles: Vec<Option<PortWord>>,
}

impl Port {
    /// The port of a seed.
    pub fn random(seed: u64, shape: Shape) -> Port {
        let rng = &mut rng(seed);
        let etm = any_etm(rng);
        let itm = any_itm(rng);
        let kind = |rng: &mut Rng| *Damage::ALL.choose(rng).expect("a kind");
        let broken = |rng: &mut Rng| (shape == Shape::Broken).then(|| kind(rng));
        let of_etm = etm_stream(rng, &etm);
        let (stm_kind, itm_kind) = (broken(rng), broken(rng));
        let of_stm = stm_stream(rng, 60, stm_kind);
        let of_itm = itm_stream(rng, 60, itm_kind);
        let mut bytes = framed(rng, &[&of_etm, &of_stm, &of_itm]);
        let mut cycles = Vec::new();
        if shape == Shape::Broken {
            let kinds = [Damage::LostWord, Damage::BitFlip];
            let kind = *kinds.choose(rng).expect("a kind");
            bytes = damage(rng, &bytes, kind, 0.002);
            put(rng, &bytes, 0.003, &mut cycles);
        } else {
            put(rng, &bytes, 0.0, &mut cycles);
        }
        Port { etm, itm, cycles }.ended(rng)
    }

    /// A port with these streams of an STM and an ITM beside an ETM.
    pub fn of(rng: &mut Rng, stm: &[u8], itm: &[u8]) -> Port {
        let (etm, config) = (any_etm(rng), any_itm(rng));
        let of_etm = etm_stream(rng, &etm);
        let bytes = framed(rng, &[&of_etm, stm, itm]);
        let mut cycles = Vec::new();
        put(rng, &bytes, 0.0, &mut cycles);
        let itm = config;
        Port { etm, itm, cycles }.ended(rng)
    }

    /// The port with so many cycles for each of its cycles.
    pub fn slowed(mut self, slowness: usize) -> Port {
        let pauses = slowness - 1;
        let slow = |cycle| repeat_n(None, pauses).chain([cycle]);
        self.cycles = self.cycles.into_iter().flat_map(slow).collect();
        self
    }

    /// The port with whole streams at its end, so that no source ends in a packet or without a sync.
    fn ended(mut self, rng: &mut Rng) -> Port {
        let of_etm = etm_stream(rng, &self.etm);
        let (of_stm, of_itm) = (stm_stream(rng, 5, None), itm_stream(rng, 5, None));
        let bytes = framed(rng, &[&of_etm, &of_stm, &of_itm]);
        put(rng, &bytes, 0.0, &mut self.cycles);
        self
    }
}

fn any_etm(rng: &mut Rng) -> DecoderSetup {
    DecoderSetup {
        set: RegisterSet::any(rng),
        lenient: rng.random(),
    }
}

/// Any prescaler, in use or not.
fn any_itm(rng: &mut Rng) -> ItmConfig {
    ItmConfig {
        itm_tcr: rng.random_range(0..64) << 4,
    }
}

fn etm_stream(rng: &mut Rng, etm: &DecoderSetup) -> Vec<u8> {
    let options = StreamOptions {
        packets: 60,
        sync_every: 15,
        ..StreamOptions::default()
    };
    legal_stream(rng, &etm.set.config(), &options).bytes
}

/// The streams of the sources in frames.
fn framed(rng: &mut Rng, streams: &[&[u8]; SOURCES]) -> Vec<u8> {
    let ids = IDS.map(|id| TraceId::new(id).expect("an ID"));
    let sources: Vec<(TraceId, &[u8])> = ids.into_iter().zip(streams.iter().copied()).collect();
    frame_streams(rng, &sources, &Framing::PORT)
}

/// Puts words on the port with gaps; of those that are lost, the next one has a report.
fn put(rng: &mut Rng, bytes: &[u8], losses: f64, cycles: &mut Vec<Option<PortWord>>) {
    let gaps = *[0.0, 0.3].choose(rng).expect("a chance");
    let mut lost = false;
    for word in bytes.as_chunks().0 {
        if rng.random_bool(losses) {
            lost = true;
            continue;
        }
        while rng.random_bool(gaps) {
            cycles.push(None);
        }
        cycles.push(Some((u32::from_le_bytes(*word), lost)));
        lost = false;
    }
}
