// SPDX-License-Identifier: MIT OR Apache-2.0
//! PicoRV32 as a yardstick: if its figures move, the tools changed.

use crate::design::Design;
use crate::estimate::{Flow, estimate};
use crate::route::{Effort, Routed, ecp5};
use crate::timing::delay::UNCERTAINTY;
use crate::tools::{PICORV32, Tools};
use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::path::Path;

/// The flow of the record, which is not the flow of the presets: shift registers in flip-flops, and
/// wires weighed as on UltraScale+. The uncertainty of the record was 0.035 ns.
const RECORDED_FLOW: Flow = Flow {
    before: "scratchpad -set synth_xilinx.abc9.W 1000;",
    options: "-flatten -noiopad -nosrl",
};
const RECORDED_UNCERTAINTY_NS: f64 = 0.035;
const RECORDED_DEFAULT_NS: f64 = 2.035;
const RECORDED_TIGHT_NS: f64 = 1.673;
/// The range over three seeds.
const RECORDED_ECP5_MHZ: [f64; 2] = [163.0, 168.0];
/// How far the figures may be from the record.
const TOLERANCE: f64 = 0.03;

/// The figures of PicoRV32 by the flow of the record.
#[derive(Debug, Serialize)]
pub struct Yardstick {
    /// The package with the Verilog.
    pub package: &'static str,
    /// Shortest period in ns, nets as fitted, with the uncertainty of the record.
    pub default_ns: f64,
    /// Shortest period in ns, short nets, with the uncertainty of the record.
    pub tight_ns: f64,
    /// What is recorded for the two.
    pub recorded_ns: [f64; 2],
    /// ECP5; none without place and route.
    pub ecp5: Option<Routed>,
    /// What is recorded for ECP5: lowest and highest seed.
    pub recorded_ecp5_mhz: [f64; 2],
}

impl Yardstick {
    /// Checks the figures against the record.
    ///
    /// # Errors
    /// If one of them is more than 3 % away.
    pub fn check(&self) -> Result<()> {
        let [low, high] = RECORDED_ECP5_MHZ;
        let within = |what: &str, found: f64, low: f64, high: f64| {
            if found < low * (1.0 - TOLERANCE) || found > high * (1.0 + TOLERANCE) {
                bail!(
                    "tools changed: recalibrate. PicoRV32 {what} is {found:.3}, recorded {low} to {high}"
                );
            }
            Ok(())
        };
        let (default, tight) = (RECORDED_DEFAULT_NS, RECORDED_TIGHT_NS);
        within(
            "period by the default corner, ns,",
            self.default_ns,
            default,
            default,
        )?;
        within(
            "period by the tight corner, ns,",
            self.tight_ns,
            tight,
            tight,
        )?;
        match self.ecp5.as_ref().and_then(|routed| routed.median_mhz) {
            Some(mhz) => within("frequency on ECP5, MHz,", mhz, low, high),
            None => Ok(()),
        }
    }
}

/// Measures PicoRV32 in the wrapper that its authors time it with.
///
/// # Errors
/// If its package or a tool fails.
pub fn measure(tools: &Tools, out: &Path, effort: Effort) -> Result<Yardstick> {
    let data = tools.data("pythondata_cpu_picorv32")?;
    let directory = out.join("picorv32");
    std::fs::create_dir_all(&directory)?;
    for source in ["picorv32.v", "scripts/vivado/tabtest.v"] {
        let from = data.join(source);
        let text = std::fs::read(&from).with_context(|| format!("reading {}", from.display()))?;
        let name = from.file_name().context("no file name")?;
        std::fs::write(directory.join(name), text)?;
    }
    let design = Design {
        directory: &directory,
        sources: "picorv32.v tabtest.v",
        top: "top",
    };
    let estimated = estimate(tools, &design, RECORDED_FLOW)?;
    let uncertainty = UNCERTAINTY / 1000.0 - RECORDED_UNCERTAINTY_NS;
    Ok(Yardstick {
        package: PICORV32,
        default_ns: estimated.default_ns - uncertainty,
        tight_ns: estimated.tight_ns - uncertainty,
        recorded_ns: [RECORDED_DEFAULT_NS, RECORDED_TIGHT_NS],
        ecp5: (effort.seeds > 0).then(|| ecp5::route(tools, &design, effort)),
        recorded_ecp5_mhz: RECORDED_ECP5_MHZ,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn yardstick(default_ns: f64, tight_ns: f64, mhz: Option<f64>) -> Yardstick {
        Yardstick {
            package: PICORV32,
            default_ns,
            tight_ns,
            recorded_ns: [RECORDED_DEFAULT_NS, RECORDED_TIGHT_NS],
            ecp5: mhz.map(|mhz| Routed {
                median_mhz: Some(mhz),
                ..Routed::default()
            }),
            recorded_ecp5_mhz: RECORDED_ECP5_MHZ,
        }
    }

    #[test]
    fn a_figure_that_moves_by_more_than_three_percent_is_an_error() {
        assert!(yardstick(2.035, 1.673, None).check().is_ok());
        assert!(yardstick(2.09, 1.63, Some(159.0)).check().is_ok());
        assert!(yardstick(2.10, 1.673, None).check().is_err());
        assert!(yardstick(2.035, 1.62, None).check().is_err());
        assert!(yardstick(2.035, 1.673, Some(158.0)).check().is_err());
        let error = yardstick(2.035, 1.673, Some(174.0)).check().unwrap_err();
        assert!(error.to_string().contains("recalibrate"), "{error}");
    }
}
