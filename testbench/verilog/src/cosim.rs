// SPDX-License-Identifier: MIT OR Apache-2.0
//! Co-simulation with one bench for all blocks: record a run in Rust, replay it in Verilog, compare
//! every bit of every output in every cycle.

use anyhow::{Result, bail};
use coretrace_hdl_dataflow::sim::settle;
use coretrace_hdl_verilog::{Direction, Port};
use rust_hdl::prelude::{Block, Clock};

use crate::engine::{Engine, Sample};
use crate::icarus;
use crate::recording::{Mismatch, Outcome, Phase, Recording};

/// Where a recorded run is replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Simulator {
    /// Starts at once and simulates `x`; for thousands of cycles.
    Icarus,
    /// Takes some seconds to compile the first time; for long runs.
    Verilator,
}

/// Simulates a fresh block in Rust: `drive` sets the inputs of a cycle, `set_clock` the clock;
/// without `set_clock` the block is combinational.
pub fn record<B: Block>(
    mut uut: B,
    cycles: usize,
    mut drive: impl FnMut(&mut B, usize),
    set_clock: Option<impl Fn(&mut B, Clock)>,
) -> Recording {
    uut.connect_all();
    let values = |ports: &[Port], direction| {
        let wanted = ports.iter().filter(|port| {
            port.direction == direction && !(port.is_clock && direction == Direction::Input)
        });
        wanted.map(|port| port.hex.as_str()).collect::<String>()
    };
    let mut recording = Recording {
        ports: coretrace_hdl_verilog::ports(&uut),
        is_clocked: set_clock.is_some(),
        inputs: Vec::with_capacity(cycles),
        outputs: Vec::with_capacity(cycles),
    };
    settle(&mut uut);
    for cycle in 0..cycles {
        // Data never changes together with the rising edge.
        if let Some(set_clock) = &set_clock {
            set_clock(&mut uut, Clock::from(false));
        }
        drive(&mut uut, cycle);
        settle(&mut uut);
        let before = coretrace_hdl_verilog::ports(&uut);
        recording.inputs.push(values(&before, Direction::Input));
        let mut outputs = values(&before, Direction::Output);
        if let Some(set_clock) = &set_clock {
            set_clock(&mut uut, Clock::from(true));
            settle(&mut uut);
            let after = coretrace_hdl_verilog::ports(&uut);
            outputs.push_str(&values(&after, Direction::Output));
        }
        recording.outputs.push(outputs);
    }
    recording
}

/// Replays a recording in the Verilog module `top` of `verilog`.
///
/// # Errors
/// If the simulator is missing or refuses the text.
pub fn replay(
    recording: &Recording,
    verilog: &str,
    top: &str,
    simulator: Simulator,
) -> Result<Outcome> {
    match simulator {
        Simulator::Icarus => icarus::replay(recording, verilog, top),
        Simulator::Verilator => replay_in_engine(recording, verilog, top),
    }
}

/// Exports a block, records a run of it in Rust and replays the run in Verilog.
///
/// `make` gives fresh instances, one to export and one to simulate. `name` becomes the name of
/// the top module.
///
/// # Errors
/// If the block cannot be exported, or as [`replay`].
pub fn cosim<B: Block>(
    name: &str,
    make: impl Fn() -> B,
    cycles: usize,
    drive: impl FnMut(&mut B, usize),
    set_clock: Option<impl Fn(&mut B, Clock)>,
    simulator: Simulator,
) -> Result<Outcome> {
    let verilog = coretrace_hdl_verilog::verilog(make(), name)?;
    let recording = record(make(), cycles, drive, set_clock);
    replay(&recording, &verilog, name, simulator)
}

fn replay_in_engine(recording: &Recording, verilog: &str, top: &str) -> Result<Outcome> {
    let engine = Engine::new(verilog, top, &recording.ports)?;
    let drive = |cycle: u64, frame: &mut [u8]| {
        let Some(line) = recording.inputs.get(cycle as usize) else {
            return false;
        };
        to_bytes(line, recording.input_ports(), frame);
        true
    };
    let (sample, sides) = match recording.is_clocked {
        true => (Sample::BothSides, 2),
        false => (Sample::BeforeEdge, 1),
    };
    let mut wanted = vec![0; sides * engine.record_len()];
    let mut outcome = Outcome::default();
    let mut seen = 0;
    engine.run(sample, None, drive, |cycle, record| {
        seen += 1;
        let line = &recording.outputs[cycle as usize];
        let ports = || (0..sides).flat_map(|_| recording.output_ports());
        to_bytes(line, ports(), &mut wanted);
        if record == wanted {
            return;
        }
        let mut at = 0;
        for (i, port) in ports().enumerate() {
            let bytes = at..at + port.width.div_ceil(8);
            at = bytes.end;
            if record[bytes.clone()] != wanted[bytes.clone()] {
                let phase = match i < recording.output_ports().count() {
                    true => Phase::BeforeEdge,
                    false => Phase::AfterEdge,
                };
                if recording.is_power_on(cycle, phase) {
                    continue;
                }
                outcome.add(Mismatch {
                    cycle,
                    phase,
                    port: port.name.clone(),
                    verilog: to_hex(&record[bytes.clone()], port.width),
                    rust: to_hex(&wanted[bytes], port.width),
                });
            }
        }
    })?;
    if seen != recording.outputs.len() {
        bail!(
            "the engine ran {seen} of {} cycles",
            recording.outputs.len()
        );
    }
    Ok(outcome)
}

/// Digits of ports, most significant first, to bytes of ports, least significant first.
fn to_bytes<'a>(digits: &str, ports: impl Iterator<Item = &'a Port>, mut bytes: &mut [u8]) {
    let mut digits = digits.as_bytes();
    for port in ports {
        let (number, rest) = digits.split_at(port.width.div_ceil(4));
        let (to, tail) = bytes.split_at_mut(port.width.div_ceil(8));
        for (byte, pair) in to.iter_mut().zip(number.rchunks(2)) {
            let text = std::str::from_utf8(pair).unwrap_or_default();
            *byte = u8::from_str_radix(text, 16).unwrap_or_default();
        }
        digits = rest;
        bytes = tail;
    }
}

fn to_hex(bytes: &[u8], width: usize) -> String {
    let text: String = bytes
        .iter()
        .rev()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    text[text.len() - width.div_ceil(4)..].to_string()
}
