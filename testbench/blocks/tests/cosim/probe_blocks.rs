// SPDX-License-Identifier: MIT OR Apache-2.0
//! The blocks of a probe with a serial line: those before the words of a port, and those after a
//! one-byte decoder.

use crate::SEED;
use crate::bench::Bench;
use crate::mixer::Mixer;
use crate::port_words::port_words;
use crate::source_words::{SourceWord, source_words};
use coretrace_coresight::FSYNC;
use coretrace_coresight::ocla::{HALF_BITS, HalfTable};
use coretrace_etm::{ArchProfile, Protocol, Registers, SourceConfig};
use coretrace_hdl_coresight::{EdgeSampler, OclaHalf, PLACE_W, PairAligner};
use coretrace_hdl_dataflow::Bus;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_etm::SourceSettings;
use coretrace_hdl_etm::chained::ChainedDecoder;
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_parts::stream::{UartRx, UartTx};
use coretrace_hdl_sink::records::{BytePacker, ByteRecord};
use coretrace_test_gen::rng;
use rand::RngExt;
use rust_hdl::prelude::*;
use std::sync::LazyLock;

/// Cycles of the blocks at either end.
const CYCLES: usize = 4000;
/// Results that go to the packer.
const RESULTS: usize = 1500;
/// Cycles between two of them.
const SPACING: usize = 16;

/// Samples of a port of 4 bits, with syncs at any edge.
fn samples() -> Vec<u64> {
    let mut rng = rng(SEED);
    let mut samples = Vec::new();
    for stretch in port_words().chunks(16) {
        let words = stretch.iter().map(|word| word.data).chain([FSYNC]);
        samples
            .extend(words.flat_map(|word| (0..8).map(move |at| u64::from(word >> (4 * at) & 0xF))));
        samples.extend((0..rng.random_range(0..8)).map(|_| rng.random_range(0..16)));
        if samples.len() > 2 * CYCLES {
            break;
        }
    }
    samples
}

impl Bench for EdgeSampler<4> {
    type Cycle = u64;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[u64]> {
        samples()
    }

    fn drive(&mut self, sample: &u64, _: &mut Mixer) {
        self.pins.next = (*sample).into();
    }
}

impl Bench for PairAligner {
    type Cycle = (u64, u64);
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[(u64, u64)]> {
        let samples = samples();
        let pairs = samples.chunks_exact(2);
        pairs.map(|pair| (pair[0], pair[1])).collect::<Vec<_>>()
    }

    fn drive(&mut self, (rise, fall): &(u64, u64), _: &mut Mixer) {
        self.rise.next = (*rise).into();
        self.fall.next = (*fall).into();
    }
}

impl Bench for OclaHalf<32, 1> {
    type Cycle = (bool, u64);
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[(bool, u64)]> {
        let mut rng = rng(SEED);
        let cycle = || {
            (
                rng.random_bool(0.8),
                rng.random::<u64>() >> (64 - HALF_BITS),
            )
        };
        std::iter::repeat_with(cycle)
            .take(CYCLES)
            .collect::<Vec<_>>()
    }

    fn drive(&mut self, (is_there, half): &(bool, u64), _: &mut Mixer) {
        let HalfTable { data, bytes, valid } = HalfTable::IN_ORDER;
        for (input, place) in self.at_data.iter_mut().zip(data) {
            input.next = u64::from(place).into();
        }
        let [low, high] = bytes.map(u64::from);
        self.at_bytes.next = (high << PLACE_W | low).into();
        self.at_valid.next = u64::from(valid).into();
        self.s_valid.next = *is_there;
        self.s_half.next = (*half).into();
    }
}

impl Bench for UartTx {
    type Cycle = (bool, bool, u32);
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    fn cycles() -> impl AsRef<[(bool, bool, u32)]> {
        let mut rng = rng(SEED);
        let mut cycle = || {
            (
                rng.random_ratio(1, 500),
                rng.random_ratio(1, 8),
                rng.random(),
            )
        };
        (0..CYCLES).map(|_| cycle()).collect::<Vec<_>>()
    }

    fn drive(&mut self, (reset, valid, data): &(bool, bool, u32), _: &mut Mixer) {
        self.reset.next = *reset;
        self.s_axis_tvalid.next = *valid;
        self.s_axis_tdata.next = data.to_bits();
    }
}

