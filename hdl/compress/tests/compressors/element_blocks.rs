// SPDX-License-Identifier: MIT OR Apache-2.0
//! Blocks of XE are those of the model, byte for byte.

use coretrace_abi::compressed::item::{Item, Note};
use coretrace_compress::ElementBlockWriter;
use coretrace_hdl_compress::ElementCompressor;
use coretrace_hdl_dataflow::Carrier;
use coretrace_hdl_dataflow::sim::cycle;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rust_hdl::prelude::*;

use crate::bench::{TRACE_ID, address};
use crate::blocks::difference;
use crate::compressor::BLOCK;
use crate::element_bench::{Came, value};
use crate::elements::{bytes, mixed};

/// Address bits of the words of a block.
const BLOCK_A: usize = 9;
/// Cycles in which all that waits goes out.
const DRAIN: usize = 6000;

/// What comes in.
#[derive(Clone, Copy, Debug)]
enum Input {
    Came(Came),
    /// Elements begin, and so many were lost in front of them.
    Begin(u32),
    Flush,
}

/// A compressor, and what it sent.
struct Bench {
    compressor: ElementCompressor<10, BLOCK_A>,
    memory: Vec<u8>,
}

impl Bench {
    fn new() -> Bench {
        let mut compressor = ElementCompressor::default();
        compressor.connect_all();
        compressor.trace_id.next = TRACE_ID.to_bits();
        compressor.last_place.next = (BLOCK as u64 / 8 - 2).into();
        compressor.reset.next = true;
        let mut bench = Bench {
            compressor,
            memory: vec![],
        };
        bench.clock(None, false);
        bench.compressor.reset.next = false;
        bench.clock(None, false);
        bench
    }

    /// A cycle with an input or none, and with or without TREADY.
    fn clock(&mut self, input: Option<&Input>, ready: bool) {
        let ports = &mut self.compressor;
        ports.element_valid.next = matches!(input, Some(Input::Came(_) | Input::Begin(_)));
        ports.begins.next = matches!(input, Some(Input::Begin(_)));
        ports.flush.next = matches!(input, Some(Input::Flush));
        ports.lost_before.next = 0.into();
        ports.m_axis_tready.next = ready;
        match input {
            Some(Input::Begin(lost)) => ports.lost_before.next = lost.to_bits(),
            Some(Input::Came(Item::Event(element))) => {
                ports.is_bytes.next = false;
                ports.taken.next = element.taken;
                ports.has_address.next = element.address.is_some();
                ports.address.next = address(element.address.unwrap_or(u64::MAX));
            }
            Some(Input::Came(Item::Note {
                note: Note::Bytes(bytes),
                ..
            })) => {
                ports.is_bytes.next = true;
                ports.address.next = value(bytes);
            }
            _ => {}
        }
        if ready && ports.m_axis_tvalid.val() {
            let word = ports.m_axis_tdata.val().to_wide().field(0, 64);
            self.memory.extend(word.to_le_bytes());
            let is_end = self.memory.len().is_multiple_of(BLOCK);
            assert_eq!(ports.m_axis_tlast.val(), is_end, "TLAST");
        }
        cycle(ports, |block, clock| block.clock.next = clock);
    }

    /// Offers an input until there is room for it.
    fn put(&mut self, rng: &mut StdRng, input: &Input, ready: f64) {
        while !self.compressor.ready.val() {
            self.clock(None, rng.random_bool(ready));
        }
        self.clock(Some(input), rng.random_bool(ready));
    }
}

/// The blocks of the model.
fn model(inputs: &[Input]) -> Vec<u8> {
    let mut writer = ElementBlockWriter::new(BLOCK, TRACE_ID);
    let mut memory = vec![];
    for input in inputs {
        let sink = |block: &[u8]| memory.extend_from_slice(block);
        match input {
            Input::Came(Item::Event(element)) => writer.element(element, sink),
            Input::Came(Item::Note { note, .. }) => writer.note(*note, sink),
            Input::Came(Item::Rest { .. }) | Input::Begin(0) => {}
            Input::Begin(lost) => writer.lose(*lost, sink),
            Input::Flush => writer.flush(sink),
        }
    }
    memory
}

/// Compares the blocks of random elements with those of the model; how many there are.
fn equals_model(seed: u64, total: usize, notes: f64, ready: f64) -> usize {
    println!("seed {seed}");
    let mut rng = StdRng::seed_from_u64(seed);
    let mut bench = Bench::new();
    let mut inputs = vec![Input::Begin(0)];
    for element in mixed(&mut rng, total) {
        inputs.push(match rng.random_range(0..2000) {
            0 => Input::Begin(rng.random_range(1..100)),
            1 => Input::Flush,
            _ if rng.random_bool(notes) => Input::Came(bytes(&mut rng)),
            _ => Input::Came(element),
        });
    }
    inputs.push(Input::Flush);
    for input in &inputs {
        bench.put(&mut rng, input, ready);
        if matches!(input, Input::Flush) {
            // It waits for a cycle without an element.
            bench.clock(None, rng.random_bool(ready));
        }
    }
    (0..DRAIN).for_each(|_| bench.clock(None, true));
    assert!(bench.compressor.is_idle.val());
    let lost = inputs.iter().map(|input| match input {
        Input::Begin(lost) => u64::from(*lost),
        _ => 0,
    });
    assert_eq!(bench.compressor.lost.val().to_u64(), lost.sum::<u64>());
    let model = model(&inputs);
    assert_eq!(difference(&bench.memory, &model), None);
    assert_eq!(bench.memory.len(), model.len());
    model.len() / BLOCK
}

#[test]
fn blocks_of_elements_are_those_of_the_model() {
    let few = equals_model(40, 6000, 0.01, 1.0);
    let many = equals_model(41, 3000, 0.5, 1.0);
    assert!(few.min(many) > 4, "{few} and {many} blocks");
}

#[test]
fn whoever_waits_for_ready_loses_no_element_to_a_slow_reader() {
    assert!(equals_model(42, 4000, 0.3, 0.1) > 4);
}
