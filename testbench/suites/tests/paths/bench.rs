// SPDX-License-Identifier: MIT OR Apache-2.0
//! A decoder of four lanes and a block that reads its results.

use coretrace_abi::record_filter::{Filter, FilterKind};
use coretrace_etm::ArchProfile;
use coretrace_hdl_dataflow::{Bus, Carrier};
use coretrace_hdl_etm::layouts::{LANE_RESULT_W, PAIR_RESULT_W};
use coretrace_hdl_sink::records::DATA_W;
use coretrace_pipelines::Etm4JumpX4;
use coretrace_pipelines::sim::full_words;
use coretrace_pipelines::sim::{InputWord, ResultWord, SourceSim};
use coretrace_streams::Start;
use coretrace_test_gen::{Damage, RegisterSet, Rng, StreamOptions, WorstCase, rng, stream_bytes};
use coretrace_test_support::DecoderSetup;
use rand::RngExt;
use rust_hdl::prelude::*;

/// How often the consumer takes a beat.
#[derive(Clone, Copy, Debug)]
pub enum Consumer {
    Always,
    /// With this probability.
    Now(f64),
    /// Not for 600 cycles in every 1000.
    Rests,
}

impl Consumer {
    fn is_ready(self, rng: &mut Rng, cycle: usize) -> bool {
        match self {
            Consumer::Always => true,
            Consumer::Now(rate) => rng.random_bool(rate),
            Consumer::Rests => cycle % 1000 >= 600,
        }
    }
}

/// A block that reads the results of a decoder and sends a stream.
pub trait LanePath {
    /// Whether the decoder may be given no more words.
    fn holds_back(&self) -> bool;
    /// The beat at the output.
    fn beat(&self) -> Option<Bus<DATA_W>>;
    /// One cycle.
    fn step(&mut self, result: Option<&ResultWord>, ready: bool);
}

/// The input ports that every such block has.
pub struct ResultPorts<'a> {
    pub valid: &'a mut Signal<In, Bit>,
    pub discontinuity: &'a mut Signal<In, Bit>,
    pub keep: &'a mut [Signal<In, Bit>; 4],
    pub lane: &'a mut [Signal<In, Bus<LANE_RESULT_W>>; 4],
    pub pair: &'a mut [Signal<In, Bus<PAIR_RESULT_W>>; 2],
}

impl ResultPorts<'_> {
    pub fn set(self, result: Option<&ResultWord>) {
        self.valid.next = result.is_some();
        let Some(result) = result else {
            return;
        };
        self.discontinuity.next = result.discontinuity;
        for lane in 0..4 {
            self.keep[lane].next = result.keep >> lane & 1 == 1;
            self.lane[lane].next = Carrier::from_wide(&result.lanes[lane]);
        }
        for pair in 0..2 {
            self.pair[pair].next = Carrier::from_wide(&result.pairs[pair]);
        }
    }
}

/// A stream of a source, and the input of its decoder.
pub struct Scene {
    pub setup: DecoderSetup,
    pub start: Start,
    pub filter: Filter,
    pub words: Vec<Option<InputWord>>,
    /// Cycles in which the path held words back.
    pub held: usize,
    rng: Rng,
}

impl Scene {
    /// A legal stream, or a broken one, with gaps between its words and losses in it.
    pub fn new(seed: u64, broken: Option<Damage>, options: &StreamOptions) -> Scene {
        let mut rng = rng(seed);
        let set = RegisterSet::any(&mut rng);
        let bytes = stream_bytes(&mut rng, &set.config(), options, broken);
        let setup = DecoderSetup {
            set,
            lenient: rng.random(),
        };
        let filter = some_filter(&mut rng);
        let explicit = rng.random_bool(0.3);
        let words = input(&mut rng, &bytes, broken.is_some());
        Scene::of(setup, filter, explicit, words, rng)
    }

