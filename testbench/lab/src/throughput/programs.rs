// SPDX-License-Identifier: MIT OR Apache-2.0
//! `flow_core`: programs that ran, at the speed of a core.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use coretrace_test_gen::btr::BranchTrace;
use coretrace_test_gen::btr::files::{WORKLOADS, name, read, traces};
use coretrace_test_gen::trace_unit::TraceUnit;
use etm4_cli::output::Output;

use crate::study::positive;

mod stream;
mod supply;
mod window;

use stream::ProgramStream;
use supply::{Supply, cycles_of_one_walker, one_walker, two_walkers};
use window::Window;

/// Entries of a return stack that is used.
const RETURN_STACK: usize = 15;
/// Clocks in MHz, and instructions per cycle: of one walker, and of two of them.
const ONE: Speed = Speed {
    walker_mhz: 300.0,
    ipc: 1.0,
};
const TWO: Speed = Speed {
    walker_mhz: 333.0,
    ipc: 2.0,
};
/// Bytes of a stretch that is simulated.
const WINDOW_BYTES: u64 = 6000;

#[derive(Clone, Copy)]
struct Speed {
    walker_mhz: f64,
    ipc: f64,
}

impl Speed {
    /// Cycles of a walker in which a core executes an instruction.
    fn cycles_per_instruction(self, core_mhz: f64) -> f64 {
        self.walker_mhz / (core_mhz * self.ipc)
    }
}

/// The programs of `flow_core`.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// Folder of branch traces that flow_core follows; ../shared/workloads if that is there
    #[arg(long, value_name = "FOLDER")]
    workloads: Option<PathBuf>,

    /// Instructions of each branch trace, at most
    #[arg(long, value_name = "N", default_value_t = 20_000_000)]
    instructions: u64,

    /// Clock of the core whose branch traces are followed
    #[arg(long, value_name = "MHZ", default_value_t = 1300.0, value_parser = positive)]
    core_mhz: f64,
}

/// Tables with a row for each program.
///
/// # Errors
/// If a file is no branch trace, or the simulated hardware loses an atom and does not say so.
pub fn program_tables(out: &mut Output, args: &ProgramArgs) -> Result<()> {
    let folder = match &args.workloads {
        Some(folder) => folder,
        None if Path::new(WORKLOADS).is_dir() => Path::new(WORKLOADS),
        None => {
            writeln!(out.text, "\nwithout branch traces: there is no {WORKLOADS}")?;
            return Ok(());
        }
    };
    let files = traces(folder)?;
    supply_table(out, args, &files)?;
    window_table(out, args, &files)
}

/// A trace unit with or without its return stack.
fn unit(return_stack: bool) -> TraceUnit {
    TraceUnit {
        return_stack: if return_stack { RETURN_STACK } else { 0 },
        ..TraceUnit::default()
    }
}

fn on_off(is_on: bool) -> &'static str {
    if is_on { "on" } else { "off" }
}

fn beginning(file: &Path, args: &ProgramArgs) -> Result<BranchTrace> {
    Ok(read(file)?.prefix(args.instructions))
}

/// What waits for walkers.
fn supply_table(out: &mut Output, args: &ProgramArgs, files: &[PathBuf]) -> Result<()> {
    let clock = args.core_mhz;
    writeln!(
        out.text,
        "\nModelled: a core of {clock} MHz, one walker at {} MHz and an IPC of {}, two at {} MHz and {}.\n\
         {:<24} {:>5} {:>10} {:>9} {:>8} {:>8} {:>9} {:>6} {:>5} {:>9} {:>7} {:>6} {:>9} {:>7} {:>5} {:>9} {:>7}",
        ONE.walker_mhz,
        ONE.ipc,
        TWO.walker_mhz,
        TWO.ipc,
        "program",
        "stack",
        "instr",
        "bit/instr",
        "atoms/B",
        "taken/B",
        "hops/cyc",
        "load",
        "rows",
        "dropped",
        "losses",
        "rows4",
        "dropped4",
        "losses4",
        "rows2",
        "dropped2",
        "losses2"
    )?;
    for file in files {
        let trace = beginning(file, args)?;
        for return_stack in [false, true] {
            let stream = ProgramStream::new(&trace, &unit(return_stack));
            supply_row(out, args, &name(file), return_stack, &stream)?;
            out.flush();
        }
    }
    Ok(())
}

fn supply_row(
    out: &mut Output,
    args: &ProgramArgs,
    program: &str,
    return_stack: bool,
    stream: &ProgramStream,
) -> Result<()> {
    let per_instruction = ONE.cycles_per_instruction(args.core_mhz);
    let cycles = stream.instructions as f64 * per_instruction;
    let bytes = stream.bytes as f64;
    let one = |words| columns(&one_walker(stream, per_instruction, words));
    write!(
        out.text,
        "{:<24} {:>5} {:>10} {:>9.3} {:>8.2} {:>8.2} {:>9.3} {:>6.3} {}  {}",
        program,
        on_off(return_stack),
        stream.instructions,
        8.0 * bytes / stream.instructions as f64,
        stream.atoms as f64 / bytes,
        stream.taken as f64 / bytes,
        stream.taken as f64 / cycles,
        cycles_of_one_walker(stream) as f64 / cycles,
        one(false),
        one(true)
    )?;
    if !return_stack {
        let two = two_walkers(stream, TWO.cycles_per_instruction(args.core_mhz));
        write!(out.text, " {}", columns(&two))?;
    }
    writeln!(out.text)?;
    Ok(())
}

fn columns(supply: &Supply) -> String {
    let Supply {
        most,
        dropped,
        losses,
    } = supply;
    format!("{most:>5} {dropped:>9} {losses:>7}")
}

/// What the simulated blocks do with a stretch from the middle of a program.
fn window_table(out: &mut Output, args: &ProgramArgs, files: &[PathBuf]) -> Result<()> {
    writeln!(
        out.text,
        "\nMeasured in simulation: hops per cycle out of a full FIFO; atoms of that and of an overload.\n\
         {:<24} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "program", "stack", "hops/cyc", "walked", "skipped", "dropped"
    )?;
    for file in files {
        let trace = beginning(file, args)?;
        let broadcast = TraceUnit {
            broadcast: true,
            ..unit(false)
        };
        let units = [
            (on_off(false), unit(false)),
            (on_off(true), unit(true)),
            ("broadcast", broadcast),
        ];
        for (setting, unit) in units {
            let measured = window(&trace, unit).and_then(|window| window.measure());
            let measured = measured.with_context(|| format!("{}, {setting}", name(file)))?;
            writeln!(
                out.text,
                "{:<24} {:>9} {:>9.3} {:>9} {:>9} {:>9}",
                name(file),
                setting,
                measured.hops_per_cycle,
                measured.walked,
                measured.skipped,
                measured.dropped
            )?;
            out.flush();
        }
    }
    Ok(())
}

/// So many bytes from the middle of a program on.
fn window(trace: &BranchTrace, unit: TraceUnit) -> Result<Window> {
    let stream = ProgramStream::new(trace, &unit);
    let place = |byte| stream.instructions_at(byte);
    let begin = place(stream.bytes.saturating_sub(WINDOW_BYTES) / 2);
    let end = place((stream.bytes + WINDOW_BYTES) / 2);
    Window::new(&trace.suffix(begin).prefix(end - begin), &unit)
}
