// SPDX-License-Identifier: MIT OR Apache-2.0
//! The estimates of one design as Markdown: area, longest paths, loops.

use super::tables::frequency;
use crate::estimate::{DEVICE, Estimated};
use crate::route::Routed;
use crate::timing::path::{Loop, Path};
use std::fmt::{Result, Write};

/// Loops that are shown for each design; the JSON file has all of them.
const LOOPS: usize = 5;
/// Registers that are named for each loop.
const REGISTERS: usize = 4;

/// A design that is measured alone.
pub fn block(name: &str, estimated: &Estimated) -> String {
    let mut text = format!("# {name}\n\n");
    write(estimated, &mut text).expect("writing to a string");
    text
}

/// What was routed of a design that is measured alone.
pub fn routed(device: &str, routed: &Routed) -> String {
    let mhz = frequency(Some(routed));
    format!("Routed (measured, {device}): {mhz} MHz, median of the seeds.\n")
}

/// What is estimated of a design.
pub fn write(estimated: &Estimated, text: &mut String) -> Result {
    let area = &estimated.area;
    writeln!(
        text,
        "Area (estimated): {} LUT, {} SRL, {} LUT as memory, together {}; {} FF, {} CLB, {} BRAM18, \
         {} CARRY4, {} MUXF, {} inverters.\n",
        area.lut,
        area.srl,
        area.lut_ram,
        area.lut_sites,
        area.ff,
        area.clb,
        area.bram18,
        area.carry4,
        area.muxf,
        area.inverters
    )?;
    writeln!(
        text,
        "Timing (estimated, {DEVICE}, +-25 %): {:.0} MHz nominal, {:.0} MHz with short nets and \
         replicated drivers; {} LUT levels anywhere, {} in a loop.\n",
        estimated.default_mhz(),
        estimated.tight_mhz(),
        estimated.deepest.levels,
        estimated.loop_levels()
    )?;
    path("Slowest", &estimated.slowest, text)?;
    if estimated.deepest.levels > estimated.slowest.levels {
        path("Deepest", &estimated.deepest, text)?;
    }
    loops(&estimated.loops, text)
}

fn path(title: &str, path: &Path, text: &mut String) -> Result {
    writeln!(
        text,
        "{title} path (estimated): {:.2} ns, {} LUT levels, `{}` to `{}`.\n",
        path.period_ns, path.levels, path.start, path.end
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
    writeln!(
        text,
        "| {} | {:.0} | | | `{}` |\n",
        path.end_pin, path.setup_ps, path.end
    )
}

fn loops(loops: &[Loop], text: &mut String) -> Result {
    if loops.is_empty() {
        return writeln!(text, "No loops: no register depends on itself.\n");
    }
    writeln!(
        text,
        "Loops (estimated), slowest first, {} of {}: registers that each depend on all others of \
         the loop.\n",
        loops.len().min(LOOPS),
        loops.len()
    )?;
    writeln!(
        text,
        "| LUT levels | ns | slowest path | register bits | registers |"
    )?;
    writeln!(text, "|---|---|---|---|---|")?;
    for found in loops.iter().take(LOOPS) {
        let mut names: Vec<String> = found.registers.iter().map(|r| format!("`{r}`")).collect();
        let more = names.len().saturating_sub(REGISTERS);
        names.truncate(REGISTERS);
        if more > 0 {
            names.push(format!("{more} more"));
        }
        let slowest = &found.slowest;
        writeln!(
            text,
            "| {} | {:.2} | `{}` to `{}`: {} | {} | {} |",
            found.deepest.levels,
            slowest.period_ns,
            slowest.start,
            slowest.end,
            slowest.cells(),
            found.bits,
            names.join(", ")
        )?;
    }
    writeln!(text)
}
