// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of one preset, and the verdict about the clock of the trace port.

use crate::estimate::Estimated;
use crate::route::Routed;
use serde::Serialize;

/// The clock period that the trace port asks for, in ns.
pub const PERIOD_NS: f64 = 4.0;
/// LUTs that fit the period, by AMD's rule of 0.300 ns for a LUT with its net.
pub const LUT_BUDGET: usize = 13;
/// The ECP5 frequency of a design that has enough room at 250 MHz on UltraScale+.
pub const ECP5_GOAL_MHZ: f64 = 100.0;
/// The ECP5 frequency that corresponds to 250 MHz on UltraScale+.
pub const ECP5_LIMIT_MHZ: f64 = 85.0;

/// The numbers of one preset.
#[derive(Debug, Serialize)]
pub struct Measured {
    /// Name of the preset.
    pub preset: String,
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
    /// The verdict from the two periods, the LUTs on a path, and the frequency on ECP5.
    pub fn of(default_ns: f64, tight_ns: f64, lut_depth: usize, ecp5_mhz: f64) -> Verdict {
        if default_ns <= 0.85 * PERIOD_NS && lut_depth <= LUT_BUDGET && ecp5_mhz >= ECP5_GOAL_MHZ {
            Verdict::Green
        } else if tight_ns <= PERIOD_NS && ecp5_mhz >= ECP5_LIMIT_MHZ {
            Verdict::Amber
        } else {
            Verdict::Red
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::netlist::area::Area;
    use crate::timing::path::Path;

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
        preset: &str,
        bytes_per_cycle: usize,
        lut: usize,
        levels: usize,
        mhz: f64,
        ecp5_mhz: Option<f64>,
    ) -> Measured {
        let area = Area {
            lut,
            lut_sites: lut,
            ..Area::default()
        };
        Measured {
            preset: preset.to_owned(),
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
}
