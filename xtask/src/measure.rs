// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the numbers of the report.

use crate::area::Area;
use crate::delay::{DEFAULT, TIGHT};
use crate::netlist::Netlist;
use crate::route::{self, Seed};
use crate::sta::{Loop, Path, Sta};
use crate::tools::{NEXTPNR, Tools, YOSYS};
use anyhow::{Context, Result};
use etm4_pipelines::{Preset, package};
use serde::Serialize;

/// The clock period that the trace port asks for, in ns.
pub const PERIOD_NS: f64 = 4.0;
/// LUTs that fit the period, by AMD's rule of 0.300 ns for a LUT with its net.
pub const LUT_BUDGET: usize = 13;
/// The ECP5 frequency of a design that has enough room at 250 MHz on UltraScale+.
pub const ECP5_GOAL_MHZ: f64 = 100.0;
/// The ECP5 frequency that corresponds to 250 MHz on UltraScale+.
pub const ECP5_LIMIT_MHZ: f64 = 85.0;
/// The preset that the others are compared with.
pub const REFERENCE: Preset = Preset::Etm4X4;

/// Everything that a run found out.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    /// The packages that the numbers come from.
    pub tools: [&'static str; 2],
    estimated_device: &'static str,
    measured_device: &'static str,
    /// Seeds of the placer; empty without place and route.
    pub seeds: Vec<u32>,
    /// Period that is asked for, in ns.
    pub period_ns: f64,
    /// The presets.
    pub presets: Vec<Measured>,
}

/// The numbers of one preset.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Name of the preset.
    pub preset: &'static str,
    /// Estimates for UltraScale+.
    pub estimated: Estimated,
    /// What was routed on ECP5.
    pub measured: Option<Measurement>,
    /// Both methods together; none without place and route.
    pub verdict: Option<Verdict>,
}

/// Estimates from the netlist for UltraScale+.
#[derive(Debug, Serialize)]
pub struct Estimated {
    /// Cells after synthesis.
    pub area: Area,
    /// Shortest period in ns with nets as fitted.
    pub default_ns: f64,
    /// Shortest period in ns with short nets and replicated drivers.
    pub tight_ns: f64,
    /// Most LUTs between two registers.
    pub lut_depth: usize,
    /// The longest path, nets as fitted.
    pub worst_path: Path,
    /// The loops, nets as fitted, longest path first.
    pub loops: Vec<Loop>,
}

/// Measured by place and route on ECP5.
#[derive(Debug, Serialize)]
pub struct Measurement {
    /// Every seed.
    pub seeds: Vec<Seed>,
    /// Median over the seeds.
    pub median_mhz: f64,
    /// Frequency over that of the reference preset, if it is in the same run.
    pub ratio_to_etm4_x4: Option<f64>,
}

/// What both methods say about 250 MHz.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// Reached with room.
    Green,
    /// Reached only if short nets and replication are assumed.
    Amber,
    /// Not reached.
    Red,
}

impl Verdict {
    fn of(default_ns: f64, tight_ns: f64, lut_depth: usize, ecp5_mhz: f64) -> Verdict {
        if default_ns <= 0.85 * PERIOD_NS && lut_depth <= LUT_BUDGET && ecp5_mhz >= ECP5_GOAL_MHZ {
            Verdict::Green
        } else if tight_ns <= PERIOD_NS && ecp5_mhz >= ECP5_LIMIT_MHZ {
            Verdict::Amber
        } else {
            Verdict::Red
        }
    }
}

