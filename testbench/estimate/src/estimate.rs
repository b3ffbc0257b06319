// SPDX-License-Identifier: MIT OR Apache-2.0
//! Area and timing for UltraScale+, estimated from one netlist.

use crate::design::Design;
use crate::netlist::area::Area;
use crate::netlist::cell::Netlist;
use crate::timing::delay::{DEFAULT, TIGHT};
use crate::timing::path::{Loop, Path};
use crate::timing::sta::Sta;
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
        let levels = self.loops.iter().map(|found| found.deepest.levels);
        levels.max().unwrap_or(0)
    }
}

/// How a design is mapped.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Commands before `synth_xilinx`.
    pub before: &'static str,
    /// Options of `synth_xilinx` besides family and top.
    pub options: &'static str,
}

/// The flow of every design of the report: the defaults of Yosys, shift registers in LUTs included.
///
/// `scratchpad -set synth_xilinx.abc9.W 1000` would weigh wires as on UltraScale+ and not as on
/// Artix-7; the period of PicoRV32 is 14 % shorter with it. It stays out: the estimates are on the
/// safe side by up to that much.
pub const PLAIN: Flow = Flow {
    before: "",
    options: "-flatten -noiopad",
};

/// The same with multiplexers of five inputs and more in MUXF7 and MUXF8.
///
/// It makes the jump-ahead decoders of one source faster, but the byte-wide decoder slower and the
/// core larger, so it is not the flow for all.
pub const WIDE_MUX: Flow = Flow {
    before: "",
    options: "-flatten -noiopad -widemux 5",
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
    // The pause changes nothing: it saves the names that mapping loses.
    tools.yosys(
        directory,
        &format!(
            "{before} read_verilog {sources}; \
             {synthesis} -run :map_dsp; select {top}; write_json -selected {top}_names.json; select -clear; \
             {synthesis} -run map_dsp: -json {top}_xcup.json"
        ),
    )?;
    let text = |file: &str| std::fs::read_to_string(directory.join(format!("{top}_{file}.json")));
    let mut netlist = Netlist::parse(&text("xcup")?, top)?;
    netlist.name_by(&text("names")?, top)?;
    let no_path = || format!("{top} has no path from a register to a register");
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
    })
}
