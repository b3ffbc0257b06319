// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tables of the report, which `docs/results.md` has too.

use super::measure::{REFERENCE, Report};
use crate::route::Routed;
use std::fmt::{Result, Write};

/// What `write` writes about a report.
pub(super) fn written(report: &Report, write: fn(&Report, &mut String) -> Result) -> String {
    let mut text = String::new();
    write(report, &mut text).expect("writing to a string");
    text
}

/// Area and timing of every design, and its slowest path.
pub fn figures(report: &Report) -> String {
    written(report, write_figures)
}

fn write_figures(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "| design | LUT | SRL | LUT as memory | INV | FF | BRAM18 | CLB | LUT levels | of these in a loop | MHz nominal / tight \
         | B/cycle | GB/s nominal |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for preset in &report.presets {
        let estimated = &preset.estimated;
        let area = &estimated.area;
        writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.0} / {:.0} | {} | {:.2} |",
            preset.preset,
            area.lut,
            area.srl,
            area.lut_ram,
            area.inverters,
            area.ff,
            area.bram18,
            area.clb,
            estimated.deepest.levels,
            estimated.loop_levels(),
            estimated.default_mhz(),
            estimated.tight_mhz(),
            preset.bytes_per_cycle,
            preset.estimated_gb_per_s
        )?;
    }
    writeln!(
        text,
        "\nCLB = max((LUT + SRL + LUT as memory) / 8, FF / 16).\n\
         LUT levels are the most LUTs on a path from register to register, as mapped.\n\n\
         | design | slowest path (estimated) |\n|---|---|"
    )?;
    for preset in &report.presets {
        writeln!(
            text,
            "| `{}` | {} |",
            preset.preset,
            preset.estimated.slowest.in_words()
        )?;
    }
    Ok(())
}

/// The goals that this run can judge.
pub fn goals(report: &Report) -> String {
    written(report, write_goals)
}

fn write_goals(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "| design | figure | goal | reached | |\n|---|---|---|---:|---|"
    )?;
    for goal in &report.goals {
        let (Some(found), Some(met)) = (goal.found, goal.met) else {
            continue;
        };
        let digits = if found < 10.0 && found.fract() != 0.0 {
            2
        } else {
            0
        };
        let met = if met { "met" } else { "**missed**" };
        writeln!(
            text,
            "| `{}` | {} | {} | {found:.digits$} | {met} |",
            goal.preset, goal.what, goal.goal
        )?;
    }
    Ok(())
}

/// Frequencies after place and route on other devices.
pub fn routed(report: &Report) -> String {
    written(report, write_routed)
}

fn write_routed(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "| design | ECP5 MHz (measured) | to {REFERENCE} | Nexus MHz (measured) | to {REFERENCE} |\n\
         |---|---:|---:|---:|---:|"
    )?;
    for preset in &report.presets {
        writeln!(
            text,
            "| `{}` | {} | {} | {} | {} |",
            preset.preset,
            frequency(preset.ecp5.as_ref()),
            ratio(preset.ecp5.as_ref()),
            frequency(preset.nexus.as_ref()),
            ratio(preset.nexus.as_ref())
        )?;
    }
    Ok(())
}

/// The median, and what is missing from it.
pub(super) fn frequency(routed: Option<&Routed>) -> String {
    let Some(routed) = routed else {
        return "not routed".to_owned();
    };
    let mhz = routed.median_mhz.map(|mhz| format!("{mhz:.1}"));
    match (mhz, &routed.not_routed) {
        (Some(mhz), None) => mhz,
        (Some(mhz), Some(reason)) => {
            format!("{mhz} ({} of the seeds; {reason})", routed.seeds.len())
        }
        (None, reason) => reason.clone().unwrap_or_default(),
    }
}

fn ratio(routed: Option<&Routed>) -> String {
    let ratio = routed.and_then(|routed| routed.ratio_to_etm4_x4);
    ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.2}"))
}

#[cfg(test)]
mod tests {
    use super::frequency;
    use crate::route::{Routed, Seed};

    #[test]
    fn a_missing_frequency_has_a_reason() {
        let seed = |seed| Seed {
            seed,
            fmax_mhz: 90.0,
        };
        let mut routed = Routed {
            seeds: vec![seed(1), seed(2)],
            median_mhz: Some(90.0),
            ..Routed::default()
        };
        assert_eq!(frequency(Some(&routed)), "90.0");
        routed.not_routed = Some("not routed: took too long".to_owned());
        let partly = "90.0 (2 of the seeds; not routed: took too long)";
        assert_eq!(frequency(Some(&routed)), partly);
        routed.median_mhz = None;
        assert_eq!(frequency(Some(&routed)), "not routed: took too long");
        assert_eq!(frequency(None), "not routed");
    }
}
