// SPDX-License-Identifier: MIT OR Apache-2.0
//! An exported top as a program, driven through pipes.
//!
//! Verilator translates the top once, and the program is cached in the target directory by a digest
//! of the text. Each cycle is one frame of bytes in and at most one record out, so memory use does
//! not depend on the length of the run.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, bail};
use bitvec::prelude::*;
use coretrace_hdl_dataflow::Wide;
use coretrace_hdl_verilog::{Direction, Port};

use crate::build::{ENGINE, Runs, build};
use crate::tools::Tool;
use crate::work::home;

/// When outputs are sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sample {
    /// Once per cycle, as the rising edge sees them: inputs applied, clock low, settled.
    BeforeEdge,
    /// Before each rising edge and after it; the second half of a record is after the edge.
    BothSides,
}

/// Bytes of one port inside a frame or a record, least significant first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    offset: usize,
    width: usize,
}

impl Field {
    /// Width of the port in bits.
    pub fn width(self) -> usize {
        self.width
    }

    /// The bytes of the port.
    ///
    /// # Panics
    /// If `record` does not come from the engine of this field.
    pub fn bytes(self, record: &[u8]) -> &[u8] {
        &record[self.offset..self.offset + self.width.div_ceil(8)]
    }

    /// The bytes of the port, to write to. Bits above the width are ignored.
    ///
    /// # Panics
    /// If `frame` does not come from the engine of this field.
    pub fn bytes_mut(self, frame: &mut [u8]) -> &mut [u8] {
        &mut frame[self.offset..self.offset + self.width.div_ceil(8)]
    }

    /// A bit of the port.
    ///
    /// # Panics
    /// As [`Field::bytes`], or if the port has no such bit.
    pub fn bit(self, record: &[u8], bit: u32) -> bool {
        self.bytes(record)[bit as usize / 8] >> (bit % 8) & 1 == 1
    }

    /// The lowest 64 bits of the port.
    ///
    /// # Panics
    /// As [`Field::bytes`].
    pub fn get(self, record: &[u8]) -> u64 {
        let bytes = self.bytes(record).iter().take(8);
        bytes
            .rev()
            .fold(0, |value, byte| value << 8 | u64::from(*byte))
    }

    /// All bits of the port.
    ///
    /// # Panics
    /// As [`Field::bytes`].
    pub fn get_all(self, record: &[u8]) -> Wide {
        let mut wide = Wide::default();
        let bits = &self.bytes(record).view_bits::<Lsb0>()[..self.width];
        for (index, bits) in bits.chunks(64).enumerate() {
            wide.or_field(64 * index as u32, bits.len() as u32, bits.load_le());
        }
        wide
    }

    /// Sets all bits of the port.
    ///
    /// # Panics
    /// As [`Field::bytes_mut`].
    pub fn set_all(self, frame: &mut [u8], value: &Wide) {
        let bits = &mut self.bytes_mut(frame).view_bits_mut::<Lsb0>()[..self.width];
        for (index, bits) in bits.chunks_mut(64).enumerate() {
            bits.store_le(value.field(64 * index as u32, bits.len() as u32));
        }
    }

    /// Sets the lowest 64 bits of the port and clears the others.
    ///
    /// # Panics
    /// As [`Field::bytes_mut`].
    pub fn set(self, frame: &mut [u8], value: u64) {
        self.set_wide(frame, value.into());
    }

    /// Sets the lowest 128 bits of the port and clears the others.
    ///
    /// # Panics
    /// As [`Field::bytes_mut`].
    pub fn set_wide(self, frame: &mut [u8], value: u128) {
        let bytes = value.to_le_bytes().into_iter().chain(std::iter::repeat(0));
        for (to, from) in self.bytes_mut(frame).iter_mut().zip(bytes) {
            *to = from;
        }
    }
}

/// A compiled top.
pub struct Engine {
    program: PathBuf,
    inputs: Vec<(String, Field)>,
    outputs: Vec<(String, Field)>,
}

impl Engine {
    /// Compiles a top for runs of some thousand cycles, or reuses the compiled one. Where
    /// `ETM4_LONG_RUNS` is set, it is for longer ones.
    ///
    /// # Errors
    /// If Verilator is missing or refuses the text.
    pub fn new(verilog: &str, top: &str, ports: &[Port]) -> Result<Engine> {
        Engine::compiled(verilog, top, ports, Runs::short())
    }

