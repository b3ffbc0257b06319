// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: chores of the repository that take more than a shell line.
#![forbid(unsafe_code)]

mod alchitry;
mod area;
mod baseline;
mod delay;
mod design;
mod ecp5;
mod estimate;
mod graph;
mod labels;
mod measure;
mod mutants;
mod names;
mod netlist;
mod nexus;
mod order;
mod path;
mod plot;
mod published;
mod render;
mod route;
mod section;
mod shell;
mod sta;
mod targets;
mod tools;
mod trust;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use coretrace_pipelines::DecoderTop;
use design::Design;
use route::Effort;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tools::Tools;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Area and timing of the presets, by open tools: report.json, report.md and rate-vs-lut.svg
    Report {
        /// A preset, may be given several times; all of them unless given
        #[arg(long = "preset", value_name = "NAME")]
        presets: Vec<DecoderTop>,
        /// Seeds of the placers
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
        seeds: u32,
        /// Minutes that a run of place and route may take; what takes longer is not routed
        #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=600))]
        limit: u64,
        /// Leaves out place and route, which takes minutes
        #[arg(long)]
        no_route: bool,
        /// Estimates this Verilog file instead of the presets, and prints what it finds
        #[arg(
            long,
            value_name = "FILE",
            requires = "top",
            conflicts_with = "presets"
        )]
        verilog: Option<PathBuf>,
        /// The top module of the Verilog file
        #[arg(long, value_name = "NAME", requires = "verilog")]
        top: Option<String>,
        /// Where the report goes; target/report unless given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
    /// Breaks the code on purpose, one place at a time, and looks whether the tests notice
    Mutants {
        /// Only those with this text in their names
        #[arg(default_value = "")]
        pattern: String,
    },
    /// Runs the commands of docs/trust.md and puts what they print into it
    Trust {
        /// Only those with this text in them
        #[arg(default_value = "")]
        pattern: String,
    },
    /// The bitstream of the Alchitry Cu probe, by open tools; fails if a clock is too slow
    Alchitry {
        /// Where the files go; target/alchitry unless given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

/// Builds the bitstream and says what it came to.
fn alchitry(target: &Path, out: Option<PathBuf>) -> Result<()> {
    let tools = Tools::install(&target.join("board-tools"), &tools::BOARD)?;
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
    let (presets, seeds, limit, no_route, verilog, top, out) = match chore {
        Chore::Report {
            presets,
            seeds,
            limit,
            no_route,
            verilog,
            top,
            out,
        } => (presets, seeds, limit, no_route, verilog, top, out),
        Chore::Alchitry { out } => return alchitry(&target, out),
        Chore::Mutants { pattern } => return mutants::run(&root, &target, &pattern),
        Chore::Trust { pattern } => return trust::run(&root, &pattern),
    };
    let out = std::path::absolute(out.unwrap_or_else(|| target.join("report")))?;
    let tools = Tools::install(&target.join("report-tools"), &tools::PACKAGES)?;
    if let (Some(file), Some(top)) = (verilog, top) {
        return block(&tools, &file, &top, &out);
    }
    let effort = Effort {
        seeds: if no_route { 0 } else { seeds },
        limit: Duration::from_secs(60 * limit),
    };
    let all = presets.is_empty();
    let presets = if all {
        DecoderTop::ALL.to_vec()
    } else {
        presets
    };
    let report = measure::report(&tools, &presets, effort, &out)?;
    let json = serde_json::to_string_pretty(&report)? + "\n";
    std::fs::write(out.join("report.json"), json)?;
    let table = render::markdown(&report);
    std::fs::write(out.join("report.md"), &table)?;
    let picture = plot::svg(&plot::points(&report));
    std::fs::write(out.join(PICTURE), &picture)?;
    if all {
        std::fs::write(root.join("docs").join(PICTURE), &picture)?;
    }
    print!("{table}");
    Ok(())
}

/// The plot; that of all presets is part of the documents.
const PICTURE: &str = "rate-vs-lut.svg";

/// Estimates the module `top` of a Verilog file.
fn block(tools: &Tools, file: &Path, top: &str, out: &Path) -> Result<()> {
    let directory = out.join(top);
    let source = format!("{top}.v");
    std::fs::create_dir_all(&directory)?;
    // The tools see only what is below their working directory.
    let text = std::fs::read(file).with_context(|| format!("reading {}", file.display()))?;
    std::fs::write(directory.join(&source), text)?;
    let design = Design {
        directory: &directory,
        sources: &source,
        top,
    };
    let estimated = estimate::estimate(tools, &design, estimate::PLAIN)?;
    print!("{}", section::block(top, &estimated));
    Ok(())
}