    /// A stream of a mix, a full word in every cycle. All features of the trace unit are enabled,
    /// without a filter.
    pub fn at_full_width(mix: WorstCase, bytes: usize) -> Scene {
        let set = RegisterSet::by_name("v46-all").expect("a named set");
        let stream = mix.stream(&mut rng(1), &set.config(), bytes);
        Scene::of_bytes(set, &stream.bytes)
    }

    /// A stream of a source, a full word in every cycle, without a filter.
    pub fn of_bytes(set: RegisterSet, bytes: &[u8]) -> Scene {
        let setup = DecoderSetup {
            set,
            lenient: false,
        };
        let words = full_words(4, bytes).map(Some).collect();
        Scene::of(setup, Filter::default(), false, words, rng(1))
    }

    fn of(
        setup: DecoderSetup,
        filter: Filter,
        explicit: bool,
        words: Vec<Option<InputWord>>,
        rng: Rng,
    ) -> Scene {
        let set = &setup.set;
        let start = Start {
            trace_id: 0x2A,
            lenient: setup.lenient,
            explicit: explicit || filter.is_set(),
            filtered: filter.is_set(),
            protocol: set.protocol,
            v8m: set.profile == ArchProfile::M8,
            registers: set.registers,
        };
        Scene {
            setup,
            start,
            filter,
            words,
            held: 0,
            rng,
        }
    }

    /// The words that a path sends, until it has sent nothing for `quiet` cycles after the input.
    pub fn run<P: LanePath>(&mut self, path: &mut P, consumer: Consumer, quiet: usize) -> Vec<u32> {
        let mut decoder = Etm4JumpX4::start(&self.setup.source_config());
        let mut due = self.words.iter();
        let mut sent = Vec::new();
        let (mut idle, mut number) = (0, 0);
        while idle < quiet {
            let word = if path.holds_back() { None } else { due.next() };
            let result = decoder.step(word.copied().flatten().as_ref());
            let is_over = due.as_slice().is_empty();
            self.held += usize::from(path.holds_back() && !is_over);
            let ready = is_over || consumer.is_ready(&mut self.rng, number);
            let beat = path.beat().filter(|_| ready);
            idle = if is_over && beat.is_none() {
                idle + 1
            } else {
                0
            };
            sent.extend(beat.iter().flat_map(words));
            path.step(result.as_ref(), ready);
            number += 1;
            assert!(number < 1_000_000, "it ends");
        }
        sent
    }

    /// The number of words with a loss before them.
    pub fn losses(&self) -> usize {
        let words = self.words.iter().flatten();
        words.filter(|word| word.discontinuity).count()
    }
}

/// A filter: mostly none, else some kinds or a range of addresses.
fn some_filter(rng: &mut Rng) -> Filter {
    if rng.random_bool(0.6) {
        return Filter::default();
    }
    let drop = rng.random::<u16>() & rng.random::<u16>() & ((1 << FilterKind::ALL.len()) - 1);
    let (a, b) = (
        rng.random::<u64>(),
        rng.random::<u64>() >> rng.random_range(0..48),
    );
    let range = rng.random_bool(0.5).then_some((a.min(b), a.max(b)));
    Filter { drop, range }
}

/// The words of a beat.
pub fn words(beat: &Bus<DATA_W>) -> [u32; 4] {
    let wide = beat.to_wide();
    std::array::from_fn(|word| wide.field(32 * word as u32, 32) as u32)
}

/// Words with gaps and losses in them.
fn input(rng: &mut Rng, bytes: &[u8], broken: bool) -> Vec<Option<InputWord>> {
    let mut words = Vec::new();
    let mut rest = bytes;
    let gaps = [0.0, 0.2, 0.8][rng.random_range(0..3)];
    while !rest.is_empty() {
        while rng.random_bool(gaps) {
            words.push(None);
        }
        let (now, later) = rest.split_at(rest.len().min(rng.random_range(1..=4)));
        rest = later;
        let above = |data, &byte: &u8| data << 8 | u128::from(byte);
        words.push(Some(InputWord {
            data: now.iter().rev().fold(0, above),
            keep: (1 << now.len()) - 1,
            discontinuity: broken && rng.random_bool(0.01),
        }));
    }
    words
}
