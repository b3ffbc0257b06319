// SPDX-License-Identifier: MIT OR Apache-2.0
//! Place and route with several seeds: not the target device, but real wires.

pub mod ecp5;
pub mod nexus;
pub mod shell;

use crate::design::Design;
use crate::tools::Tools;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;
use std::time::Duration;

/// How often and how long.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Runs of the placer, each with another seed.
    pub seeds: u32,
    /// Limit of every run of a program.
    pub limit: Duration,
}

/// Clock frequency that one seed of the placer reached.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seed {
    /// Seed.
    pub seed: u32,
    /// Clock frequency in MHz.
    pub fmax_mhz: f64,
}

/// Figures of a place and route.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Routed {
    /// The seeds that were routed.
    pub seeds: Vec<Seed>,
    /// Median over these seeds.
    pub median_mhz: Option<f64>,
    /// Frequency over that of the reference preset, if it is in the same run.
    pub ratio_to_etm4_x4: Option<f64>,
    /// Why the rest was not routed, if something was not.
    pub not_routed: Option<String>,
}

impl Routed {
    /// Nothing was routed.
    fn failed(reason: &anyhow::Error) -> Routed {
        Routed {
            not_routed: Some(format!("not routed: {reason}")),
            ..Routed::default()
        }
    }
}

/// A program that places and routes, with the options for one device.
pub struct Router<'a> {
    /// Short name of the device family, used in file names.
    pub family: &'a str,
    /// The program.
    pub program: &'a str,
    /// Its options besides netlist, seed and report.
    pub options: &'a [&'a str],
}

impl Router<'_> {
    /// Routes the netlist that `synthesize` names, once for each seed. The first seed that fails is
    /// the last that is tried.
    pub fn route(
        &self,
        tools: &Tools,
        design: &Design,
        effort: Effort,
        synthesize: impl FnOnce() -> Result<String>,
    ) -> Routed {
        eprintln!("{}: synthesis for {}", design.top, self.family);
        let netlist = match synthesize() {
            Ok(netlist) => netlist,
            Err(reason) => return Routed::failed(&reason),
        };
        let mut seeds = Vec::new();
        let mut not_routed = None;
        for seed in 1..=effort.seeds {
            eprintln!("{}: {}, seed {seed}", design.top, self.family);
            match self.one(tools, design, &netlist, seed, effort.limit) {
                Ok(fmax_mhz) => seeds.push(Seed { seed, fmax_mhz }),
                Err(reason) => {
                    not_routed = Some(format!("not routed: {reason}"));
                    break;
                }
            }
        }
        Routed {
            median_mhz: median(&seeds),
            seeds,
            ratio_to_etm4_x4: None,
            not_routed,
        }
    }

    fn one(
        &self,
        tools: &Tools,
        design: &Design,
        netlist: &str,
        seed: u32,
        limit: Duration,
    ) -> Result<f64> {
        let run = format!("{}_{}_{seed}", design.top, self.family);
        let (report, log, number) = (
            format!("{run}.json"),
            format!("{run}.log"),
            seed.to_string(),
        );
        let mut arguments = self.options.to_vec();
        arguments.extend(["--freq", "250", "--timing-allow-fail", "--seed", &number]);
        arguments.extend(["--json", netlist, "--report", &report]);
        tools.limited(self.program, design.directory, &arguments, &log, limit)?;
        let text = std::fs::read_to_string(design.directory.join(&report))?;
        slowest_clock(&serde_json::from_str(&text)?)
            .with_context(|| format!("{report} has no clock"))
    }
}

/// The frequency of the slowest clock in a report of nextpnr.
fn slowest_clock(report: &Value) -> Option<f64> {
    let clocks = report["fmax"].as_object()?.values();
    let achieved = clocks.filter_map(|clock| clock["achieved"].as_f64());
    achieved.min_by(f64::total_cmp)
}

/// The median of the seeds' frequencies; the mean of the middle two if their number is even.
fn median(seeds: &[Seed]) -> Option<f64> {
    let mut sorted: Vec<f64> = seeds.iter().map(|seed| seed.fmax_mhz).collect();
    sorted.sort_by(f64::total_cmp);
    let (low, high) = (sorted.len().checked_sub(1)? / 2, sorted.len() / 2);
    Some((sorted[low] + sorted[high]) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn seeds(frequencies: &[f64]) -> Vec<Seed> {
        let seed = |&fmax_mhz: &f64| Seed { seed: 1, fmax_mhz };
        frequencies.iter().map(seed).collect()
    }

    #[test]
    fn the_median_is_that_of_the_sorted_frequencies() {
        assert_eq!(median(&seeds(&[90.0, 70.0, 100.0])), Some(90.0));
        assert_eq!(median(&seeds(&[90.0, 70.0, 100.0, 80.0])), Some(85.0));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn the_slowest_clock_counts() {
        let report = json!({ "fmax": { "a": { "achieved": 120.5 }, "b": { "achieved": 99.5 } } });
        assert_eq!(slowest_clock(&report), Some(99.5));
        assert_eq!(slowest_clock(&json!({ "fmax": {} })), None);
    }
}
