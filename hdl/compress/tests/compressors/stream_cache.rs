// SPDX-License-Identifier: MIT OR Apache-2.0
//! rBASE writes the bits of the model, at any rate, and from any start on.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::stream_cache::{CUT_BITS, MOST_INSTRUCTIONS, Scheme};
use coretrace_compress::{Bits, StreamCache};
use coretrace_hdl_compress::{StreamCacheCompressor, StreamCacheEncoder, StreamRun};
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_verilog::verilog;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

use crate::bench::address;
use crate::compressor::{Compressor, RBase};
use crate::events::{AnyEvents, with_at_most};
use crate::program::Program;

/// Cycles until the last beat of an event is out.
const LATENCY: usize = 16;
/// The most instructions of an event.
const MOST: u32 = RBase::MOST_INSTRUCTIONS;

/// What is known behind an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct End {
    bits: u64,
    /// The stream that has not ended.
    start: u64,
    instructions: u32,
    /// Bits of the run that has not ended.
    run_bits: u64,
    /// The block has no room for the event.
    overflows: bool,
}

/// An encoder, and what it wrote since the last start.
struct Bench {
    encoder: StreamCacheEncoder,
    bits: Bits,
    ends: Vec<End>,
    /// Of the first beat of an event.
    overflows: Option<bool>,
}

impl Bench {
    fn new(is_a32: bool, limit: u64) -> Bench {
        let mut encoder = StreamCacheEncoder::default();
        encoder.connect_all();
        encoder.is_a32.next = is_a32;
        encoder.limit.next = limit.into();
        Bench {
            encoder,
            bits: Bits::default(),
            ends: vec![],
            overflows: None,
        }
    }

    fn start(&mut self, start: u64) {
        self.encoder.event_valid.next = false;
        self.encoder.start.next = true;
        self.encoder.start_address.next = address(start);
        self.clock();
        self.encoder.start.next = false;
        self.encoder.start_address.next = address(!start);
        self.bits = Bits::default();
        self.ends.clear();
        self.overflows = None;
    }

    /// Offers an event in this cycle; whether it was taken.
    fn offer(&mut self, event: &Event) -> bool {
        let encoder = &mut self.encoder;
        encoder.event_valid.next = true;
        encoder.instructions.next = u64::from(event.instructions()).into();
        encoder.next_pc.next = address(event.next());
        encoder.is_discontinuity.next = true;
        if let Event::Branch(branch) = event {
            encoder.is_discontinuity.next = false;
            encoder.kind.next = branch.kind.0.to_bits();
            encoder.taken.next = branch.taken;
        }
        let is_taken = encoder.ready.val();
        self.clock();
        is_taken
    }

    fn pause(&mut self, cycles: usize) {
        self.encoder.event_valid.next = false;
        (0..cycles).for_each(|_| self.clock());
    }

    fn clock(&mut self) {
        let encoder = &mut self.encoder;
        cycle(encoder, |block, clock| block.clock.next = clock);
        if !encoder.beat_valid.val() {
            return;
        }
        let beat = encoder.beat_bits.val().to_wide().field(0, 64);
        let count = encoder.beat_count.val().to_u32();
        let above = beat.checked_shr(count);
        assert_eq!(above, (count < 64).then_some(0), "bits above the count");
        self.bits.put(beat, count);
        let overflows = encoder.beat_overflows.val();
        let overflows = *self.overflows.get_or_insert(overflows);
        if encoder.beat_last.val() {
            let run = StreamRun::of_wide(&encoder.rest_run.val().to_wide());
            self.ends.push(End {
                bits: self.bits.len(),
                start: encoder.rest_start.val().to_wide().field(0, 62) << 2,
                instructions: encoder.rest.val().to_u32(),
                run_bits: if run.exists == 1 { run.bits + 2 } else { 0 },
                overflows,
            });
            self.overflows = None;
        }
    }
}

/// What the model writes of events, but for the run that has not ended.
fn model(is_a32: bool, limit: u64, start: u64, events: &[Event]) -> (Bits, Vec<End>) {
    let mut cache = StreamCache::new(Scheme::Reduced, !is_a32, start);
    let mut ends = vec![];
    for event in events {
        let cut_bits = u64::from(event.instructions() / MOST_INSTRUCTIONS) * CUT_BITS;
        let overflows = cache.bits() + cut_bits > limit;
        cache.event(event);
        let (bits, rest) = cache.clone().finish();
        ends.push(End {
            bits: cache.bits(),
            start: rest.start,
            instructions: rest.instructions,
            run_bits: bits.len() - cache.bits(),
            overflows,
        });
    }
    (cache.finish().0, ends)
}

