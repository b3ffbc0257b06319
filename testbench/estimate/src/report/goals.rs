// SPDX-License-Identifier: MIT OR Apache-2.0
//! The goals of the presets, and whether they are met.

use super::measured::Measured;
use serde::Serialize;

/// A figure of the estimate, in the default corner.
#[derive(Clone, Copy, Debug)]
enum Figure {
    /// LUTs, shift registers and memory in LUTs, and inverters: at most.
    Lut,
    /// Flip-flops: at most.
    Ff,
    /// CLBs: at most.
    Clb,
    /// Clock frequency in MHz: at least.
    Mhz,
}

use Figure::{Clb, Ff, Lut, Mhz};

const GOALS: [(&str, Figure, usize); 13] = [
    ("etm4_core", Mhz, 400),
    ("etm4_jump_x4", Lut, 3400),
    ("etm4_jump_x4", Ff, 3257),
    ("etm4_jump_x4", Mhz, 500),
    ("etm4_jump_x8", Clb, 710),
    ("etm4_jump_x8", Mhz, 475),
    ("etm4_jump_x16", Clb, 2300),
    ("etm4_jump_x16", Mhz, 450),
    ("tpiu_etm4_jump_x4", Mhz, 450),
    ("etm4_x4", Lut, 3300),
    ("etm4_x4", Ff, 4500),
    ("etm4_x4", Mhz, 313),
    ("tpiu_etm4_x4", Mhz, 300),
];

/// ECP5 frequency of a preset over that of the fastest chained one of the same width.
const RATIOS: [(&str, f64); 2] = [("etm4_jump_x4", 1.3), ("etm4_jump_x8", 2.0)];

/// A goal of a preset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Goal {
    /// The preset.
    pub preset: String,
    /// What is limited.
    pub what: String,
    /// The goal, in words.
    pub goal: String,
    /// What was found; none if it was not measured in this run.
    pub found: Option<f64>,
    /// Whether the goal is met; none if it was not measured in this run.
    pub met: Option<bool>,
}

impl Goal {
    fn at_most(preset: &str, what: &str, limit: usize, found: usize) -> Goal {
        Goal {
            preset: preset.to_owned(),
            what: what.to_owned(),
            goal: format!("at most {limit}"),
            found: Some(found as f64),
            met: Some(found <= limit),
        }
    }

    fn at_least(preset: &str, what: String, limit: f64, found: Option<f64>) -> Goal {
        Goal {
            preset: preset.to_owned(),
            what,
            goal: format!("at least {limit}"),
            found,
            met: found.map(|found| found >= limit),
        }
    }
}

/// The goals of the presets of a run.
pub fn goals(presets: &[Measured]) -> Vec<Goal> {
    let find = |name: &str| presets.iter().find(|measured| measured.preset == name);
    let mut goals = Vec::new();
    for (name, figure, goal) in GOALS {
        let Some(measured) = find(name) else {
            continue;
        };
        let (estimated, area) = (&measured.estimated, &measured.estimated.area);
        let at_most = |what, found| Goal::at_most(name, what, goal, found);
        goals.push(match figure {
            Lut => at_most("LUT + SRL + memory + INV", area.lut_sites + area.inverters),
            Ff => at_most("FF", area.ff),
            Clb => at_most("CLB", area.clb),
            Mhz => {
                let (what, found) = ("MHz".to_owned(), Some(estimated.default_mhz()));
                Goal::at_least(name, what, goal as f64, found)
            }
        });
    }
    for (name, limit) in RATIOS {
        let Some(measured) = find(name) else {
            continue;
        };
        let chained = presets
            .iter()
            .filter(|other| other.is_chained && other.bytes_per_cycle == measured.bytes_per_cycle)
            .filter_map(|other| Some((other.preset.as_str(), other.ecp5_mhz()?)))
            .max_by(|a, b| a.1.total_cmp(&b.1));
        let found = chained.and_then(|(_, chained)| Some(measured.ecp5_mhz()? / chained));
        let best = chained.map_or("the best chained preset", |(best, _)| best);
        let what = format!("ECP5 MHz over that of {best}");
        goals.push(Goal::at_least(&measured.preset, what, limit, found));
    }
    goals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::tests::measured;

    fn met(presets: &[Measured]) -> Vec<Option<bool>> {
        goals(presets).iter().map(|goal| goal.met).collect()
    }

    #[test]
    fn a_goal_is_met_at_its_limit_and_missed_beyond() {
        let (yes, no) = (Some(true), Some(false));
        let at_limit = measured("etm4_x4", 4, 3300, 8, 313.0, None);
        assert_eq!(met(&[at_limit]), [yes, yes, yes]);
        let beyond = measured("etm4_x4", 4, 3301, 8, 312.9, None);
        assert_eq!(met(&[beyond]), [no, yes, no]);
        // The ratio is not known without place and route.
        let jump = measured("etm4_jump_x4", 4, 3400, 4, 500.0, None);
        assert_eq!(met(&[jump]), [yes, yes, yes, None]);
        assert_eq!(met(&[measured("etm4_byte", 1, 9000, 30, 100.0, None)]), []);
    }

    #[test]
    fn the_ratio_is_to_the_fastest_chained_preset_of_the_same_width() {
        let run = |jump: f64| {
            let presets = [
                measured("etm4_byte", 1, 1, 1, 1.0, Some(400.0)),
                measured("etm4_x4", 4, 1, 1, 1.0, Some(50.0)),
                measured("etm4_onehot_x4", 4, 1, 1, 1.0, Some(100.0)),
                measured("etm4_jump_x4", 4, 1, 1, 1.0, Some(jump)),
            ];
            goals(&presets).pop().unwrap()
        };
        assert_eq!(run(130.0).met, Some(true));
        assert_eq!(run(129.0).met, Some(false));
        assert!(run(130.0).what.contains("etm4_onehot_x4"));
    }
}
