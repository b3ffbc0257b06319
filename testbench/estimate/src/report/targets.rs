// SPDX-License-Identifier: MIT OR Apache-2.0
//! The goals of the presets, and whether they are met.

use super::measured::Measured;
use serde::Serialize;

/// What a preset must keep to, by the estimate in the default corner.
struct Limit {
    preset: &'static str,
    /// At most this many LUTs, shift registers included.
    lut: usize,
    /// At most this many LUT levels anywhere.
    levels: usize,
    /// At most this many LUT levels in a loop.
    loop_levels: usize,
    /// At least this clock frequency.
    mhz: f64,
}

const LIMITS: [Limit; 3] = [
    Limit {
        preset: "etm4_jump_x4",
        lut: 3000,
        levels: 4,
        loop_levels: 2,
        mhz: 500.0,
    },
    Limit {
        preset: "etm4_jump_x8",
        lut: 6500,
        levels: 4,
        loop_levels: 2,
        mhz: 475.0,
    },
    Limit {
        preset: "etm4_jump_x16",
        lut: 15_000,
        levels: 5,
        loop_levels: 3,
        mhz: 400.0,
    },
];

/// ECP5 frequency of a preset over that of the fastest chained one of the same width.
const RATIOS: [(&str, f64); 2] = [("etm4_jump_x4", 1.3), ("etm4_jump_x8", 2.0)];

/// A goal of a preset.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Target {
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

impl Target {
    fn at_most(preset: &str, what: &str, limit: usize, found: usize) -> Target {
        Target {
            preset: preset.to_owned(),
            what: what.to_owned(),
            goal: format!("at most {limit}"),
            found: Some(found as f64),
            met: Some(found <= limit),
        }
    }

    fn at_least(preset: &str, what: String, limit: f64, found: Option<f64>) -> Target {
        Target {
            preset: preset.to_owned(),
            what,
            goal: format!("at least {limit}"),
            found,
            met: found.map(|found| found >= limit),
        }
    }
}

/// The goals of the presets of a run.
pub fn targets(presets: &[Measured]) -> Vec<Target> {
    let find = |name: &str| presets.iter().find(|measured| measured.preset == name);
    let mut targets = Vec::new();
    for limit in &LIMITS {
        let Some(measured) = find(limit.preset) else {
            continue;
        };
        let estimated = &measured.estimated;
        let at_most =
            |what, limit: usize, found| Target::at_most(&measured.preset, what, limit, found);
        targets.extend([
            at_most("LUT + SRL", limit.lut, estimated.area.lut_sites),
            at_most(
                "LUT levels anywhere",
                limit.levels,
                estimated.deepest.levels,
            ),
            at_most(
                "LUT levels in a loop",
                limit.loop_levels,
                estimated.loop_levels(),
            ),
            Target::at_least(
                &measured.preset,
                "MHz nominal".to_owned(),
                limit.mhz,
                Some(estimated.default_mhz()),
            ),
        ]);
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
        targets.push(Target::at_least(&measured.preset, what, limit, found));
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::measured::tests::measured;

    fn met(presets: &[Measured]) -> Vec<Option<bool>> {
        targets(presets).iter().map(|target| target.met).collect()
    }

    #[test]
    fn a_goal_is_met_at_its_limit_and_missed_beyond() {
        let at_limit = measured("etm4_jump_x4", 4, 3000, 4, 500.0, None);
        // The ratio is not known without place and route.
        let yes = Some(true);
        assert_eq!(met(&[at_limit]), [yes, yes, yes, yes, None]);
        let beyond = measured("etm4_jump_x4", 4, 3001, 5, 499.9, None);
        let no = Some(false);
        assert_eq!(met(&[beyond]), [no, no, yes, no, None]);
        assert_eq!(met(&[measured("etm4_x4", 4, 9000, 30, 100.0, None)]), []);
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
            targets(&presets).pop().unwrap()
        };
        assert_eq!(run(130.0).met, Some(true));
        assert_eq!(run(129.0).met, Some(false));
        assert!(run(130.0).what.contains("etm4_onehot_x4"));
    }
}
