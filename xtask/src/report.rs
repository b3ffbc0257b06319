// SPDX-License-Identifier: MIT OR Apache-2.0
//! `cargo xtask report`: area and timing of the presets and the baselines.

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_pipelines::package::{package, write_package};
use coretrace_pipelines::{DecoderTop, Preset};
use coretrace_test_estimate::design::{Candidate, Design};
use coretrace_test_estimate::estimate::{Flow, PLAIN, WIDE_MUX, estimate};
use coretrace_test_estimate::report::measure::{self, Report};
use coretrace_test_estimate::report::{
    before, design_section, document_block, markdown, plot, tables,
};
use coretrace_test_estimate::route::{Effort, ecp5};
use coretrace_test_estimate::tools::{PACKAGES, Tools};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The plot; that of all designs is part of the documents.
const PICTURE: &str = "rate-vs-lut.svg";
/// The document with the tables of all designs.
const RESULTS: &str = "docs/results.md";

#[derive(Args)]
pub struct Options {
    /// A preset or a baseline, may be given several times; all of them unless given
    #[arg(long = "preset", value_name = "NAME")]
    presets: Vec<String>,
    /// Seeds of the placers
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=99))]
    seeds: u32,
    /// Minutes that a run of place and route may take; what takes longer is not routed
    #[arg(long, default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=600))]
    limit: u64,
    /// Leaves out place and route, which takes minutes
    #[arg(long)]
    no_route: bool,
    /// Maps wide multiplexers to MUXF7 and MUXF8, in every design
    #[arg(long)]
    widemux: bool,
    /// Prints what differs from an earlier report.json
    #[arg(long, value_name = "FILE", conflicts_with = "verilog")]
    before: Option<PathBuf>,
    /// Estimates this Verilog file instead of the presets, routes it on an ECP5, and prints what it finds
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
}

/// Measures what `options` ask for, writes the report below `target`, and prints it.
///
/// The tables of all designs go into the documents at `root`.
///
/// # Errors
/// If a tool fails, a name is no design, or a file cannot be read or written.
pub fn run(root: &Path, target: &Path, options: Options) -> Result<()> {
    let out = options.out.unwrap_or_else(|| target.join("report"));
    let out = std::path::absolute(out)?;
    // Read first: it may be the file that is written below.
    let earlier = options.before.as_ref();
    let earlier = earlier.map(std::fs::read_to_string).transpose()?;
    let tools = Tools::install(&target.join("report-tools"), &PACKAGES)?;
    let flow = if options.widemux { WIDE_MUX } else { PLAIN };
    let effort = Effort {
        seeds: if options.no_route { 0 } else { options.seeds },
        limit: Duration::from_secs(60 * options.limit),
    };
    if let (Some(file), Some(top)) = (options.verilog, options.top) {
        return block(&tools, &file, &top, flow, effort, &out);
    }
    let candidates = candidates(&options.presets, &out)?;
    let report = measure::report(&tools, &candidates, flow, effort, &out)?;
    let json = serde_json::to_string_pretty(&report)? + "\n";
    std::fs::write(out.join("report.json"), json)?;
    let text = markdown::markdown(&report);
    std::fs::write(out.join("report.md"), &text)?;
    let picture = plot::svg(&plot::points(&report))?;
    std::fs::write(out.join(PICTURE), &picture)?;
    if options.presets.is_empty() && !options.widemux {
        std::fs::write(root.join("docs").join(PICTURE), &picture)?;
        document(&root.join(RESULTS), &report)?;
    }
    print!("{text}");
    if let Some(earlier) = earlier {
        print!("\n{}", before::compare(&earlier, &report)?);
    }
    Ok(())
}

/// Puts the estimates into the results.
fn document(path: &Path, report: &Report) -> Result<()> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let text = document_block::replace(&text, "report", &tables::figures(report));
    let text = document_block::replace(&text, "goals", &tables::goals(report));
    std::fs::write(path, text).with_context(|| path.display().to_string())
}

/// Exports the designs of these names below `out`; all of them without a name.
fn candidates(names: &[String], out: &Path) -> Result<Vec<Candidate>> {
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|wanted| wanted == name);
    let baselines = DecoderTop::BASELINES.map(Preset::Decoder);
    let mut candidates = Vec::new();
    for preset in Preset::ALL.into_iter().chain(baselines) {
        if is_wanted(preset.name()) {
            let directory = out.join(preset.name());
            write_package(package(preset)?, &directory)
                .with_context(|| format!("writing {}", directory.display()))?;
            candidates.push(Candidate {
                name: preset.name().to_owned(),
                directory,
                bytes_per_cycle: preset.bytes_per_cycle(),
                is_chained: matches!(preset, Preset::Decoder(top) if top.chains_lanes()),
                ports: preset.ports(),
            });
        }
    }
    for name in names {
        ensure!(
            candidates.iter().any(|candidate| candidate.name == *name),
            "there is no design `{name}`: see `cargo export --help`"
        );
    }
    Ok(candidates)
}

/// Estimates the module `top` of a Verilog file, and routes it on an ECP5.
fn block(
    tools: &Tools,
    file: &Path,
    top: &str,
    flow: Flow,
    effort: Effort,
    out: &Path,
) -> Result<()> {
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
    let estimated = estimate(tools, &design, flow)?;
    print!("{}", design_section::block(top, &estimated));
    if effort.seeds > 0 {
        let routed = ecp5::route(tools, &design, effort);
        print!("{}", design_section::routed(ecp5::DEVICE, &routed));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_test_estimate::route::shell;

    #[test]
    fn every_port_of_every_preset_is_connected_in_the_router_shell() {
        for preset in Preset::ALL {
            let ports = preset.ports();
            let text = shell::verilog(preset.name(), &ports, "");
            for port in ports {
                assert!(text.contains(&format!(".{}(", port.name)), "{}", port.name);
            }
        }
    }
}
