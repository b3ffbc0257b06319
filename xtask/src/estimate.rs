// SPDX-License-Identifier: MIT OR Apache-2.0
//! Area and timing for UltraScale+, estimated from one netlist.

use crate::area::Area;
use crate::delay::{DEFAULT, TIGHT};
use crate::design::Design;
use crate::netlist::Netlist;
use crate::path::{Loop, Path};
use crate::sta::Sta;
use crate::tools::Tools;
use anyhow::{Context, Result};
use serde::Serialize;

/// The device that the delays belong to.
pub const DEVICE: &str = "xczu5ev-sfvc784-2-i";

/// Estimates from the netlist for UltraScale+.
#[derive(Debug, Serialize)]
pub struct Estimated {
    /// Cells after synthesis.
    pub area: Area,
    /// Shortest period in ns with nets as fitted: the nominal figure.
    pub default_ns: f64,
    /// Shortest period in ns with short nets and replicated drivers.
    pub tight_ns: f64,
    /// Most LUTs between two registers, ends that are not Q and D of a flip-flop counted as one.
    pub lut_depth: usize,
    /// The slowest path, nets as fitted.
    pub slowest: Path,
    /// A path with the most LUTs.
    pub deepest: Path,
    /// The loops, nets as fitted, slowest first.
    pub loops: Vec<Loop>,
    /// Levels where nothing but depth counts.
    pub shallow: Shallow,
}

/// Most LUTs on a path, the same logic mapped by ABC for depth alone: what the design asks for, as
/// against what a mapper makes of it that spends depth on area until the slowest path is reached.
#[derive(Debug, Serialize)]
pub struct Shallow {
    /// Anywhere.
    pub levels: usize,
    /// In a loop.
    pub loop_levels: usize,
}

impl Estimated {
    /// Clock frequency with nets as fitted.
    pub fn default_mhz(&self) -> f64 {
        1000.0 / self.default_ns
    }

    /// Clock frequency with short nets and replicated drivers.
    pub fn tight_mhz(&self) -> f64 {
        1000.0 / self.tight_ns
    }

    /// Most LUTs on a path inside a loop; 0 without a loop.
    pub fn loop_levels(&self) -> usize {
        loop_levels(&self.loops)
    }
}

fn loop_levels(loops: &[Loop]) -> usize {
    let levels = loops.iter().map(|found| found.deepest.levels);
    levels.max().unwrap_or(0)
}

/// Maps the logic for depth alone: cuts of six inputs, no recovery of area.
const FOR_DEPTH: &str = "abc -lut 6 -script +strash;if,-K,6,-F,0,-A,0; opt_clean; \
                         techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6; clean";

/// How a design is mapped.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Commands before `synth_xilinx`.
    pub before: &'static str,
    /// Options of `synth_xilinx` besides family and top.
    pub options: &'static str,
}

/// What a user of Yosys gets without further thought, shift registers in LUTs included.
///
/// `scratchpad -set synth_xilinx.abc9.W 1000` has an effect, since `synth_xilinx` of this version
/// always maps by abc9: it weighs wires as on UltraScale+ and not as on Artix-7. The period of
/// PicoRV32 is 14 % shorter with it. The limits of the presets are meant for the plain flow, so it
/// stays out, and the estimates are on the safe side by up to that much.
pub const PLAIN: Flow = Flow {
    before: "",
    options: "-flatten -noiopad",
};

/// Maps a design to UltraScale+ and estimates the timing in both corners.
///
/// # Errors
/// If Yosys fails, or the netlist has cells without a known delay or no path between registers.
pub fn estimate(tools: &Tools, design: &Design, flow: Flow) -> Result<Estimated> {
    let Design {
        directory,
        sources,
        top,
    } = design;
    eprintln!("{top}: synthesis for UltraScale+");
    let Flow { before, options } = flow;
    let synthesis = format!("synth_xilinx -family xcup -top {top} {options}");
    // The pause changes nothing: it is there for the names that mapping loses.
    tools.yosys(
        directory,
        &format!(
            "{before} read_verilog {sources}; \
             {synthesis} -run :map_dsp; select {top}; write_json -selected {top}_names.json; select -clear; \
             {synthesis} -run map_dsp:map_luts; write_rtlil {top}_logic.il; \
             {synthesis} -run map_luts: -json {top}_xcup.json"
        ),
    )?;
    // In a run of its own, because ABC in the process of Yosys runs but once.
    tools.yosys(
        directory,
        &format!(
            "read_rtlil {top}_logic.il; {FOR_DEPTH}; select {top}; \
             write_json -selected {top}_shallow.json"
        ),
    )?;
    let text = |file: &str| std::fs::read_to_string(directory.join(format!("{top}_{file}.json")));
    let mut netlist = Netlist::parse(&text("xcup")?, top)?;
    netlist.name_by(&text("names")?, top)?;
    let no_path = || format!("{top} has no path from a register to a register");
    let shallow = Netlist::parse(&text("shallow")?, top)?;
    let shallow = Sta::new(&shallow, DEFAULT)?;
    let sta = Sta::new(&netlist, DEFAULT)?;
    let tight = Sta::new(&netlist, TIGHT)?;
    Ok(Estimated {
        area: Area::of(&netlist.counts),
        default_ns: sta.period_ns().with_context(no_path)?,
        tight_ns: tight.period_ns().with_context(no_path)?,
        lut_depth: sta.lut_depth(),
        slowest: sta.slowest().with_context(no_path)?,
        deepest: sta.deepest().with_context(no_path)?,
        loops: sta.loops(),
        shallow: Shallow {
            levels: shallow.deepest().with_context(no_path)?.levels,
            loop_levels: loop_levels(&shallow.loops()),
        },
    })
}
