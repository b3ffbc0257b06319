// SPDX-License-Identifier: MIT OR Apache-2.0
//! Two trace units behind the words of a logic analyzer: the bytes of each half go straight to a decoder, whose
//! records are those of the model.

use coretrace_coresight::ocla::{HALF_BITS, HALVES, HalfTable};
use coretrace_decode::{Decoder, Policy};
use coretrace_etm::{Record, SourceConfig};
use coretrace_hdl_coresight::{OclaHalf, PLACE_W};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_pipelines::Etm4JumpX4;
use coretrace_pipelines::sim::{DRAIN_CYCLES, InputWord, ResultDecoder, SourceSim};
use coretrace_test_gen::{RegisterSet, Rng, StreamOptions, legal_stream, rng};
use rand::RngExt;
use rand::seq::SliceRandom;
use rust_hdl::prelude::*;

/// Bits of a half in any order.
fn table(rng: &mut Rng) -> HalfTable {
    let mut bits: Vec<u8> = (0..HALF_BITS as u8).collect();
    bits.shuffle(rng);
    HalfTable {
        data: std::array::from_fn(|bit| bits[bit]),
        bytes: [bits[32], bits[33]],
        valid: bits[34],
    }
}

/// A trace unit in a half: its stream, and the blocks behind it.
struct Half {
    table: HalfTable,
    set: RegisterSet,
    bytes: Vec<u8>,
    place: usize,
    block: OclaHalf<32, 1>,
    decoder: Etm4JumpX4,
    results: ResultDecoder,
    records: Vec<Record>,
}

impl Half {
    fn new(rng: &mut Rng) -> Half {
        let (table, set) = (table(rng), RegisterSet::any(rng));
        let options = StreamOptions {
            packets: 200,
            sync_every: 40,
            ..StreamOptions::default()
        };
        let bytes = legal_stream(rng, &set.config(), &options).bytes;
        let mut block = OclaHalf::default();
        block.connect_all();
        for (input, place) in block.at_data.iter_mut().zip(table.data) {
            input.next = u64::from(place).into();
        }
        let [low, high] = table.bytes.map(u64::from);
        block.at_bytes.next = (high << PLACE_W | low).into();
        block.at_valid.next = u64::from(table.valid).into();
        Half {
            table,
            bytes,
            place: 0,
            block,
            decoder: Etm4JumpX4::start(&SourceConfig {
                protocol: set.protocol,
                profile: set.profile,
                registers: set.registers,
                lenient: false,
            }),
            results: ResultDecoder::new(set.config(), false),
            records: Vec::new(),
            set,
        }
    }

    /// The half in the next cycle: up to four bytes, and anything in the bits that nobody reads.
    fn next(&mut self, rng: &mut Rng) -> u64 {
        let rest = &self.bytes[self.place..];
        let count = rng.random_range(0..=4).min(rest.len());
        let mut bytes: [u8; 4] = rng.random();
        bytes[..count].copy_from_slice(&rest[..count]);
        self.place += count;
        let half = self.table.half_of(u32::from_le_bytes(bytes), count);
        let used = self.table.half_of(u32::MAX, 4);
        half | rng.random::<u64>() >> (64 - HALF_BITS) & !used
    }

    fn clock(&mut self, half: Option<u64>) {
        let block = &mut self.block;
        block.s_valid.next = half.is_some();
        block.s_half.next = half.unwrap_or_default().into();
        cycle(block, |block, clock| block.clock.next = clock);
        let word = block.m_valid.val().then(|| InputWord {
            data: block.m_data.val().to_u128(),
            keep: block.m_keep.val().to_u32(),
            discontinuity: false,
        });
        if let Some(results) = self.decoder.step(word.as_ref()) {
            self.results
                .word(&results, |record| self.records.push(*record));
        }
    }

    fn model(&self) -> Vec<Record> {
        let mut records = Vec::new();
        let mut decoder = Decoder::new(self.set.config(), Policy::Resync);
        decoder.feed(&self.bytes, |record| records.push(*record));
        decoder.finish(|record| records.push(*record));
        records
    }
}

#[test]
fn both_halves_of_an_analyzer_reach_their_decoders() {
    for seed in 0..6 {
        let mut rng = rng(seed);
        let mut halves: [Half; HALVES] = std::array::from_fn(|_| Half::new(&mut rng));
        while halves.iter().any(|half| half.place < half.bytes.len()) {
            // The word has both halves.
            let is_there = rng.random_bool(0.9);
            for half in &mut halves {
                let word = is_there.then(|| half.next(&mut rng));
                half.clock(word);
            }
        }
        for half in &mut halves {
            (0..DRAIN_CYCLES).for_each(|_| half.clock(None));
            let want = half.model();
            assert!(half.records == want, "seed {seed}");
            assert!(want.len() > 100, "seed {seed}: {}", want.len());
        }
    }
}
