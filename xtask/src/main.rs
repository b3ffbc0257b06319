// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask`: chores of the repository that take more than a shell line.
#![forbid(unsafe_code)]

mod area;
mod delay;
mod graph;
mod measure;
mod netlist;
mod render;
mod route;
mod sta;
mod tools;

use anyhow::Result;
use clap::{Parser, Subcommand};
use etm4_pipelines::Preset;
use std::path::{Path, PathBuf};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Chores of the repository")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Area and timing of the presets, by open tools: report.json and report.md
    Report {
        /// A preset, may be given several times; all of them unless given
        #[arg(long = "preset", value_name = "NAME")]
        presets: Vec<Preset>,
        /// Seeds of the ECP5 placer
        #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
        seeds: u32,
        /// Leaves out place and route on ECP5, which takes minutes
        #[arg(long)]
        no_route: bool,
        /// Where the report goes; target/report unless given
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

fn main() -> Result<()> {
    let Chore::Report {
        presets,
        seeds,
        no_route,
        out,
    } = Arguments::parse().chore;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    // The tools run in other directories, so that a relative path would lead nowhere.
    let target = std::path::absolute(target)?;
    let out = out.unwrap_or_else(|| target.join("report"));
    let presets = if presets.is_empty() {
        Preset::ALL.to_vec()
    } else {
        presets
    };
    let tools = tools::Tools::install(&target.join("report-tools"))?;
    let seeds = if no_route { 0 } else { seeds };
    let report = measure::report(&tools, &presets, seeds, &out)?;
    std::fs::write(
        out.join("report.json"),
        serde_json::to_string_pretty(&report)? + "\n",
    )?;
    let table = render::markdown(&report);
    std::fs::write(out.join("report.md"), &table)?;
    print!("{table}");
    Ok(())
}
