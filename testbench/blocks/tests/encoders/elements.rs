// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of the XE encoder writes the bits of the model for many elements and some bytes: at full rate, with gaps,
//! and with starts while elements are in flight.

use crate::SEED;
use crate::written::{IN_FLIGHT, Written};
use coretrace_abi::compressed::element::Element;
use coretrace_abi::compressed::history::LENGTH_BITS;
use coretrace_abi::compressed::item::{Note, SHORT_BYTES, StreamBytes};
use coretrace_compress::Elements;
use coretrace_hdl_compress::ElementEncoder;
use coretrace_hdl_verilog::{ports, verilog};
use coretrace_test_gen::rng;
use coretrace_test_support::on_large_stack;
use coretrace_test_verilog::engine::{Engine, Sample};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Cycles between starts.
const BLOCK: u64 = 400_000;

/// What is offered in a cycle.
#[derive(Clone, Copy)]
enum Input {
    Start,
    Nothing,
    Element(Element),
    Bytes(StreamBytes),
}

/// The value of bytes at a port.
fn value(bytes: &StreamBytes) -> u64 {
    let bytes = bytes.as_slice();
    let length = bytes.len() as u64 - 1;
    let low = |number: usize| LENGTH_BITS as usize + 8 * number;
    let places = bytes.iter().enumerate();
    places.fold(length, |value, (number, &byte)| {
        value | u64::from(byte) << low(number)
    })
}

/// Elements that come again, as a rule.
struct Inputs {
    rng: ChaCha8Rng,
    cycle: u64,
    past: Vec<Element>,
    /// How far back the element is that comes again, 0 if none does, and how long that goes on.
    period: usize,
    again: usize,
    gaps: f64,
}

impl Inputs {
    fn new() -> Inputs {
        Inputs {
            rng: rng(SEED),
            cycle: 0,
            past: vec![],
            period: 0,
            again: 0,
            gaps: 0.0,
        }
    }

    fn any_element(&mut self) -> Element {
        let rng = &mut self.rng;
        let taken = rng.random_bool(0.7);
        let base = [0x8000, 0xFFFF_8000_0801_2340][rng.random_range(0..2)];
        let near = base + 4 * (rng.random::<u64>() & rng.random::<u64>() & 0xFF);
        let address = match rng.random_bool(0.01) {
            true => rng.random::<u64>() & !3,
            false => near,
        };
        Element {
            taken,
            address: (taken && rng.random_bool(0.2)).then_some(address),
        }
    }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let place = self.cycle % BLOCK;
        self.cycle += 1;
        if place == 0 {
            self.gaps = [0.0, 0.0, 0.4][self.rng.random_range(0..3)];
            return Some(Input::Start);
        }
        if self.rng.random_bool(self.gaps) {
            return Some(Input::Nothing);
        }
        if self.rng.random_bool(0.003) {
            let bytes: [u8; SHORT_BYTES] = self.rng.random();
            let count = self.rng.random_range(1..=SHORT_BYTES);
            let bytes = StreamBytes::new(&bytes[..count]);
            return Some(Input::Bytes(bytes.expect("a few bytes")));
        }
        if self.again == 0 {
            let most = [1, 70, 5000, 50_000][self.rng.random_range(0..4)];
            self.period = self.rng.random_range(0..most);
            self.again = self.rng.random_range(1..4 * most);
        }
        self.again -= 1;
        let element = match self.past.len().checked_sub(self.period) {
            Some(place) if self.period > 0 && self.rng.random_bool(0.998) => self.past[place],
            _ => self.any_element(),
        };
        if self.past.len() == 200_000 {
            self.past.drain(..100_000);
        }
        self.past.push(element);
        Some(Input::Element(element))
    }
}

fn equals_model(cycles: u64) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let name = "element_encoder";
    let (text, ports) = on_large_stack(|| {
        let text = verilog(ElementEncoder::default(), name);
        let mut block = ElementEncoder::default();
        block.connect_all();
        let text = text.unwrap_or_else(|findings| panic!("{findings}"));
        (text, ports(&block))
    });
    let engine = Engine::for_long_runs(&text, name, &ports).expect("the encoder compiles");
    let input = |port| engine.input(port).expect("an input");
    let output = |port| engine.output(port).expect("an output");
    let (start, element_valid) = (input("start"), input("element_valid"));
    let is_bytes = input("is_bytes");
    let (taken, has_address, address) = (input("taken"), input("has_address"), input("address"));
    let (ready, valid, last) = (output("ready"), output("beat_valid"), output("beat_last"));
    let (bits, count) = (output("beat_bits"), output("beat_count"));

    let mut driven = Inputs::new();
    let drive = |cycle: u64, frame: &mut [u8]| {
        let input = driven.next().expect("inputs without an end");
        start.set(frame, u64::from(matches!(input, Input::Start)));
        element_valid.set(
            frame,
            u64::from(matches!(input, Input::Element(_) | Input::Bytes(_))),
        );
        is_bytes.set(frame, u64::from(matches!(input, Input::Bytes(_))));
        if let Input::Element(element) = input {
            taken.set(frame, element.taken.into());
            has_address.set(frame, element.address.is_some().into());
            address.set(frame, element.address.unwrap_or(u64::MAX) >> 2);
        }
        if let Input::Bytes(bytes) = input {
            address.set(frame, value(&bytes));
        }
        cycle < cycles
    };
    // The same inputs again: those that the encoder took go to the model.
    let mut inputs = Inputs::new();
    let mut model = Elements::new();
    let (mut written, mut elements) = (Written::default(), 0_u64);
    let take = |cycle: u64, record: &[u8]| {
        if valid.get(record) == 1 {
            let is_last = last.get(record) == 1;
            written.beat(bits.get(record), count.get(record), is_last, cycle);
        }
        match inputs.next().expect("inputs without an end") {
            Input::Start => {
                let bits = std::mem::take(&mut model).finish();
                written.starts(&bits.into_bytes(), IN_FLIGHT, cycle);
            }
            Input::Element(element) if ready.get(record) == 1 => {
                model.element(&element);
                written.takes(model.bits());
                elements += 1;
            }
            Input::Bytes(bytes) if ready.get(record) == 1 => {
                model.note(Note::Bytes(bytes));
                written.takes(model.bits());
            }
            _ => {}
        }
    };
    engine
        .run(Sample::BeforeEdge, None, drive, take)
        .expect("the encoder runs");
    println!("{name}: {elements} elements");
    assert!(elements > cycles / 2);
}

#[test]
fn the_verilog_of_xe_writes_the_bits_of_the_model() {
    equals_model(2 * BLOCK);
}

#[test]
#[ignore = "nightly: ten million elements"]
fn the_verilog_of_xe_writes_ten_million_elements_as_the_model() {
    equals_model(16_000_000);
}
