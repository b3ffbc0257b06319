// SPDX-License-Identifier: MIT OR Apache-2.0
//! Place and route on ECP5: another device, but with real wires.

use crate::tools::Tools;
use anyhow::{Context, Result};
use serde::Serialize;
use serde_json::Value;
use std::path::Path;

/// The device of the measurement.
pub const DEVICE: &str = "LFE5U-85F, CABGA756, speed grade 8, out of context";

/// Clock frequency that one seed of the placer came to.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Seed {
    /// Seed.
    pub seed: u32,
    /// Clock frequency in MHz.
    pub fmax_mhz: f64,
}

/// Routes the Verilog file `name.v` in `directory` once for each of the seeds 1 to `seeds`.
///
/// # Errors
/// If a program fails, or its report has no clock.
pub fn route(tools: &Tools, directory: &Path, name: &str, seeds: u32) -> Result<Vec<Seed>> {
    let netlist = format!("{name}_ecp5.json");
    tools.yosys(
        directory,
        &format!("read_verilog {name}.v; synth_ecp5 -top {name} -noiopad -json {netlist}"),
    )?;
    let one = |seed: u32| {
        eprintln!("{name}: place and route on ECP5, seed {seed} of {seeds}");
        let report = format!("{name}_ecp5_{seed}.json");
        let number = seed.to_string();
        let mut arguments = vec!["--85k", "--package", "CABGA756", "--speed", "8"];
        arguments.extend(["--out-of-context", "--timing-allow-fail", "-q"]);
        arguments.extend(["--freq", "250", "--seed", &number]);
        arguments.extend(["--json", &netlist, "--report", &report]);
        tools.nextpnr(directory, &arguments)?;
        let text = std::fs::read_to_string(directory.join(&report))?;
        let fmax_mhz = slowest_clock(&serde_json::from_str(&text)?)
            .with_context(|| format!("{report} has no clock"))?;
        Ok(Seed { seed, fmax_mhz })
    };
    (1..=seeds).map(one).collect()
}

/// The frequency of the slowest clock in a report of nextpnr.
fn slowest_clock(report: &Value) -> Option<f64> {
    let clocks = report["fmax"].as_object()?.values();
    let achieved = clocks.filter_map(|clock| clock["achieved"].as_f64());
    achieved.min_by(f64::total_cmp)
}

/// The median of the seeds' frequencies; the mean of the middle two if their number is even.
pub fn median(seeds: &[Seed]) -> Option<f64> {
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
