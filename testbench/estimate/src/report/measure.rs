// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes the figures of the report.

use super::goals::{Goal, goals};
use super::measured::{Measured, PERIOD_NS, Verdict};
use super::picorv32::{self, Yardstick};
use super::published::{DECODERS, Decoder};
use crate::design::{Candidate, Design};
use crate::estimate::{self, Estimated, Flow, estimate};
use crate::route::{Effort, Routed, ecp5, nexus};
use crate::tools::{PACKAGES, Tools};
use anyhow::Result;
use serde::Serialize;
use std::path::Path;

/// The preset that the others are compared with.
pub const REFERENCE: &str = "etm4_x4";

/// Everything that a run found out.
#[derive(Debug, Serialize)]
pub struct Report {
    schema: &'static str,
    /// The packages that the numbers come from.
    pub tools: [&'static str; 4],
    /// Options of `synth_xilinx`, the same for every design.
    pub synthesis: &'static str,
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
    pub yardstick: Yardstick,
    /// The presets and the core.
    pub presets: Vec<Measured>,
    /// Goals of the presets.
    pub goals: Vec<Goal>,
    /// Decoders of others.
    pub published: [Decoder; DECODERS.len()],
}

/// Measures the yardstick below `out`, and `candidates`; no seeds mean no place and route.
///
/// Netlists and tool reports stay in the directory of each design.
///
/// # Errors
/// If a file cannot be written, a tool fails, the yardstick has moved, or a netlist has cells
/// without a known delay. What cannot be routed is no error.
pub fn report(
    tools: &Tools,
    candidates: &[Candidate],
    flow: Flow,
    effort: Effort,
    out: &Path,
) -> Result<Report> {
    let yardstick = picorv32::measure(tools, out, effort)?;
    yardstick.check()?;
    let mut measured = Vec::new();
    for candidate in candidates {
        measured.push(measure(tools, candidate, flow, effort)?);
    }
    compare(&mut measured);
    Ok(Report {
        schema: "etm4.report/3",
        tools: PACKAGES,
        synthesis: flow.options,
        estimated_device: estimate::DEVICE,
        estimated_error_percent: 25,
        ecp5_device: ecp5::DEVICE,
        nexus_device: nexus::DEVICE,
        seeds: (1..=effort.seeds).collect(),
        limit_minutes: effort.limit.as_secs() / 60,
        period_ns: PERIOD_NS,
        yardstick,
        goals: goals(&measured),
        presets: measured,
        published: DECODERS,
    })
}

fn measure(tools: &Tools, candidate: &Candidate, flow: Flow, effort: Effort) -> Result<Measured> {
    let design = Design {
        directory: &candidate.directory,
        sources: &format!("{}.v", candidate.name),
        top: &candidate.name,
    };
    let estimated = estimate(tools, &design, flow)?;
    let routing = effort.seeds > 0;
    let ecp5 = routing.then(|| ecp5::route(tools, &design, effort));
    let nexus = routing.then(|| nexus::route(tools, &design, &candidate.ports, effort));
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
        preset: candidate.name.clone(),
        bytes_per_cycle: candidate.bytes_per_cycle,
        is_chained: candidate.is_chained,
        estimated_gb_per_s: candidate.bytes_per_cycle as f64 * estimated.default_mhz() / 1000.0,
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
        let reference = presets.iter_mut().find(|m| m.preset == REFERENCE);
        let reference = reference.and_then(device).and_then(|r| r.median_mhz);
        for routed in presets.iter_mut().filter_map(device) {
            let ratio = |mhz: f64| Some(mhz / reference?);
            routed.ratio_to_etm4_x4 = routed.median_mhz.and_then(ratio);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::tests::measured;

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
