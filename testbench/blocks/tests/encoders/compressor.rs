// SPDX-License-Identifier: MIT OR Apache-2.0
//! A compressor in Verilog, and what it does with the programs of [`crate::programs`].

use crate::comparison::{BLOCK, Comparison, TRACE_ID};
use crate::event_ports::EventPorts;
use crate::programs::{CYCLES, Cycle, Input, Inputs};
use coretrace_abi::compressed::branch::{Branch, BranchKind, Event};
use coretrace_abi::compressed::encoder::Encoder;
use coretrace_hdl_verilog::{ports, verilog};
use coretrace_test_support::on_large_stack;
use coretrace_test_verilog::engine::{Engine, Sample};
use rust_hdl::prelude::*;

/// A text in the Verilog, and what is put in its place.
pub type Fault = (&'static str, &'static str);

/// A compressor in Verilog, and its encoder.
pub struct Compressor {
    engine: Engine,
    encoder: Encoder,
}

/// What some programs did.
#[derive(Debug, Default)]
pub struct Run {
    pub differences: Vec<String>,
    /// Events that were not lost, and those that were.
    pub events: u64,
    pub lost: u64,
    /// Blocks that were closed because they were full.
    pub full_blocks: u64,
}

impl Compressor {
    /// The compressor `B` with the encoder of this name, and with a fault, if any.
    pub fn new<B: Block + Default>(name: &str, fault: Option<Fault>) -> Compressor {
        let top = format!("compressor_{}", name.to_lowercase());
        let (text, ports) = on_large_stack(|| {
            let text = verilog(B::default(), &top).unwrap_or_else(|findings| panic!("{findings}"));
            let mut block = B::default();
            block.connect_all();
            (text, ports(&block))
        });
        let text = fault.map_or(text.clone(), |(right, wrong)| {
            assert!(text.contains(right), "{right}");
            text.replace(right, wrong)
        });
        Compressor {
            engine: Engine::new(&text, &top, &ports).expect("the compressor compiles"),
            encoder: Encoder::named(name).expect("an encoder"),
        }
    }

    /// Runs so many programs. The outcome of one branch is inverted at the pins if `inverts`.
    pub fn run(&self, programs: u64, mut inverts: bool) -> Run {
        let input = |port| self.engine.input(port).expect("an input");
        let output = |port| self.engine.output(port).expect("an output");
        let (reset, flush, begins) = (input("reset"), input("flush"), input("begins"));
        let (trace_id, is_a32) = (input("trace_id"), input("is_a32"));
        let (last_place, most_cycles) = (input("last_place"), input("most_cycles"));
        let to = EventPorts::new(&self.engine);
        let (takes, loses, lost) = (output("takes"), output("loses"), output("lost"));
        let (data, valid) = (output("m_axis_tdata"), output("m_axis_tvalid"));
        let (ready, last) = (input("m_axis_tready"), output("m_axis_tlast"));

        let inputs = || Inputs::new().map(|cycle| within(self.encoder, cycle));
        let mut driven = inputs();
        let mut number = 0;
        let drive = |cycle: u64, frame: &mut [u8]| {
            let now = driven.next().expect("inputs without an end");
            trace_id.set(frame, TRACE_ID.into());
            last_place.set(frame, BLOCK as u64 / 8 - 2);
            is_a32.set(frame, now.is_a32.into());
            most_cycles.set(frame, now.program.most_cycles);
            reset.set(frame, u64::from(matches!(now.input, Input::Reset)));
            begins.set(frame, u64::from(matches!(now.input, Input::Begin(_))));
            flush.set(frame, now.flush.into());
            ready.set(frame, now.ready.into());
            match now.input {
                Input::Event(mut event) => {
                    number += 1;
                    if inverts && number > 1000 {
                        inverts = !invert(&mut event);
                    }
                    to.drive(frame, Some(event));
                }
                Input::Begin(start) => to.begin(frame, start),
                Input::Reset | Input::Nothing => to.drive(frame, None),
            }
            // The last reset ends the last program.
            cycle <= programs * CYCLES
        };

        // The same inputs again, for the model.
        let mut inputs = inputs();
        let mut program: Option<Comparison> = None;
        let mut run = Run::default();
        let take = |cycle: u64, record: &[u8]| {
            let now = inputs.next().expect("inputs without an end");
            let is_lost = loses.get(record) == 1;
            if let Some(program) = &mut program {
                if now.ready && valid.get(record) == 1 {
                    let is_end = program.word(data.get(record));
                    assert_eq!(last.get(record) == 1, is_end, "TLAST, cycle {cycle}");
                }
                match now.input {
                    Input::Event(event) => {
                        let is_taken = takes.get(record) == 1;
                        assert_ne!(is_taken, is_lost, "an event, cycle {cycle}");
                        program.event(&event, is_lost);
                        run.events += u64::from(is_taken);
                    }
                    _ => program.pause(),
                }
                if now.flush || now.is_over {
                    program.flush();
                }
            }
            match now.input {
                Input::Reset => {
                    if let Some(program) = program.take() {
                        run.differences.extend(program.difference(lost.get(record)));
                        run.full_blocks += program.full;
                        run.lost += program.lost;
                    }
                }
                Input::Begin(start) => {
                    let encoder = self.encoder;
                    let begun = Comparison::new(now.program, encoder, now.is_a32, start);
                    program = Some(begun);
                }
                _ => {}
            }
        };
        let ran = self.engine.run(Sample::BeforeEdge, None, drive, take);
        ran.expect("the compressor runs");
        run
    }
}

/// The most instructions of an event for a stream cache, which takes a cycle for 254 of them.
const MOST_OF_STREAMS: u32 = (1 << 11) - 1;

/// A cycle whose event is not too long for a stream cache. In a program about losses one of 64 such events stays
/// as it is.
fn within(encoder: Encoder, cycle: Cycle) -> Cycle {
    let event = match (encoder, cycle.input) {
        (Encoder::StreamCache(_), Input::Event(event)) => event,
        _ => return cycle,
    };
    if cycle.program.loses && event.instructions() % 64 == 0 {
        return cycle;
    }
    let instructions = event.instructions() & MOST_OF_STREAMS;
    let input = Input::Event(match event {
        Event::Branch(branch) => Event::Branch(Branch {
            instructions,
            ..branch
        }),
        Event::Discontinuity { next, .. } => Event::Discontinuity { instructions, next },
    });
    Cycle { input, ..cycle }
}

/// Inverts the outcome of a conditional branch; whether it is one.
fn invert(event: &mut Event) -> bool {
    match event {
        Event::Branch(branch) if branch.kind == BranchKind::CONDITIONAL => {
            branch.taken = !branch.taken;
            true
        }
        _ => false,
    }
}