    /// Compiles a top for longer runs, or reuses the compiled one.
    ///
    /// # Errors
    /// If Verilator is missing or refuses the text.
    pub fn for_long_runs(verilog: &str, top: &str, ports: &[Port]) -> Result<Engine> {
        Engine::compiled(verilog, top, ports, Runs::Long)
    }

    fn compiled(verilog: &str, top: &str, ports: &[Port], runs: Runs) -> Result<Engine> {
        let Some(version) = Tool::Verilator.version() else {
            bail!("verilator not found");
        };
        let inputs = fields(ports, Direction::Input);
        let outputs = fields(ports, Direction::Output);
        let main = harness(ports, &inputs, &outputs);
        let input = (verilog, top, &main, version, runs);
        let home = home(&format!("engine-{top}"), input);
        let program = home.join(ENGINE);
        // Tests often want the same top: the first one builds it.
        static BUILDS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());
        let mut builds = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
        let build_of_top = Arc::clone(builds.entry(home.clone()).or_default());
        drop(builds);
        let turn = build_of_top.lock().unwrap_or_else(PoisonError::into_inner);
        if !program.is_file() {
            build(&home, verilog, top, &main, runs)?;
        }
        drop(turn);
        Ok(Engine {
            program,
            inputs,
            outputs,
        })
    }

    /// The compiled program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// An input port that is not a clock.
    ///
    /// # Errors
    /// If the top has no such input.
    pub fn input(&self, name: &str) -> Result<Field> {
        find(&self.inputs, name).with_context(|| format!("the top has no input `{name}`"))
    }

    /// An output port.
    ///
    /// # Errors
    /// If the top has no such output.
    pub fn output(&self, name: &str) -> Result<Field> {
        find(&self.outputs, name).with_context(|| format!("the top has no output `{name}`"))
    }

    /// Bytes of one input frame.
    pub fn frame_len(&self) -> usize {
        length(&self.inputs)
    }

    /// Bytes of all outputs, sampled once.
    pub fn record_len(&self) -> usize {
        length(&self.outputs)
    }

    /// Runs the top from its initial state.
    ///
    /// `drive` fills the frame of a cycle, which still holds the previous frame, and returns false
    /// when there are no more cycles. `take` gets the outputs of each cycle, or only of cycles in
    /// which bit 0 of the output `valid` is 1 before the edge.
    ///
    /// # Errors
    /// If the program cannot be run or ends early.
    pub fn run(
        &self,
        sample: Sample,
        valid: Option<Field>,
        mut drive: impl FnMut(u64, &mut [u8]) -> bool + Send,
        mut take: impl FnMut(u64, &[u8]),
    ) -> Result<()> {
        let mut child = Command::new(&self.program)
            .arg(if sample == Sample::BothSides {
                "2"
            } else {
                "1"
            })
            .arg(valid.map_or("-1".to_string(), |field| field.offset.to_string()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", self.program.display()))?;
        let stdin = child.stdin.take().context("no pipe to the engine")?;
        let stdout = child.stdout.take().context("no pipe from the engine")?;
        let frame_len = self.frame_len();
        let sides = if sample == Sample::BothSides { 2 } else { 1 };
        let mut record = vec![0; 8 + sides * self.record_len()];
        std::thread::scope(|scope| -> Result<()> {
            let feed = scope.spawn(move || -> std::io::Result<()> {
                let mut stdin = BufWriter::with_capacity(1 << 16, stdin);
                // A leading byte distinguishes a cycle from the end, so a top without inputs can be
                // run too.
                let mut frame = vec![0; 1 + frame_len];
                let mut cycle = 0;
                while drive(cycle, &mut frame[1..]) {
                    stdin.write_all(&frame)?;
                    cycle += 1;
                }
                stdin.flush()
            });
            let mut stdout = BufReader::with_capacity(1 << 16, stdout);
            loop {
                match stdout.read_exact(&mut record) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                    Err(error) => return Err(error).context("cannot read from the engine"),
                }
                let (cycle, outputs) = record.split_at(8);
                let cycle = cycle
                    .iter()
                    .rev()
                    .fold(0, |n, byte| n << 8 | u64::from(*byte));
                take(cycle, outputs);
            }
            let fed = feed.join().expect("the driver does not panic");
            fed.context("the engine ended before its input")
        })?;
        let status = child.wait()?;
        if !status.success() {
            bail!("the engine failed: {status}");
        }
        Ok(())
    }
}

