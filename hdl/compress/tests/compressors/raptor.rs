// SPDX-License-Identifier: MIT OR Apache-2.0
//! The T-raptor encoders write the bits of the model, at any rate, and from any start on.

use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::raptor::PRESETS;
use coretrace_compress::{Bits, Raptor};
use coretrace_hdl_compress::{RaptorCompressor, RaptorEncoder};
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_verilog::verilog;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

use crate::bench::address;
use crate::events::AnyEvents;

/// Cycles until the last beat of an event is out.
const LATENCY: usize = 12;

/// An encoder, and what it wrote since the last start.
struct Bench<const R: usize, const C: usize, const S: usize> {
    encoder: RaptorEncoder<R, C, S>,
    bits: Bits,
    /// Behind each event the number of bits, the instructions since the last record, and whether they overflowed.
    ends: Vec<(u64, u64, bool)>,
}

impl<const R: usize, const C: usize, const S: usize> Bench<R, C, S> {
    fn new() -> Self {
        let mut encoder = RaptorEncoder::default();
        encoder.connect_all();
        Bench {
            encoder,
            bits: Bits::default(),
            ends: vec![],
        }
    }

    fn start(&mut self) {
        self.encoder.event_valid.next = false;
        self.encoder.start.next = true;
        self.clock();
        self.encoder.start.next = false;
        self.bits = Bits::default();
        self.ends.clear();
    }

    /// Offers an event in this cycle; whether it was taken.
    fn offer(&mut self, event: &Event) -> bool {
        let encoder = &mut self.encoder;
        encoder.event_valid.next = true;
        encoder.instructions.next = event.instructions().to_bits();
        encoder.next_pc.next = address(event.next());
        encoder.is_discontinuity.next = true;
        if let Event::Branch(branch) = event {
            encoder.is_discontinuity.next = false;
            encoder.pc.next = address(branch.address);
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
        if encoder.beat_valid.val() {
            let beat = encoder.beat_bits.val().to_wide().field(0, 64);
            let count = encoder.beat_count.val().to_u32();
            assert_eq!(
                beat.checked_shr(count),
                (count < 64).then_some(0),
                "bits above the count"
            );
            self.bits.put(beat, count);
            if encoder.beat_last.val() {
                let rest = encoder.rest.val().to_u64();
                let overflows = encoder.beat_overflows.val();
                self.ends.push((self.bits.len(), rest, overflows));
            }
        }
    }
}

/// What the model writes of events.
fn model(preset: usize, events: &[Event]) -> (Bits, Vec<(u64, u64, bool)>) {
    let mut raptor = Raptor::new(&PRESETS[preset]);
    let mut ends = vec![];
    for event in events {
        let overflows = raptor.overflows(event.instructions().into());
        raptor.event(event);
        let (_, rest) = raptor.clone().finish();
        ends.push((raptor.bits(), rest & u64::from(u32::MAX), overflows));
    }
    (raptor.finish().0, ends)
}

/// Events in blocks of random lengths, with gaps between events.
fn equals_model<const R: usize, const C: usize, const S: usize>(seed: u64, gaps: f64) {
    println!("{}, seed {seed}, gaps {gaps}", PRESETS[R].name);
    let mut rng = StdRng::seed_from_u64(seed);
    let mut any = AnyEvents::new(StdRng::seed_from_u64(seed + 1000));
    let mut bench = Bench::<R, C, S>::new();
    for _ in 0..4 {
        bench.start();
        // It does not take events before its tables are reset.
        let mut events = vec![];
        for _ in 0..rng.random_range(1..1500) {
            if rng.random_bool(gaps) {
                bench.pause(1);
            }
            let event = any.event();
            while !bench.offer(&event) {}
            events.push(event);
        }
        // A start finds events in flight, or none.
        if rng.random() {
            bench.pause(LATENCY);
            let (bits, ends) = model(R, &events);
            for (number, event) in events.iter().enumerate() {
                assert_eq!(
                    bench.ends.get(number),
                    ends.get(number),
                    "{event:x?}, number {number}"
                );
            }
            assert!(bench.bits == bits, "bits of a record differ");
            assert_eq!(bench.ends.len(), events.len());
        }
    }
}

#[test]
fn m4_equals_the_model_at_full_rate_and_with_gaps() {
    for seed in 0..4 {
        equals_model::<9, 8, 5>(seed, 0.0);
        equals_model::<9, 8, 5>(seed + 10, 0.3);
    }
}

#[test]
fn small_presets_equal_the_model() {
    equals_model::<0, 7, 5>(20, 0.1);
    equals_model::<1, 7, 5>(21, 0.1);
    equals_model::<2, 7, 3>(22, 0.1);
    equals_model::<4, 7, 5>(23, 0.1);
}

#[test]
fn big_presets_equal_the_model() {
    equals_model::<10, 9, 5>(30, 0.1);
    equals_model::<14, 9, 5>(31, 0.1);
}

#[test]
fn instructions_without_a_record_overflow() {
    let mut bench = Bench::<9, 8, 5>::new();
    let jump = |instructions: u32| {
        Event::Branch(Branch {
            address: 0x1000,
            kind: BranchKind(0),
            taken: true,
            next: 0x1000,
            instructions,
        })
    };
    let events = [1 << 31, (1 << 31) - 1, 1].map(jump);
    bench.start();
    for event in &events {
        while !bench.offer(event) {}
    }
    bench.pause(LATENCY);
    let (_, ends) = model(9, &events);
    assert_eq!(bench.ends, ends);
    assert_eq!(bench.ends.last(), Some(&(0, 0, true)));
}

#[test]
fn a_compressor_with_usual_blocks_is_exported() {
    let compressor = RaptorCompressor::<9, 8, 5, 9, 11>::default();
    let text = verilog(compressor, "m4").unwrap_or_else(|findings| panic!("{findings}"));
    assert!(!text.contains('$'));
}
