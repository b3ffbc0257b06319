// SPDX-License-Identifier: MIT OR Apache-2.0
//! The report for people.

use crate::measure::{ECP5_LIMIT_MHZ, LUT_BUDGET, Measured, REFERENCE, Report, Verdict};
use crate::route;
use crate::sta::Path;
use std::fmt::Write;

/// Loops that are shown for each preset; the JSON file has all of them.
const LOOPS: usize = 5;
/// Registers that are named for each loop.
const REGISTERS: usize = 4;

/// The report as Markdown.
pub fn markdown(report: &Report) -> String {
    let mut text = String::new();
    write(report, &mut text).expect("writing to a string");
    text
}

fn write(report: &Report, text: &mut String) -> std::fmt::Result {
    let goal = 1000.0 / report.period_ns;
    writeln!(text, "# Area and timing of the presets\n")?;
    writeln!(
        text,
        "Made by `cargo xtask report` with {}.",
        report.tools.join(" and ")
    )?;
    writeln!(
        text,
        "*Estimated*: static estimate for xczu5ev-sfvc784-2-i from the netlist, registers to \
         registers; honest to about 25 % either way.\n\
         It covers no hold, skew, congestion or path to a pin."
    )?;
    if !report.seeds.is_empty() {
        writeln!(
            text,
            "*Measured*: routed on ECP5 ({}), which is not the target; the median of the seeds {:?}.\n\
             85 MHz there correspond to 250 MHz on UltraScale+ at -2.",
            route::DEVICE,
            report.seeds
        )?;
    }
    writeln!(text)?;
    writeln!(
        text,
        "| preset | LUT / FF / BRAM18 / SRL (estimated) | CARRY4 / MUXF (estimated) \
         | period default / tight, ns (estimated) | LUT depth, budget {LUT_BUDGET} (estimated) \
         | ECP5 MHz (measured) | to {} (measured) |",
        REFERENCE.name()
    )?;
    writeln!(text, "|---|---|---|---|---|---|---|")?;
    for preset in &report.presets {
        row(preset, text)?;
    }
    for preset in &report.presets {
        writeln!(text, "\n## {}\n", preset.preset)?;
        writeln!(text, "{}\n", claim(preset, report.period_ns, goal))?;
        path(&preset.estimated.worst_path, text)?;
        loops(preset, text)?;
    }
    Ok(())
}

fn row(preset: &Measured, text: &mut String) -> std::fmt::Result {
    let estimated = &preset.estimated;
    let area = &estimated.area;
    let (routed, ratio) = match &preset.measured {
        Some(measured) => (
            format!("{:.1}", measured.median_mhz),
            measured
                .ratio_to_etm4_x4
                .map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
        ),
        None => ("not routed".to_owned(), "-".to_owned()),
    };
    writeln!(
        text,
        "| `{}` | {} / {} / {} / {} | {} / {} | {:.2} / {:.2} | {} | {routed} | {ratio} |",
        preset.preset,
        area.lut,
        area.ff,
        area.bram18,
        area.srl,
        area.carry4,
        area.muxf,
        estimated.default_ns,
        estimated.tight_ns,
        estimated.lut_depth,
    )
}

/// What may be said about the goal.
fn claim(preset: &Measured, period_ns: f64, goal: f64) -> String {
    let default_ns = preset.estimated.default_ns;
    let reached = 1000.0 / default_ns;
    // The method with the smaller margin speaks for both.
    let routed = preset
        .measured
        .as_ref()
        .map(|m| m.median_mhz / ECP5_LIMIT_MHZ);
    let ratio = routed.unwrap_or(f64::INFINITY).min(period_ns / default_ns);
    let margin = 100.0 * (ratio - 1.0);
    match preset.verdict {
        Some(Verdict::Green) => format!(
            "Green: estimated to reach {goal:.0} MHz by two open methods with {margin:.0} % margin."
        ),
        Some(Verdict::Amber) => format!(
            "Amber: estimated to reach {reached:.0} MHz; {goal:.0} MHz only by the estimate with \
             short nets and replicated drivers, or without the margin that is asked for."
        ),
        Some(Verdict::Red) => {
            format!(
                "Red: estimated to reach {reached:.0} MHz; not estimated to reach {goal:.0} MHz by two open methods."
            )
        }
        None => format!(
            "Estimated to reach {reached:.0} MHz by one open method; no verdict about {goal:.0} MHz \
             without place and route."
        ),
    }
}

fn path(path: &Path, text: &mut String) -> std::fmt::Result {
    writeln!(
        text,
        "Longest path (estimated): {:.2} ns, {} LUTs, to {}.\n",
        path.period_ns, path.luts, path.end
    )?;
    writeln!(text, "| cell | cell, ps | fan-out | net, ps | net |")?;
    writeln!(text, "|---|---|---|---|---|")?;
    for hop in &path.hops {
        writeln!(
            text,
            "| {} | {:.0} | {} | {:.0} | `{}` |",
            hop.cell, hop.cell_ps, hop.fan_out, hop.net_ps, hop.net
        )?;
    }
    Ok(())
}

fn loops(preset: &Measured, text: &mut String) -> std::fmt::Result {
    let loops = &preset.estimated.loops;
    writeln!(
        text,
        "\nLoops (estimated), longest first, {} of {}: strongly connected components of the \
         register graph.\n",
        loops.len().min(LOOPS),
        loops.len()
    )?;
    writeln!(
        text,
        "| period, ns | LUTs | register bits | longest path to | registers |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    for found in loops.iter().take(LOOPS) {
        let mut names = found.registers.clone();
        let more = names.len().saturating_sub(REGISTERS);
        names.truncate(REGISTERS);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        writeln!(
            text,
            "| {:.2} | {} | {} | {} | {}{rest} |",
            found.path.period_ns,
            found.path.luts,
            found.bits,
            found.path.end,
            names.join(", ")
        )?;
    }
    Ok(())
}