impl Bench for UartRx {
    type Cycle = bool;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    /// Characters of four cycles a bit, some of them without a stop bit, and noise.
    fn cycles() -> impl AsRef<[bool]> {
        let mut rng = rng(SEED);
        let mut line = Vec::new();
        while line.len() < CYCLES {
            let bits = u32::from(rng.random::<u8>()) << 1 | u32::from(rng.random_ratio(7, 8)) << 9;
            line.extend((0..10).flat_map(|bit| [bits >> bit & 1 == 1; 4]));
            line.extend(vec![true; rng.random_range(0..9)]);
            line.extend((0..rng.random_range(0..3)).map(|_| rng.random::<bool>()));
        }
        line
    }

    fn drive(&mut self, level: &bool, _: &mut Mixer) {
        self.rx.next = *level;
    }
}

/// A result of the one-byte decoder.
#[derive(Clone)]
pub struct ByteResult {
    word: SourceWord<1>,
    lane: Bus<LANE_RESULT_W>,
    pair: Bus<PAIR_RESULT_W>,
    keep: bool,
    lost: bool,
}

/// The run that both blocks share.
static RESULTS_OF_ALL: LazyLock<Vec<ByteResult>> = LazyLock::new(|| {
    let mut decoder = ChainedDecoder::<1, 1>::default();
    decoder.connect_all();
    let mut results = Vec::new();
    for word in source_words() {
        decoder.drive(&word, &mut Mixer::none());
        cycle(&mut decoder, |uut, clock| uut.clock.next = clock);
        if decoder.m_valid.val() {
            results.push(ByteResult {
                word,
                lane: decoder.m_lane[0].val(),
                pair: decoder.m_pair[0].val(),
                keep: decoder.m_keep[0].val(),
                lost: decoder.m_discontinuity.val(),
            });
        }
    }
    results
});

impl Bench for ByteRecord<1> {
    type Cycle = ByteResult;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = None;

    fn cycles() -> impl AsRef<[ByteResult]> {
        RESULTS_OF_ALL.as_slice()
    }

    fn drive(&mut self, result: &ByteResult, mixer: &mut Mixer) {
        self.lane.next = mixer.mix(result.lane);
        self.pair.next = mixer.mix(result.pair);
        self.known.next = mixer.mix(self.known_after.val());
        self.ete.next = mixer.mix(false);
    }
}

impl<const A: usize> Bench for BytePacker<A> {
    type Cycle = Option<ByteResult>;
    const SET_CLOCK: Option<fn(&mut Self, Clock)> = Some(|uut, clock| uut.clock.next = clock);

    /// A result in one of 16 cycles, of every kind.
    fn cycles() -> impl AsRef<[Option<ByteResult>]> {
        let step = RESULTS_OF_ALL.len().div_ceil(RESULTS);
        let results = RESULTS_OF_ALL
            .chunks(4 * step)
            .flat_map(|chunk| chunk.iter().take(4));
        let spaced = results.flat_map(|result| {
            let mut cycles = vec![None; SPACING];
            cycles[0] = Some(result.clone());
            cycles
        });
        spaced.collect::<Vec<_>>()
    }

    fn drive(&mut self, result: &Option<ByteResult>, mixer: &mut Mixer) {
        let is_first = !self.s_valid.val() && self.settings.val() == Bus::default();
        self.reset.next = is_first;
        self.m_axis_tready.next = mixer.mix(true);
        let mut source = SourceConfig {
            profile: ArchProfile::M8,
            registers: Registers::from_values(&[
                0x1122_3344,
                0x5566_7788,
                0x99AA_BBCC,
                0xDDEE_FF00,
                0x0F1E_2D3C,
                0x4B5A_6978,
            ]),
            lenient: true,
            ..SourceConfig::default()
        };
        self.s_valid.next = result.is_some();
        if let Some(result) = result {
            self.reset.next = is_first || result.word.reset;
            if self.s_lost.val().get_bit(7) {
                source.protocol = Protocol::Ete;
            }
            self.s_discontinuity.next = result.lost;
            self.s_keep.next = result.keep;
            self.s_lane.next = mixer.mix(result.lane);
            self.s_pair.next = mixer.mix(result.pair);
            self.s_lost.next = self.s_lost.val() + 1;
        }
        self.settings.next = Bus(SourceSettings::of(0x55, &source).wide());
    }
}
