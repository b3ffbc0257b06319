// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XE encoder that takes elements, and the model beside it.

use coretrace_abi::compressed::element::Element;
use coretrace_compress::{Bits, Elements};
use coretrace_hdl_compress::{ElementEncoder, ROWS};
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use rand::RngExt;
use rand::rngs::StdRng;
use rust_hdl::prelude::*;

use crate::bench::address;
use crate::history_bench::end_of_block;

/// Cycles in which all beats of a full queue come out.
const LATENCY: usize = 300;

/// An encoder, and what it wrote since the last start.
pub struct ElementBench {
    encoder: ElementEncoder,
    bits: Bits,
    /// For each element: bits, and the events that a control record behind it says.
    ends: Vec<(u64, u64)>,
    pub cycles: usize,
}

impl ElementBench {
    pub fn new() -> ElementBench {
        let mut encoder = ElementEncoder::default();
        encoder.connect_all();
        ElementBench {
            encoder,
            bits: Bits::default(),
            ends: vec![],
            cycles: 0,
        }
    }

    pub fn start(&mut self) {
        self.encoder.element_valid.next = false;
        self.encoder.start.next = true;
        self.clock();
        self.encoder.start.next = false;
        self.bits = Bits::default();
        self.ends.clear();
        (0..ROWS).for_each(|_| self.clock());
        assert!(self.ends.is_empty() && self.bits.is_empty(), "old beats");
        assert!(self.encoder.ready.val());
    }

    /// Offers an element until it is taken.
    pub fn put(&mut self, element: &Element) {
        let encoder = &mut self.encoder;
        encoder.element_valid.next = true;
        encoder.taken.next = element.taken;
        encoder.has_address.next = element.address.is_some();
        encoder.address.next = address(element.address.unwrap_or(u64::MAX));
        for _ in 0..LATENCY {
            let is_taken = self.encoder.ready.val();
            self.clock();
            if is_taken {
                return;
            }
        }
        panic!("an element is never taken");
    }

    pub fn pause(&mut self, cycles: usize) {
        self.encoder.element_valid.next = false;
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
            let events = encoder.events.val().to_u64();
            self.ends.push((self.bits.len(), events));
        }
    }

    /// Cycles until the last beat of one element.
    pub fn latency(&mut self, element: &Element) -> usize {
        let (ended, before) = (self.ends.len(), self.cycles);
        self.put(element);
        while self.ends.len() == ended && self.cycles - before < LATENCY {
            self.pause(1);
        }
        self.cycles - before
    }

    /// Waits for all beats, and compares them with those of the model.
    pub fn check(&mut self, elements: &[Element]) {
        self.pause(LATENCY);
        let mut model = Elements::new();
        for (number, element) in elements.iter().enumerate() {
            model.element(element);
            let bits = self.ends.get(number).map(|end| end.0);
            assert_eq!(bits, Some(model.bits()), "element {number}: {element:x?}");
        }
        assert_eq!(self.ends.len(), elements.len());
        let mut bits = std::mem::take(&mut self.bits);
        let &(_, events) = self.ends.last().expect("an element");
        end_of_block(&mut bits, events, 0);
        assert!(bits == model.finish(), "the lengths agree, bits do not");
    }

    /// Elements of a new block without gaps, compared.
    pub fn compare(&mut self, elements: &[Element]) {
        self.start();
        elements.iter().for_each(|element| self.put(element));
        self.check(elements);
    }

    /// Elements in a block, with gaps in front of them; the next start finds elements in flight, or none.
    pub fn compare_with_gaps(&mut self, rng: &mut StdRng, gaps: f64, elements: &[Element]) {
        self.start();
        for element in elements {
            while rng.random_bool(gaps) {
                self.pause(1);
            }
            self.put(element);
        }
        if rng.random_bool(0.7) {
            self.check(elements);
        }
    }
}
