// SPDX-License-Identifier: MIT OR Apache-2.0
//! An X encoder that takes events, and the model beside it.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::history::{CONTROL_ONES, Control, PRESETS};
use coretrace_compress::{Bits, History};
use coretrace_hdl_compress::{ADDRESS_W, HistoryEncoder, ROWS};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use rand::RngExt;
use rand::rngs::StdRng;
use rust_hdl::prelude::*;

/// Cycles in which all beats of a full queue come out.
const LATENCY: usize = 300;

fn address(address: u64) -> Bus<ADDRESS_W> {
    let mut wide = Wide::default();
    wide.or_field(0, ADDRESS_W as u32, address >> 2);
    Bus(wide)
}

/// An encoder, and what it wrote since the last start.
pub struct Bench<
    const R: usize,
    const A: usize,
    const H: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
    const S: usize,
> {
    encoder: HistoryEncoder<R, A, H, B, T, K, E, X, S>,
    bits: Bits,
    /// For each event: bits, events and instructions that a control record behind it says.
    ends: Vec<(u64, u64, u64)>,
    pub cycles: usize,
}

impl<
    const R: usize,
    const A: usize,
    const H: usize,
    const B: usize,
    const T: usize,
    const K: usize,
    const E: usize,
    const X: usize,
    const S: usize,
> Bench<R, A, H, B, T, K, E, X, S>
{
    pub fn new(mut encoder: HistoryEncoder<R, A, H, B, T, K, E, X, S>) -> Self {
        encoder.connect_all();
        Bench {
            encoder,
            bits: Bits::default(),
            ends: vec![],
            cycles: 0,
        }
    }

    pub fn start(&mut self) {
        self.encoder.event_valid.next = false;
        self.encoder.start.next = true;
        self.clock();
        self.encoder.start.next = false;
        self.bits = Bits::default();
        self.ends.clear();
        (0..ROWS).for_each(|_| self.clock());
        assert!(self.ends.is_empty() && self.bits.is_empty(), "old beats");
        assert!(self.encoder.ready.val());
    }

    /// Offers an event until it is taken.
    pub fn put(&mut self, event: &Event) {
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
        for _ in 0..LATENCY {
            let is_taken = self.encoder.ready.val();
            self.clock();
            if is_taken {
                return;
            }
        }
        panic!("an event is never taken");
    }

    pub fn pause(&mut self, cycles: usize) {
        self.encoder.event_valid.next = false;
        (0..cycles).for_each(|_| self.clock());
    }

    fn clock(&mut self) {
        self.cycles += 1;
        let encoder = &mut self.encoder;
        cycle(encoder, |block, clock| block.clock.next = clock);
        if !encoder.beat_valid.val() {
            return;
        }
        let beat = encoder.beat_bits.val().to_wide().field(0, 64);
        let count = encoder.beat_count.val().to_u32();
        let above = beat.checked_shr(count).unwrap_or_default();
        assert_eq!(above, 0, "bits above the count");
        self.bits.put(beat, count);
        if encoder.beat_last.val() {
            let (events, rest) = (encoder.events.val(), encoder.rest.val());
            self.ends
                .push((self.bits.len(), events.to_u64(), rest.to_u64()));
        }
    }

    /// Cycles until the last beat of one event.
    pub fn latency(&mut self, event: &Event) -> usize {
        let (ended, before) = (self.ends.len(), self.cycles);
        self.put(event);
        while self.ends.len() == ended && self.cycles - before < LATENCY {
            self.pause(1);
        }
        self.cycles - before
    }

    /// Waits for all beats, and compares them with those of the model.
    pub fn check(&mut self, events: &[Event]) {
        self.pause(LATENCY);
        let mut model = History::new(&PRESETS[R]);
        for (number, event) in events.iter().enumerate() {
            model.event(event);
            let end = self.ends.get(number);
            let bits = end.map(|end| end.0);
            assert_eq!(bits, Some(model.bits()), "event {number}: {event:x?}");
        }
        assert_eq!(self.ends.len(), events.len());
        let mut bits = std::mem::take(&mut self.bits);
        let &(_, events, rest) = self.ends.last().expect("an event");
        end_of_block(&mut bits, events, rest);
        assert!(bits == model.finish(0), "the lengths agree, bits do not");
    }

    /// Events in blocks, with gaps in front of events; a start finds events in flight, or none.
    pub fn compare(&mut self, rng: &mut StdRng, gaps: f64, mut events: impl FnMut() -> Event) {
        self.start();
        let mut came = vec![];
        for _ in 0..rng.random_range(1..2500) {
            while rng.random_bool(gaps) {
                self.pause(1);
            }
            let event = events();
            self.put(&event);
            came.push(event);
        }
        if rng.random_bool(0.7) {
            self.check(&came);
        }
    }
}

/// The control record at the end of a block.
pub fn end_of_block(bits: &mut Bits, events: u64, instructions: u64) {
    bits.put_bit(false);
    bits.put((1 << CONTROL_ONES) - 1, CONTROL_ONES);
    bits.put(Control::End as u64, 3);
    for number in [events + 1, instructions + 1] {
        let below = number.ilog2();
        bits.put(0, below);
        bits.put_bit(true);
        bits.put(number, below);
    }
}
