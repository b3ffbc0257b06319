// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 study`: how many bytes programs make in a trace unit, and what holds them.

use std::fmt::Write;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueEnum};
use coretrace_test_gen::btr::files::{name, read};
use etm4_cli::output::Output;

mod configuration;
mod load;
mod report;
mod window;

use configuration::CONFIGURATIONS;
use load::{Core, Row};
use window::Traffic;

/// The branch traces that come with the sources.
const SHIPPED: [&str; 2] = [
    "testbench/traces/branches/interp-a64.btr.xz",
    "testbench/traces/branches/adpcm-a32.btr.xz",
];

/// Count the bytes that programs make in a trace unit
#[derive(Debug, Args)]
#[command(after_help = "\
Examples, from the root of the repository:
  etm4-lab study                                        the programs that come with the sources
  etm4-lab study *.btr.xz --mhz 1500 --ipc 1.2 --cores 4
  etm4-lab study --format tsv

BTR files are branch traces: which branches of a program were taken. A model of the trace unit of a
Cortex-A53 makes the bytes; the clock, the instructions per cycle and the cores are assumptions.
A worst window has the most bytes of all stretches of so many instructions. \"port MHz\" is the clock of
a 32-bit port that holds the worst 10000 instructions of all cores at once, formatter frames
included; \"decoder\" is the width in bytes of the decoder at 250 MHz that holds those of one core.")]
pub struct StudyArgs {
    /// Branch traces; those that end in .xz are unpacked
    files: Vec<PathBuf>,

    /// Clock of the cores
    #[arg(long, value_name = "MHZ", default_value_t = 1000.0, value_parser = positive)]
    mhz: f64,

    /// Instructions that a core executes in a cycle
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = positive)]
    ipc: f64,

    /// Cores at the port
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=112))]
    cores: u32,

    /// How the figures are written
    #[arg(long, value_enum, default_value_t)]
    format: StudyFormat,
}

/// How the figures are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum StudyFormat {
    /// A table for people
    #[default]
    Text,
    /// Tab-separated
    Tsv,
    /// One JSON object a line
    Json,
    /// Tables by program and configuration, for a document
    Markdown,
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err("give a number above 0".to_owned()),
    }
}

/// Runs the command.
///
/// # Errors
/// If a file is no branch trace.
pub fn run(args: &StudyArgs) -> Result<()> {
    let core = Core {
        mhz: args.mhz,
        ipc: args.ipc,
        cores: args.cores,
    };
    let shipped = SHIPPED.map(PathBuf::from);
    let files = if args.files.is_empty() {
        &shipped[..]
    } else {
        &args.files
    };
    let mut out = Output::new();
    out.text += &match args.format {
        StudyFormat::Text => report::text_head(&core),
        StudyFormat::Tsv => report::tsv_head(),
        StudyFormat::Json | StudyFormat::Markdown => String::new(),
    };
    let names: Vec<String> = files.iter().map(|file| name(file)).collect();
    let mut rows = Vec::new();
    for (file, program) in files.iter().zip(&names) {
        let trace = read(file)?;
        for configuration in &CONFIGURATIONS {
            let mut traffic = Traffic::default();
            let bytes = configuration.unit(args.ipc).trace(&trace, &mut traffic);
            let row = Row {
                program,
                configuration: configuration.name,
                instructions: trace.instructions,
                bytes: bytes.len() as u64,
                worst: traffic.worst(),
            };
            match args.format {
                StudyFormat::Text => out.text += &report::text(&row, &core),
                StudyFormat::Tsv => out.text += &report::tsv(&row, &core),
                StudyFormat::Json => writeln!(out.text, "{}", report::json(&row, &core))?,
                StudyFormat::Markdown => rows.push(row),
            }
            out.flush();
        }
    }
    if args.format == StudyFormat::Markdown {
        out.text += &report::markdown(&rows, &core);
    }
    out.finish();
    Ok(())
}
