// SPDX-License-Identifier: MIT OR Apache-2.0
//! The XE encoder that takes elements and bytes, and the model beside it.

use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::history::LENGTH_BITS;
use coretrace_abi::compressed::item::{Item, Note, StreamBytes};
use coretrace_compress::{Bits, Elements};
use coretrace_hdl_compress::{ADDRESS_W, ElementEncoder, ROWS};
use coretrace_hdl_dataflow::sim::cycle;
use coretrace_hdl_dataflow::{Bus, Carrier, Wide};
use rand::RngExt;
use rand::rngs::StdRng;
use rust_hdl::prelude::*;

use crate::bench::address;
use crate::history_bench::end_of_block;

/// What comes in: an element, or bytes.
pub type Came = Item<Element>;

/// The value of bytes at a port.
pub fn value(bytes: &StreamBytes) -> Bus<ADDRESS_W> {
    let bytes = bytes.as_slice();
    let mut wide = Wide::default();
    wide.or_field(0, LENGTH_BITS, bytes.len() as u64 - 1);
    for (number, &byte) in (0..).zip(bytes) {
        wide.or_field(LENGTH_BITS + 8 * number, 8, byte.into());
    }
    Bus(wide)
}

/// Cycles in which all beats of a full queue come out.
const LATENCY: usize = 300;

/// An encoder, and what it wrote since the last start.
pub struct ElementBench {
    encoder: ElementEncoder,
    bits: Bits,
    /// For each element or note: bits, and the events that a control record behind it says.
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

    /// Offers an element or bytes until they are taken.
    pub fn put(&mut self, came: &Came) {
        let encoder = &mut self.encoder;
        encoder.element_valid.next = true;
        match came {
            Item::Event(element) => {
                encoder.is_bytes.next = false;
                encoder.taken.next = element.taken;
                encoder.has_address.next = element.address.is_some();
                encoder.address.next = address(element.address.unwrap_or(u64::MAX));
            }
            Item::Note {
                note: Note::Bytes(bytes),
                ..
            } => {
                encoder.is_bytes.next = true;
                encoder.taken.next = true;
                encoder.has_address.next = true;
                encoder.address.next = value(bytes);
            }
            other => unreachable!("{other:?}"),
        }
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
    pub fn latency(&mut self, element: &Came) -> usize {
        let (ended, before) = (self.ends.len(), self.cycles);
        self.put(element);
        while self.ends.len() == ended && self.cycles - before < LATENCY {
            self.pause(1);
        }
        self.cycles - before
    }

    /// Waits for all beats, and compares them with those of the model.
    pub fn check(&mut self, elements: &[Came]) {
        self.pause(LATENCY);
        let mut model = Elements::new();
        for (number, element) in elements.iter().enumerate() {
            put(&mut model, element);
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
    pub fn compare(&mut self, elements: &[Came]) {
        self.start();
        elements.iter().for_each(|element| self.put(element));
        self.check(elements);
    }

    /// Elements in a block, with gaps in front of them; the next start finds elements in flight, or none.
    pub fn compare_with_gaps(&mut self, rng: &mut StdRng, gaps: f64, elements: &[Came]) {
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

fn put(model: &mut Elements, came: &Came) {
    match came {
        Item::Event(element) => model.element(element),
        Item::Note { note, .. } => model.note(*note),
        Item::Rest { .. } => {}
    }
}
