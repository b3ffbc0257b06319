// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for people.

use super::design_section;
use super::measure::Report;
use super::measured::{ECP5_LIMIT_MHZ, Measured, Verdict};
use super::tables::{self, frequency};
use crate::estimate;
use crate::route::{ecp5, nexus};
use std::fmt::{Result, Write};

/// The report as Markdown.
pub fn markdown(report: &Report) -> String {
    tables::written(report, write)
}

fn write(report: &Report, text: &mut String) -> Result {
    preface(report, text)?;
    write!(text, "{}", tables::figures(report))?;
    if !report.seeds.is_empty() {
        write!(text, "\n{}", tables::routed(report))?;
    }
    if !report.goals.is_empty() {
        write!(text, "\n{}", tables::goals(report))?;
    }
    published(report, text)?;
    for preset in &report.presets {
        writeln!(text, "\n## {}\n", preset.preset)?;
        writeln!(text, "{}\n", claim(preset, report.period_ns))?;
        design_section::write(&preset.estimated, text)?;
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
        "*Estimated*: `synth_xilinx -family xcup {}` for every design, static estimate for {} from \
         the same netlist, registers to registers; accurate to about 25 % either way.\n\
         It covers no hold, skew, congestion or path to a pin.\n\
         Nominal takes nets as fitted, tight takes short nets and replicated drivers.",
        report.synthesis,
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
    let yardstick = &report.yardstick;
    let [default_ns, tight_ns] = yardstick.recorded_ns;
    writeln!(
        text,
        "Yardstick PicoRV32 (estimated, by the flow of its record: `-nosrl`, wires weighed): {:.3} / \
         {:.3} ns, recorded {default_ns} / {tight_ns}; MHz on ECP5 (measured): {}, recorded {} to {}.\n",
        yardstick.default_ns,
        yardstick.tight_ns,
        frequency(yardstick.ecp5.as_ref()),
        yardstick.recorded_ecp5_mhz[0],
        yardstick.recorded_ecp5_mhz[1]
    )
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
