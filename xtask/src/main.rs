// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: chores of the repository that take more than a shell line.
#![forbid(unsafe_code)]

mod alchitry;
mod captures;
mod compression;
mod memory;
mod mutants;
mod pgo;
mod report;
mod sources;
mod stages;

use anyhow::Result;
use clap::{Parser, Subcommand};
use coretrace_test_estimate::tools::{BOARD, Tools};
use report::Options;
use stages::Tier;
use std::path::{Path, PathBuf};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Area and timing of the presets and the core, by open tools: JSON, Markdown and a plot
    Report(Options),
    /// Area of one core for several trace IDs of a port beside that of several cores, into docs/results.md
    Sources(sources::Options),
    /// Breaks the code on purpose, one place at a time, and looks whether the tests notice
    Mutants {
        /// Only those of these suites, or with these texts in their faults
        patterns: Vec<String>,
    },
    /// Runs the checks that are too long for the gate, two hours at most, and records them in docs/trust.md
    Nightly {
        /// This stage alone
        #[arg(long, value_name = "STAGE")]
        only: Option<String>,
    },
    /// Runs the checks that take hours, and records them in docs/trust.md
    Weekly {
        /// This stage alone
        #[arg(long, value_name = "STAGE")]
        only: Option<String>,
    },
    /// The most memory that the commands of etm4 take of a long trace; fails above 64 MiB
    Memory {
        /// Bytes of the trace
        #[arg(long, value_name = "N", default_value_t = 2 << 30)]
        bytes: u64,
    },
    /// Bits per instruction of all encoders on the branch traces, beside those of papers, into
    /// docs/compression.md
    Compression,
    /// Rebuilds programs with the profiles of their traces; fails if branches do not become fewer
    Pgo,
    /// Capture folders and packet lists of the snapshots of an OpenCSD checkout, and the model against
    /// the lists; the files go to target/captures
    Captures(captures::Options),
    /// The bitstream of the Alchitry Cu probe, by open tools; fails if a clock is too slow
    Alchitry {
        /// Where the files go; target/alchitry unless given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Builds the bitstream and prints its figures.
fn alchitry(target: &Path, out: Option<PathBuf>) -> Result<()> {
    let tools = Tools::install(&target.join("board-tools"), &BOARD)?;
    let out = std::path::absolute(out.unwrap_or_else(|| target.join("alchitry")))?;
    let built = alchitry::build(&tools, &out)?;
    print!("{}", built.summary);
    println!("{}", built.bitstream.display());
    Ok(())
}

fn main() -> Result<()> {
    let chore = Arguments::parse().chore;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    // The tools run in other directories, so that a relative path would lead nowhere.
    let target = std::path::absolute(target)?;
    match chore {
        Chore::Report(options) => report::run(&root, &target, options),
        Chore::Sources(options) => sources::run(&root, &target, options),
        Chore::Memory { bytes } => memory::run(&root, &target, bytes),
        Chore::Captures(options) => captures::run(&root, &target, &options),
        Chore::Compression => compression::run(&root),
        Chore::Pgo => pgo::run(&root, &target),
        Chore::Alchitry { out } => alchitry(&target, out),
        Chore::Mutants { patterns } => mutants::run(&root, &target, &patterns),
        Chore::Nightly { only } => stages::run(&root, Tier::Nightly, only.as_deref()),
        Chore::Weekly { only } => stages::run(&root, Tier::Weekly, only.as_deref()),
    }
}
