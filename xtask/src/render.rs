// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for people.

use crate::measure::{ECP5_LIMIT_MHZ, Measured, REFERENCE, Report, Verdict};
use crate::route::Routed;
use crate::{ecp5, estimate, nexus, section};
use std::fmt::{Result, Write};

/// The report as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    write(report, &mut text).expect("writing to a string");
    text
}

fn write(report: &Report, text: &mut String) -> Result {
    preface(report, text)?;
    area(report, text)?;
    timing(report, text)?;
    goals(report, text)?;
    published(report, text)?;
    for preset in &report.presets {
        writeln!(text, "\n## {}\n", preset.preset)?;
        writeln!(text, "{}\n", claim(preset, report.period_ns))?;
        section::write(&preset.estimated, text)?;
    }
    Ok(())
}

fn preface(report: &Report, text: &mut String) -> Result {
    writeln!(text, "# Area and timing of the presets\n")?;
    writeln!(
        text,
        "Made by `cargo xtask report` with {}.",
        report.tools.join(", ")
    )?;
    writeln!(
        text,
        "*Estimated*: plain `synth_xilinx -family xcup -flatten -noiopad`, static estimate for {} \
         from the same netlist, registers to registers; honest to about 25 % either way.\n\
         It covers no hold, skew, congestion or path to a pin.\n\
         Nominal takes nets as fitted, tight takes short nets and replicated drivers.",
        estimate::DEVICE
    )?;
    if !report.seeds.is_empty() {
        writeln!(
            text,
            "*Measured*: routed on ECP5 ({}) and Nexus ({}), which are not the target; the median \
             of the seeds {:?}, {} min at most for each.\n\
             85 MHz on ECP5 correspond to 250 MHz on UltraScale+ at -2.",
            ecp5::DEVICE,
            nexus::DEVICE,
            report.seeds,
            report.limit_minutes
        )?;
    }
    let baseline = &report.baseline;
    let [default_ns, tight_ns] = baseline.recorded_ns;
    writeln!(
        text,
        "Yardstick PicoRV32 (estimated, by the flow of its record: `-nosrl`, wires weighed): {:.3} / \
         {:.3} ns, recorded {default_ns} / {tight_ns}; MHz on ECP5 (measured): {}, recorded {} to {}.\n",
        baseline.default_ns,
        baseline.tight_ns,
        frequency(baseline.ecp5.as_ref()),
        baseline.recorded_ecp5_mhz[0],
        baseline.recorded_ecp5_mhz[1]
    )
}

fn area(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "| preset | LUT + SRL | LUT | SRL | LUT RAM | FF | BRAM18 | MUXF | CARRY4 |\n\
         |---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )?;
    for preset in &report.presets {
        let area = &preset.estimated.area;
        writeln!(
            text,
            "| `{}` | {} | {} | {} | {} | {} | {} | {} | {} |",
            preset.preset,
            area.lut_and_srl,
            area.lut,
            area.srl,
            area.lut_ram,
            area.ff,
            area.bram18,
            area.muxf,
            area.carry4
        )?;
    }
    writeln!(text)
}

fn timing(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "| preset | LUT levels, in a loop / anywhere (estimated) | the same, mapped for depth alone | MHz nominal / tight (estimated) \
         | B/cycle | GB/s nominal (estimated) | ECP5 MHz (measured) | to {name} | Nexus MHz \
         (measured) | to {name} |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        name = REFERENCE.name()
    )?;
    for preset in &report.presets {
        let estimated = &preset.estimated;
        writeln!(
            text,
            "| `{}` | {} / {} | {} / {} | {:.0} / {:.0} | {} | {:.2} | {} | {} | {} | {} |",
            preset.preset,
            estimated.loop_levels(),
            estimated.deepest.levels,
            estimated.shallow.loop_levels,
            estimated.shallow.levels,
            estimated.default_mhz(),
            estimated.tight_mhz(),
            preset.bytes_per_cycle,
            preset.estimated_gb_per_s,
            frequency(preset.ecp5.as_ref()),
            ratio(preset.ecp5.as_ref()),
            frequency(preset.nexus.as_ref()),
            ratio(preset.nexus.as_ref()),
        )?;
    }
    Ok(())
}

/// The median, and what is missing from it.
fn frequency(routed: Option<&Routed>) -> String {
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

fn goals(report: &Report, text: &mut String) -> Result {
    if report.targets.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\n| preset | target | goal | found | |\n|---|---|---|---:|---|"
    )?;
    for target in &report.targets {
        let found = target.found.map_or("-".to_owned(), |found| {
            let digits = if found < 10.0 && found.fract() != 0.0 {
                2
            } else {
                0
            };
            format!("{found:.digits$}")
        });
        let met = match target.met {
            Some(true) => "met",
            Some(false) => "missed",
            None => "not measured",
        };
        writeln!(
            text,
            "| `{}` | {} | {} | {found} | {met} |",
            target.preset, target.what, target.goal
        )?;
    }
    Ok(())
}

fn published(report: &Report, text: &mut String) -> Result {
    writeln!(
        text,
        "\n| published decoder | device | B/cycle | MHz | GB/s | LUT | kind | source |\n\
         |---|---|---:|---:|---:|---:|---|---|"
    )?;
    for decoder in &report.published {
        let lut = decoder.lut.map_or("-".to_owned(), |lut| lut.to_string());
        writeln!(
            text,
            "| {} | {} | {} | {} | {} | {lut} | {} | {} |",
            decoder.name,
            decoder.device,
            decoder.bytes_per_cycle,
            decoder.mhz,
            decoder.rate(),
            decoder.kind.name(),
            decoder.source
        )?;
    }
    Ok(())
}

/// What may be said about the goal of the trace port.
fn claim(preset: &Measured, period_ns: f64) -> String {
    let goal = 1000.0 / period_ns;
    let reached = preset.estimated.default_mhz();
    // The method with the smaller margin speaks for both.
    let routed = preset.ecp5_mhz().map(|mhz| mhz / ECP5_LIMIT_MHZ);
    let ratio = routed.unwrap_or(f64::INFINITY).min(reached / goal);
    let margin = 100.0 * (ratio - 1.0);
    match preset.verdict {
        Some(Verdict::Green) => format!(
            "Green: estimated to reach {goal:.0} MHz by two open methods with {margin:.0} % margin."
        ),
        Some(Verdict::Amber) => format!(
            "Amber: estimated to reach {reached:.0} MHz; {goal:.0} MHz only by the estimate with \
             short nets and replicated drivers, or without the margin that is asked for."
        ),
        Some(Verdict::Red) => format!(
            "Red: estimated to reach {reached:.0} MHz; not estimated to reach {goal:.0} MHz by two \
             open methods."
        ),
        None => format!(
            "Estimated to reach {reached:.0} MHz by one open method; no verdict about {goal:.0} MHz \
             without place and route."
        ),
    }
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