/// So many blocks of events, of random lengths, with gaps between events.
fn equals_model(is_a32: bool, seed: u64, gaps: f64, blocks: u32, mut event: impl FnMut() -> Event) {
    println!("A32 {is_a32}, seed {seed}, gaps {gaps}");
    let mut rng = StdRng::seed_from_u64(seed);
    let limit = rng.random_range(5_000..20_000);
    let mut bench = Bench::new(is_a32, limit);
    for _ in 0..blocks {
        let start = (rng.random::<u64>() >> rng.random_range(0..50)) & !3;
        bench.start(start);
        // It does not take events before its tables are cleared.
        let mut events = vec![];
        for _ in 0..rng.random_range(1..1500) {
            if rng.random_bool(gaps) {
                bench.pause(1);
            }
            let event = with_at_most(MOST, event());
            while !bench.offer(&event) {}
            events.push(event);
        }
        // A start finds events in flight, or none.
        if rng.random() {
            continue;
        }
        bench.pause(LATENCY);
        let (bits, ends) = model(is_a32, limit, start, &events);
        for (number, event) in events.iter().enumerate() {
            let (ours, model) = (bench.ends.get(number), ends.get(number));
            assert_eq!(ours, model, "{event:x?}, number {number}");
        }
        assert_eq!(bench.ends.len(), events.len());
        let run = bench.encoder.rest_run.val().to_wide();
        let run = StreamRun::of_wide(&run);
        if run.exists == 1 {
            bench.bits.put_bit(true);
            bench.bits.put(run.length, run.bits as u32 + 1);
        }
        assert!(bench.bits == bits, "bits of a record differ");
    }
}

/// The event, but it leads to an address that differs in a bit that A32 does not have.
fn elsewhere(event: Event) -> Event {
    let next = event.next() ^ 1 << 40;
    match event {
        Event::Branch(branch) => Event::Branch(Branch { next, ..branch }),
        Event::Discontinuity { instructions, .. } => Event::Discontinuity { instructions, next },
    }
}

#[test]
fn rbase_equals_the_model_on_any_events() {
    for seed in 0..4 {
        for (is_a32, gaps) in [(false, 0.0), (false, 0.3), (true, 0.0), (true, 0.3)] {
            let mut rng = StdRng::seed_from_u64(seed + 2000);
            let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
            let event = || match rng.random_bool(0.1) {
                true => elsewhere(any.event()),
                false => any.event(),
            };
            equals_model(is_a32, seed, gaps, 4, event);
        }
    }
}

#[test]
fn rbase_equals_the_model_on_random_programs() {
    for (seed, branches) in [(10, 5), (11, 30), (12, 120), (13, 600)] {
        let mut program = Program::new(StdRng::seed_from_u64(seed + 1000), branches);
        equals_model(false, seed, 0.1, 6, || program.event());
    }
}

/// A loop that ends after random numbers of turns, at full rate.
#[test]
fn runs_of_any_length_are_those_of_the_model() {
    for (seed, most) in [(20, 4), (21, 40), (22, 1000)] {
        let mut rng = StdRng::seed_from_u64(seed + 1000);
        let mut left = 0;
        let turn = |next: u64| {
            Event::Branch(Branch {
                address: 0x1000,
                kind: BranchKind::CONDITIONAL,
                taken: true,
                next,
                instructions: 5,
            })
        };
        equals_model(seed % 2 == 0, seed, 0.0, 8, || {
            if left == 0 {
                left = rng.random_range(1..=most);
                return turn(0x1000 + 64 * rng.random_range(1..4));
            }
            left -= 1;
            turn(0x1000)
        });
    }
}

#[test]
fn an_rbase_compressor_with_usual_blocks_is_exported() {
    let compressor = StreamCacheCompressor::<9, 11>::default();
    let text = verilog(compressor, "rbase").unwrap_or_else(|findings| panic!("{findings}"));
    assert!(!text.contains('$'));
}
