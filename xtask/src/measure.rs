// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the numbers of the report.

use crate::baseline::{self, Baseline};
use crate::design::Design;
use crate::estimate::{self, Estimated, PLAIN, estimate};
use crate::published::{DECODERS, Decoder};
use crate::route::{Effort, Routed};
use crate::targets::{Target, targets};
use crate::tools::{PACKAGES, Tools};
use crate::{ecp5, nexus};
use anyhow::{Context, Result};
use coretrace_pipelines::{DecoderTop, package};
use serde::Serialize;
use std::path::Path;

/// The clock period that the trace port asks for, in ns.
pub const PERIOD_NS: f64 = 4.0;
/// LUTs that fit the period, by AMD's rule of 0.300 ns for a LUT with its net.
pub const LUT_BUDGET: usize = 13;
/// The ECP5 frequency of a design that has enough room at 250 MHz on UltraScale+.
pub const ECP5_GOAL_MHZ: f64 = 100.0;
/// The ECP5 frequency that corresponds to 250 MHz on UltraScale+.
pub const ECP5_LIMIT_MHZ: f64 = 85.0;
/// The preset that the others are compared with.
pub const REFERENCE: DecoderTop = DecoderTop::Etm4X4;

/// Everything that a run found out.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    /// The packages that the numbers come from.
    pub tools: [&'static str; 4],
    estimated_device: &'static str,
    /// Honest error of the estimates, either way.
    estimated_error_percent: u32,
    ecp5_device: &'static str,
    nexus_device: &'static str,
    /// Seeds of the placers; empty without place and route.
    pub seeds: Vec<u32>,
    /// Limit of every run of place and route, in minutes.
    pub limit_minutes: u64,
    /// Period that is asked for, in ns.
    pub period_ns: f64,
    /// The yardstick.
    pub baseline: Baseline,
    /// The presets.
    pub presets: Vec<Measured>,
    /// Goals of the presets.
    pub targets: Vec<Target>,
    /// Decoders of others.
    pub published: [Decoder; DECODERS.len()],
}

/// The numbers of one preset.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Name of the preset.
    pub preset: &'static str,
    /// Bytes at the input per cycle.
    pub bytes_per_cycle: usize,
    /// Whether it decodes the bytes of a source by stepping one state for each byte of a word.
    pub is_chained: bool,
    /// Estimates for UltraScale+.
    pub estimated: Estimated,
    /// Bytes per cycle times the nominal frequency, in GB/s.
    pub estimated_gb_per_s: f64,
    /// What was routed on ECP5; none without place and route.
    pub ecp5: Option<Routed>,
    /// What was routed on Nexus; none without place and route.
    pub nexus: Option<Routed>,
    /// Estimate and ECP5 together; none unless both are there.
    pub verdict: Option<Verdict>,
}