/// Measures `presets`, with `seeds` runs of place and route each.
///
/// Netlists and tool reports stay in a directory of each preset below `out`.
///
/// # Errors
/// If a file cannot be written, a tool fails, or a netlist has cells without a known delay.
pub fn report(
    tools: &Tools,
    presets: &[Preset],
    seeds: u32,
    out: &std::path::Path,
) -> Result<Report> {
    let mut measured = Vec::new();
    for preset in presets {
        let directory = out.join(preset.name());
        package::write_package(package::package(*preset)?, &directory)
            .with_context(|| format!("writing {}", directory.display()))?;
        let estimated = estimate(tools, &directory, preset.name())?;
        let measurement = if seeds == 0 {
            None
        } else {
            let seeds = route::route(tools, &directory, preset.name(), seeds)?;
            let median_mhz = route::median(&seeds).context("no seeds")?;
            Some(Measurement {
                seeds,
                median_mhz,
                ratio_to_etm4_x4: None,
            })
        };
        let verdict = measurement.as_ref().map(|routed| {
            let Estimated {
                default_ns,
                tight_ns,
                lut_depth,
                ..
            } = estimated;
            Verdict::of(default_ns, tight_ns, lut_depth, routed.median_mhz)
        });
        measured.push(Measured {
            preset: preset.name(),
            estimated,
            measured: measurement,
            verdict,
        });
    }
    compare(&mut measured);
    Ok(Report {
        schema: "etm4.report/1",
        tools: [YOSYS, NEXTPNR],
        estimated_device: "xczu5ev-sfvc784-2-i",
        measured_device: route::DEVICE,
        seeds: (1..=seeds).collect(),
        period_ns: PERIOD_NS,
        presets: measured,
    })
}

/// Maps to UltraScale+ and estimates the timing in both corners.
fn estimate(tools: &Tools, directory: &std::path::Path, name: &str) -> Result<Estimated> {
    eprintln!("{name}: synthesis for UltraScale+");
    // Without W, Yosys weighs LUT pins against wires as on Artix-7, which makes slower netlists.
    tools.yosys(
        directory,
        &format!(
            "scratchpad -set synth_xilinx.abc9.W 1000; read_verilog {name}.v; \
             synth_xilinx -family xcup -top {name} -flatten -noiopad -nosrl -json {name}_xcup.json"
        ),
    )?;
    let text = std::fs::read_to_string(directory.join(format!("{name}_xcup.json")))?;
    let netlist = Netlist::parse(&text, name)?;
    let no_path = || format!("{name} has no path from a register to a register");
    let sta = Sta::new(&netlist, DEFAULT)?;
    let tight = Sta::new(&netlist, TIGHT)?;
    Ok(Estimated {
        area: Area::of(&netlist.counts),
        default_ns: sta.period_ns().with_context(no_path)?,
        tight_ns: tight.period_ns().with_context(no_path)?,
        lut_depth: sta.lut_depth(),
        worst_path: sta.worst().with_context(no_path)?,
        loops: sta.loops(),
    })
}

/// Fills in the ratios to the reference preset.
fn compare(presets: &mut [Measured]) {
    let median = |measured: &Measured| Some(measured.measured.as_ref()?.median_mhz);
    let reference = presets.iter().find(|m| m.preset == REFERENCE.name());
    let reference = reference.and_then(median);
    for measurement in presets.iter_mut().filter_map(|m| m.measured.as_mut()) {
        measurement.ratio_to_etm4_x4 = reference.map(|mhz| measurement.median_mhz / mhz);
    }
}

#[cfg(test)]
mod tests {
    use super::Verdict;

    #[test]
    fn every_limit_of_the_verdict_counts() {
        assert_eq!(Verdict::of(3.4, 3.0, 13, 100.0), Verdict::Green);
        assert_eq!(Verdict::of(3.5, 3.0, 13, 100.0), Verdict::Amber);
        assert_eq!(Verdict::of(3.4, 3.0, 14, 100.0), Verdict::Amber);
        assert_eq!(Verdict::of(3.4, 3.0, 13, 99.0), Verdict::Amber);
        assert_eq!(Verdict::of(4.5, 4.1, 13, 100.0), Verdict::Red);
        assert_eq!(Verdict::of(3.4, 3.0, 13, 84.0), Verdict::Red);
    }
}
