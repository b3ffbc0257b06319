// SPDX-License-Identifier: MIT OR Apache-2.0
//! The Verilog of the X encoders writes the bits of the model for many events: at full rate, with gaps, and with
//! starts while events are in flight.

use crate::SEED;
use crate::branches::{A64, ANY, Branches, OUTCOMES};
use crate::event_ports::EventPorts;
use crate::written::{IN_FLIGHT, Written};
use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::history::PRESETS;
use coretrace_compress::History;
use coretrace_hdl_compress::{HistoryEncoderX1, HistoryEncoderX2};
use coretrace_hdl_verilog::{ports, verilog};
use coretrace_test_gen::rng;
use coretrace_test_support::on_large_stack;
use coretrace_test_verilog::engine::{Engine, Sample};
use coretrace_test_verilog::tools::{Tool, skip_or_fail};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// Cycles of a run.
const CYCLES: u64 = 16_000_000;
/// Cycles between starts.
const BLOCK: u64 = 400_000;
/// Cycles at the end of some blocks in which the last beats come out.
const DRAIN: u64 = 600;

/// What is offered in a cycle.
#[derive(Clone, Copy)]
enum Input {
    Start,
    Nothing,
    Event(Event),
}

/// Starts, and branches behind them.
struct Inputs {
    rng: ChaCha8Rng,
    branches: Branches,
    cycle: u64,
    gaps: f64,
}

impl Inputs {
    fn new() -> Inputs {
        Inputs {
            rng: rng(SEED),
            branches: Branches::new(SEED + 1),
            cycle: 0,
            gaps: 0.0,
        }
    }

    /// Whether the block ends with cycles without events; so at the start behind it.
    fn drains(&self) -> bool {
        let before = self.cycle.saturating_sub(1);
        (before / BLOCK) % 4 == 1
    }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        let place = self.cycle % BLOCK;
        self.cycle += 1;
        if place == 0 {
            self.gaps = [0.0, 0.0, 0.4][self.rng.random_range(0..3)];
            let mix = [ANY, ANY, ANY, OUTCOMES][self.rng.random_range(0..4)];
            self.branches.begin(mix, A64);
            return Some(Input::Start);
        }
        let drains = self.drains() && place >= BLOCK - DRAIN;
        if drains || self.rng.random_bool(self.gaps) {
            return Some(Input::Nothing);
        }
        Some(Input::Event(self.branches.event()))
    }
}

fn equals_model<B: Block + Default>(name: &str, preset: usize) {
    if skip_or_fail(Tool::Verilator) {
        return;
    }
    let (text, ports) = on_large_stack(|| {
        let text = verilog(B::default(), name).unwrap_or_else(|findings| panic!("{findings}"));
        let mut block = B::default();
        block.connect_all();
        (text, ports(&block))
    });
    let engine = Engine::for_long_runs(&text, name, &ports).expect("the encoder compiles");
    let start = engine.input("start").expect("an input");
    let to = EventPorts::new(&engine);
    let output = |port| engine.output(port).expect("an output");
    let (ready, valid, last) = (output("ready"), output("beat_valid"), output("beat_last"));
    let (bits, count) = (output("beat_bits"), output("beat_count"));

    let mut driven = Inputs::new();
    let drive = |cycle: u64, frame: &mut [u8]| {
        let input = driven.next().expect("inputs without an end");
        start.set(frame, u64::from(matches!(input, Input::Start)));
        let event = match input {
            Input::Event(event) => Some(event),
            Input::Start | Input::Nothing => None,
        };
        to.drive(frame, event);
        cycle < CYCLES
    };
    // The same inputs again: those that the encoder took go to the model.
    let mut inputs = Inputs::new();
    let mut model = History::new(&PRESETS[preset]);
    let (mut written, mut events) = (Written::default(), 0_u64);
    let take = |cycle: u64, record: &[u8]| {
        if valid.get(record) == 1 {
            let is_last = last.get(record) == 1;
            written.beat(bits.get(record), count.get(record), is_last, cycle);
        }
        let is_drained = inputs.drains();
        match inputs.next().expect("inputs without an end") {
            Input::Start => {
                let bytes = std::mem::replace(&mut model, History::new(&PRESETS[preset]));
                let most_missing = if is_drained { 0 } else { IN_FLIGHT };
                written.starts(&bytes.finish(0).into_bytes(), most_missing, cycle);
            }
            Input::Event(event) if ready.get(record) == 1 => {
                model.event(&event);
                written.takes(model.bits());
                events += 1;
            }
            _ => {}
        }
    };
    engine
        .run(Sample::BeforeEdge, None, drive, take)
        .expect("the encoder runs");
    println!("{name}: {events} events");
    assert!(events > CYCLES / 2);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_x1_writes_the_bits_of_the_model() {
    equals_model::<HistoryEncoderX1>("history_x1", 1);
}

#[test]
#[ignore = "nightly: ten million events"]
fn the_verilog_of_x2_writes_the_bits_of_the_model() {
    equals_model::<HistoryEncoderX2>("history_x2", 2);
}