impl Measured {
    /// Median frequency on ECP5.
    pub fn ecp5_mhz(&self) -> Option<f64> {
        self.ecp5.as_ref()?.median_mhz
    }
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

/// Measures the yardstick and `presets`; no seeds mean no place and route.
///
/// Netlists and tool reports stay in a directory of each design below `out`.
///
/// # Errors
/// If a file cannot be written, a tool fails, the yardstick has moved, or a netlist has cells
/// without a known delay. What cannot be routed is no error.
pub fn report(tools: &Tools, presets: &[DecoderTop], effort: Effort, out: &Path) -> Result<Report> {
    let baseline = baseline::measure(tools, out, effort)?;
    baseline.check()?;
    let mut measured = Vec::new();
    for preset in presets {
        measured.push(measure(tools, *preset, effort, out)?);
    }
    compare(&mut measured);
    Ok(Report {
        schema: "etm4.report/2",
        tools: PACKAGES,
        estimated_device: estimate::DEVICE,
        estimated_error_percent: 25,
        ecp5_device: ecp5::DEVICE,
        nexus_device: nexus::DEVICE,
        seeds: (1..=effort.seeds).collect(),
        limit_minutes: effort.limit.as_secs() / 60,
        period_ns: PERIOD_NS,
        baseline,
        targets: targets(&measured),
        presets: measured,
        published: DECODERS,
    })
}

fn measure(tools: &Tools, preset: DecoderTop, effort: Effort, out: &Path) -> Result<Measured> {
    let directory = out.join(preset.name());
    package::write_package(
        package::package(coretrace_pipelines::Preset::Decoder(preset))?,
        &directory,
    )
    .with_context(|| format!("writing {}", directory.display()))?;
    let design = Design {
        directory: &directory,
        sources: &format!("{}.v", preset.name()),
        top: preset.name(),
    };
    let estimated = estimate(tools, &design, PLAIN)?;
    let routing = effort.seeds > 0;
    let ecp5 = routing.then(|| ecp5::route(tools, &design, effort));
    let nexus = routing.then(|| nexus::route(tools, &design, &preset.ports(), effort));
    let median = ecp5.as_ref().and_then(|routed| routed.median_mhz);
    let verdict = median.map(|mhz| {
        let Estimated {
            default_ns,
            tight_ns,
            lut_depth,
            ..
        } = estimated;
        Verdict::of(default_ns, tight_ns, lut_depth, mhz)
    });
    Ok(Measured {
        preset: preset.name(),
        bytes_per_cycle: preset.bytes_per_cycle(),
        is_chained: !preset.takes_frames() && !preset.name().contains("jump"),
        estimated_gb_per_s: preset.bytes_per_cycle() as f64 * estimated.default_mhz() / 1000.0,
        estimated,
        ecp5,
        nexus,
        verdict,
    })
}

/// What was routed on one of the devices.
type Device = fn(&mut Measured) -> Option<&mut Routed>;

/// Fills in the ratios to the reference preset, on each device.
fn compare(presets: &mut [Measured]) {
    let devices: [Device; 2] = [|m| m.ecp5.as_mut(), |m| m.nexus.as_mut()];
    for device in devices {
        let reference = presets.iter_mut().find(|m| m.preset == REFERENCE.name());
        let reference = reference.and_then(device).and_then(|r| r.median_mhz);
        for routed in presets.iter_mut().filter_map(device) {
            let ratio = |mhz: f64| Some(mhz / reference?);
            routed.ratio_to_etm4_x4 = routed.median_mhz.and_then(ratio);
        }
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::area::Area;
    use crate::estimate::Shallow;
    use crate::path::Path;

    fn path(levels: usize) -> Path {
        Path {
            period_ns: 2.0,
            levels,
            start: "from".to_owned(),
            end: "to".to_owned(),
            end_pin: "FDRE D".to_owned(),
            setup_ps: -25.0,
            hops: Vec::new(),
        }
    }

    /// A preset without loops; chained unless its name says jump.
    pub fn measured(
        preset: &'static str,
        bytes_per_cycle: usize,
        lut: usize,
        levels: usize,
        mhz: f64,
        ecp5_mhz: Option<f64>,
    ) -> Measured {
        let area = Area {
            lut,
            lut_and_srl: lut,
            ..Area::default()
        };
        Measured {
            preset,
            bytes_per_cycle,
            is_chained: !preset.contains("jump"),
            estimated: Estimated {
                area,
                default_ns: 1000.0 / mhz,
                tight_ns: 900.0 / mhz,
                lut_depth: levels,
                slowest: path(levels),
                deepest: path(levels),
                loops: Vec::new(),
                shallow: Shallow {
                    levels,
                    loop_levels: 0,
                },
            },
            estimated_gb_per_s: bytes_per_cycle as f64 * mhz / 1000.0,
            ecp5: ecp5_mhz.map(|mhz| Routed {
                median_mhz: Some(mhz),
                ..Routed::default()
            }),
            nexus: None,
            verdict: None,
        }
    }

    #[test]
    fn every_limit_of_the_verdict_counts() {
        assert_eq!(Verdict::of(3.4, 3.0, 13, 100.0), Verdict::Green);
        assert_eq!(Verdict::of(3.5, 3.0, 13, 100.0), Verdict::Amber);
        assert_eq!(Verdict::of(3.4, 3.0, 14, 100.0), Verdict::Amber);
        assert_eq!(Verdict::of(3.4, 3.0, 13, 99.0), Verdict::Amber);
        assert_eq!(Verdict::of(4.5, 4.1, 13, 100.0), Verdict::Red);
        assert_eq!(Verdict::of(3.4, 3.0, 13, 84.0), Verdict::Red);
    }

    #[test]
    fn ratios_need_the_reference_and_a_routed_preset() {
        let mut presets = [
            measured("etm4_byte", 1, 1, 1, 1.0, Some(120.0)),
            measured("etm4_x4", 4, 1, 1, 1.0, Some(60.0)),
            measured("tpiu_etm4_x4", 4, 1, 1, 1.0, None),
        ];
        compare(&mut presets);
        let ratio = |m: &Measured| m.ecp5.as_ref().and_then(|r| r.ratio_to_etm4_x4);
        assert_eq!(presets.each_ref().map(ratio), [Some(2.0), Some(1.0), None]);
        compare(&mut presets[..1]);
        assert_eq!(ratio(&presets[0]), None);
    }
}