fn find(fields: &[(String, Field)], name: &str) -> Option<Field> {
    let found = fields.iter().find(|(field, _)| field == name);
    found.map(|(_, field)| *field)
}

fn length(fields: &[(String, Field)]) -> usize {
    fields
        .iter()
        .map(|(_, field)| field.width.div_ceil(8))
        .sum()
}

fn fields(ports: &[Port], direction: Direction) -> Vec<(String, Field)> {
    let mut offset = 0;
    let is_data = |port: &&Port| {
        port.direction == direction && !(port.is_clock && direction == Direction::Input)
    };
    let place = |port: &Port| {
        let width = port.width;
        let field = Field { offset, width };
        offset += width.div_ceil(8);
        (port.name.clone(), field)
    };
    ports.iter().filter(is_data).map(place).collect()
}

/// The C++ program around the top. Verilator keeps each port in an integer or an array of words,
/// little-endian as the frames are, so bytes are simply copied.
fn harness(ports: &[Port], inputs: &[(String, Field)], outputs: &[(String, Field)]) -> String {
    let mut copy_in = String::new();
    for (name, field) in inputs {
        let (offset, width) = (field.offset, field.width);
        let last = width.div_ceil(8) - 1;
        if width % 8 != 0 {
            let mask = (1u32 << (width % 8)) - 1;
            let _ = writeln!(copy_in, "    in[{}] &= {mask};", 1 + offset + last);
        }
        let _ = writeln!(
            copy_in,
            "    std::memcpy(&top->{name}, in + {}, {});",
            1 + offset,
            last + 1
        );
    }
    let mut copy_out = String::new();
    for (name, field) in outputs {
        let (offset, bytes) = (field.offset, field.width.div_ceil(8));
        let _ = writeln!(
            copy_out,
            "    std::memcpy(out + {offset}, &top->{name}, {bytes});"
        );
    }
    let clocks: Vec<_> = ports
        .iter()
        .filter(|port| port.is_clock && port.direction == Direction::Input)
        .map(|port| format!("top->{} = level;", port.name))
        .collect();
    TEMPLATE
        .replace("@IN@", &length(inputs).to_string())
        .replace("@OUT@", &length(outputs).to_string())
        .replace("@COPY_IN@", &copy_in)
        .replace("@COPY_OUT@", &copy_out)
        .replace("@CLOCK@", &clocks.join(" "))
}

const TEMPLATE: &str = r#"#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include "Vtop.h"
#include "verilated.h"

static const size_t IN = 1 + @IN@, OUT = @OUT@;
static std::unique_ptr<Vtop> top;

static void apply(uint8_t *in) {
    (void)in;
@COPY_IN@}
static void sample(uint8_t *out) {
    (void)out;
@COPY_OUT@}
static void clock(int level) {
    (void)level;
    @CLOCK@
    top->eval();
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const size_t sides = std::atoi(argv[1]);
    const long valid = std::atol(argv[2]);
    std::unique_ptr<VerilatedContext> context{new VerilatedContext};
    top.reset(new Vtop{context.get()});
    static uint8_t in[IN], out[8 + 2 * OUT + 1];
    static char in_buffer[1 << 16], out_buffer[1 << 16];
    std::setvbuf(stdin, in_buffer, _IOFBF, sizeof in_buffer);
    std::setvbuf(stdout, out_buffer, _IOFBF, sizeof out_buffer);
    for (uint64_t cycle = 0; std::fread(in, 1, IN, stdin) == IN; cycle++) {
        apply(in);
        clock(0);
        sample(out + 8);
        const bool keep = valid < 0 || (out[8 + valid] & 1);
        clock(1);
        if (!keep) continue;
        if (sides == 2) sample(out + 8 + OUT);
        std::memcpy(out, &cycle, 8);
        if (std::fwrite(out, 1, 8 + sides * OUT, stdout) != 8 + sides * OUT) return 1;
    }
    top->final();
    // The model must be destroyed before its context.
    top.reset();
    return std::fflush(stdout) == 0 ? 0 : 1;
}
"#;
