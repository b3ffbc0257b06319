// SPDX-License-Identifier: MIT OR Apache-2.0
//! `ooc.tcl`: the order of the flow, the constraints, the results and the exit codes.

use std::fs;
use std::path::{Path, PathBuf};

use coretrace_hdl_verilog::Direction;
use coretrace_pipelines::package::{package, write_package};
use coretrace_pipelines::{DecoderTop, Preset};
use serde_json::Value;

use crate::tclsh::{Outcome, call, root, skip_or_fail};

/// The steps of the flow in order; reports come after them.
const STEPS: [&str; 9] = [
    "create_project",
    "read_verilog",
    "read_xdc",
    "synth_design",
    "opt_design",
    "place_design",
    "phys_opt_design",
    "route_design",
    "phys_opt_design",
];

/// The reports that the gate reads.
const GATED: [&str; 5] = [
    "report_timing_summary",
    "check_timing",
    "report_route_status",
    "report_utilization",
    "report_methodology",
];

/// A preset as `cargo export` writes it, in an empty folder for a test.
fn export(test: &str, preset: DecoderTop) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("vivado-{test}"));
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("an old folder can go");
    }
    let files = package(Preset::Decoder(preset)).expect("the preset exports");
    write_package(files, &folder).expect("the folder can be written");
    folder
}

/// Calls `ooc.tcl` for a preset and its folder.
fn run(preset: DecoderTop, folder: &Path, differences: &str, flags: &[&str]) -> Outcome {
    let folder = folder.to_str().expect("a path of text");
    let arguments = [&[preset.name(), folder], flags].concat();
    let script = root().join("constraints/vivado/ooc.tcl");
    call(&script, differences, &arguments)
}

/// The `result.json` of a period.
fn result(folder: &Path, period: &str) -> Value {
    let path = folder.join(format!("vivado/{period}ns/result.json"));
    let text = fs::read_to_string(path).expect("a result");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The verdicts at 4 and 2 ns.
fn verdicts(folder: &Path) -> [String; 2] {
    ["4.000", "2.000"].map(|period| {
        let result = result(folder, period);
        result["verdict"].as_str().expect("a string").to_owned()
    })
}

#[test]
fn every_preset_is_built_at_both_periods_and_reported_after_routing() {
    if skip_or_fail() {
        return;
    }
    for preset in DecoderTop::ALL {
        let folder = export(&format!("flow-{}", preset.name()), preset);
        let outcome = run(preset, &folder, "", &[]);
        assert_eq!(outcome.code, 0, "{}{}", outcome.output, outcome.errors);
        let projects = outcome.projects();
        assert_eq!(projects.len(), 2);
        for calls in projects {
            let name = |call: &String| call.split(' ').next().unwrap_or_default().to_owned();
            let names: Vec<String> = calls.iter().map(name).collect();
            let is_report = |name: &String| name.starts_with("report_") || name == "check_timing";
            let first = names.iter().position(is_report).expect("a report");
            let is_step = |name: &&String| STEPS.contains(&name.as_str());
            let steps: Vec<&String> = names[..first].iter().filter(is_step).collect();
            assert_eq!(steps, STEPS);
            let behind = &names[first..];
            assert!(behind.iter().all(|name| !STEPS.contains(&name.as_str())));
            for report in GATED {
                assert!(behind.iter().any(|name| name == report), "no {report}");
            }
        }
        let synthesis = format!(
            "-top {} -part xczu5ev-sfvc784-2-i -mode out_of_context -flatten_hierarchy rebuilt",
            preset.name()
        );
        assert_eq!(outcome.words_of("synth_design"), [&synthesis, &synthesis]);
        let clocks = [
            "-name aclk -period 4.000 aclk",
            "-name aclk -period 2.000 aclk",
        ];
        assert_eq!(outcome.words_of("create_clock"), clocks);
    }
}

#[test]
fn every_port_but_the_clock_has_a_delay_and_settings_are_untimed() {
    if skip_or_fail() {
        return;
    }
    for preset in DecoderTop::ALL {
        let folder = export(&format!("delays-{}", preset.name()), preset);
        let outcome = run(preset, &folder, "", &[]);
        let ports = preset.ports();
        let names = |direction: Direction| {
            let ports = ports.iter().filter(|port| port.direction == direction);
            let names = ports.map(|port| port.name.as_str());
            let delayed: Vec<&str> = names.filter(|name| *name != "aclk").collect();
            delayed.join(" ")
        };
        let expected =
            |names: String| ["1.2", "0.6"].map(|delay| format!("-clock aclk {delay} {{{names}}}"));
        let inputs = outcome.words_of("set_input_delay");
        assert_eq!(inputs, expected(names(Direction::Input)));
        let outputs = outcome.words_of("set_output_delay");
        assert_eq!(outputs, expected(names(Direction::Output)));
        let settings = ports.iter().filter(|port| port.name.starts_with("cfg_"));
        let settings: Vec<&str> = settings.map(|port| port.name.as_str()).collect();
        let from = format!("-from {{{}}}", settings.join(" "));
        assert_eq!(outcome.words_of("set_false_path"), [&from, &from]);
    }
}

#[test]
fn results_are_json_with_the_numbers_of_the_reports_and_of_the_export() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("results", preset);
    let differences = "2.000 {wns_ns 0.017 methodology {TIMING-18 Warning 2}}";
    let outcome = run(
        preset,
        &folder,
        differences,
        &["-part", "xczu3eg-sbva484-1-e"],
    );
    assert_eq!(outcome.code, 0, "{}", outcome.output);
    let manifest = fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let result = result(&folder, "2.000");
    let same = [
        ("/schema", "etm4.vivado/1"),
        ("/preset", "etm4_byte"),
        ("/part", "xczu3eg-sbva484-1-e"),
        ("/tool", "Vivado 2023.2"),
        ("/verdict", "MET"),
        ("/methodology/0/rule", "TIMING-18"),
        ("/methodology/0/severity", "Warning"),
    ];
    for (place, text) in same {
        assert_eq!(result.pointer(place), Some(&text.into()), "{place}");
    }
    assert_eq!(result["version"], manifest["version"]);
    assert_eq!(result["verilog_sha256"], manifest["files"][0]["sha256"]);
    let numbers = [
        ("/period_ns", 2.0),
        ("/timing/wns_ns", 0.017),
        ("/timing/tns_ns", 0.0),
        ("/timing/whs_ns", 0.021),
        ("/timing/wpws_ns", 1.725),
        ("/timing/setup_total", 5123.0),
        ("/checks/no_clock", 0.0),
        ("/route_errors", 0.0),
        ("/utilization/lut", 4312.0),
        ("/utilization/ff", 3421.0),
        ("/utilization/bram", 0.5),
        ("/methodology/0/count", 2.0),
    ];
    for (place, number) in numbers {
        let value = result.pointer(place).and_then(Value::as_f64);
        assert_eq!(value, Some(number), "{place}");
    }
    let line = "RESULT preset=etm4_byte part=xczu3eg-sbva484-1-e period=2.000 WNS=0.017 \
                TNS=0.000 WHS=0.021 pulse_width=1.725 LUT=4312 FF=3421 BRAM=0.5 verdict=MET";
    assert!(outcome.output.contains(line), "{}", outcome.output);
}

#[test]
fn what_does_not_close_fails_its_period_and_no_other() {
    if skip_or_fail() {
        return;
    }
    let reasons = [
        ("wns_ns -0.050 setup_failing 3", "setup: worst slack -0.050"),
        ("whs_ns -0.002 hold_failing 1", "hold: worst slack -0.002"),
        ("wpws_ns -0.100", "pulse_width: worst slack -0.100"),
        ("tns_ns 0.000 setup_failing 1", "setup: worst slack 0.123"),
        ("setup_total 0", "setup: nothing was timed"),
        ("no_clock 7", "timing check no_clock: 7"),
        ("no_output_delay 1", "timing check no_output_delay: 1"),
        ("route_errors 2", "nets with routing errors: 2"),
        (
            "methodology {TIMING-18 Warning 4 TIMING-17 {Critical Warning} 9}",
            "methodology TIMING-17 (Critical Warning)",
        ),
    ];
    let preset = DecoderTop::Etm4Byte;
    let folder = export("failures", preset);
    for (difference, reason) in reasons {
        for (period, expected) in [("4.000", ["FAILED", "MET"]), ("2.000", ["MET", "FAILED"])] {
            let outcome = run(preset, &folder, &format!("{period} {{{difference}}}"), &[]);
            assert_eq!(outcome.code, 1, "{difference}");
            assert_eq!(verdicts(&folder), expected, "{difference}");
            let reasons = result(&folder, period)["reasons"].clone();
            let reasons = reasons.as_array().expect("a list");
            assert_eq!(reasons.len(), 1, "{reasons:?}");
            let first = reasons[0].as_str().expect("a string");
            assert!(first.starts_with(reason), "{first}");
            assert!(outcome.output.contains(first), "{}", outcome.output);
        }
    }
}

#[test]
fn a_crash_ends_its_period_and_no_other() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("crash", preset);
    let met = run(preset, &folder, "", &[]);
    assert_eq!(
        (met.code, verdicts(&folder)),
        (0, ["MET", "MET"].map(String::from))
    );

    let outcome = run(preset, &folder, "4.000 {crash place_design}", &[]);
    assert_eq!(outcome.code, 1);
    assert_eq!(verdicts(&folder), ["ERROR", "MET"]);
    let result = result(&folder, "4.000");
    assert_eq!(result["reasons"][0], "place_design crashed");
    assert_eq!(result.get("timing"), None);
    assert!(outcome.output.contains("WNS=- "), "{}", outcome.output);
    let closed = outcome.words_of("close_project");
    assert_eq!(closed.len(), 2);
}

#[test]
fn a_report_that_is_not_understood_is_no_pass() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("garbled", preset);
    for report in GATED {
        let outcome = run(preset, &folder, &format!("2.000 {{garble {report}}}"), &[]);
        assert_eq!(outcome.code, 1, "{report}");
        assert_eq!(verdicts(&folder), ["MET", "ERROR"], "{report}");
        let reason = result(&folder, "2.000")["reasons"][0].clone();
        let reason = reason.as_str().expect("a string");
        assert!(reason.starts_with("not understood: "), "{report}: {reason}");
    }
}

#[test]
fn a_report_that_only_people_read_may_be_missing() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("missing", preset);
    let outcome = run(preset, &folder, "4.000 {crash report_cdc}", &[]);
    assert_eq!(outcome.code, 0);
    assert_eq!(result(&folder, "4.000")["missing_reports"][0], "cdc");
    assert_eq!(result(&folder, "2.000")["missing_reports"][0], Value::Null);
    assert!(outcome.output.contains("WARNING: no cdc.rpt: "));
}

#[test]
fn a_wrong_call_says_how_to_call_and_starts_nothing() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("calls", preset);
    let good = folder.to_str().expect("a path of text");
    let script = root().join("constraints/vivado/ooc.tcl");
    let calls: [(&[&str], &str); 10] = [
        (&[], "two words, not 0"),
        (&["etm4_byte"], "two words, not 1"),
        (&["etm4_byte", good, "4.000"], "two words, not 3"),
        (&["etm4_byte", "nowhere"], "there is no nowhere/etm4_byte.v"),
        (&["etm4_x4", good], "etm4_x4.v"),
        (&["etm4_byte", good, "-period", "4"], "no flag -period"),
        (&["etm4_byte", good, "-part"], "-part has no value"),
        (
            &["etm4_byte", good, "-periods", "4,fast"],
            "`fast` is not a period",
        ),
        (&["etm4_byte", good, "-periods", "0"], "`0` is not a period"),
        (&["etm4_byte", good, "-periods", ""], "-periods names none"),
    ];
    for (arguments, message) in calls {
        let outcome = call(&script, "", arguments);
        assert_eq!(outcome.code, 2, "{arguments:?}");
        assert!(outcome.errors.contains(message), "{}", outcome.errors);
        assert!(
            outcome.errors.contains("usage: vivado"),
            "{}",
            outcome.errors
        );
        assert_eq!(outcome.calls, [""; 0], "{arguments:?}");
    }
    fs::write(folder.join("manifest.json"), "{}").expect("a manifest");
    let outcome = run(preset, &folder, "", &[]);
    assert_eq!(outcome.code, 2);
    assert!(
        outcome.errors.contains("manifest.json"),
        "{}",
        outcome.errors
    );
}

#[test]
fn periods_are_those_of_the_call_apart_by_commas_or_spaces() {
    if skip_or_fail() {
        return;
    }
    let preset = DecoderTop::Etm4Byte;
    let folder = export("periods", preset);
    for periods in ["3.500,8", "3.500 8"] {
        let outcome = run(preset, &folder, "", &["-periods", periods]);
        assert_eq!(outcome.code, 0, "{}", outcome.errors);
        let clocks = ["-name aclk -period 3.500 aclk", "-name aclk -period 8 aclk"];
        assert_eq!(outcome.words_of("create_clock"), clocks);
        assert_eq!(result(&folder, "8")["period_ns"], 8);
    }
}

#[test]
fn constraints_with_a_second_period_or_an_if_are_an_error() {
    if skip_or_fail() {
        return;
    }
    let xdc = fs::read_to_string(root().join("constraints/etm4_ooc.xdc")).expect("constraints");
    let changes = [
        (xdc.replace("set aclk_period", "set period"), "0 times"),
        (format!("{xdc}set aclk_period 1.000\n"), "2 times"),
        (format!("{xdc}if 1 {{}}\n"), "invalid command name \"if\""),
        (format!("{xdc}get_ports nothing\n"), "no port is"),
    ];
    for (text, message) in changes {
        let folder = export("constraints", DecoderTop::Etm4Byte);
        let copy = folder.join("constraints/vivado");
        fs::create_dir_all(&copy).expect("a folder");
        for name in ["ooc.tcl", "gate.tcl", "result.tcl"] {
            let script = root().join("constraints/vivado").join(name);
            fs::copy(script, copy.join(name)).expect("a copy");
        }
        fs::write(folder.join("constraints/etm4_ooc.xdc"), text).expect("constraints");
        let path = folder.to_str().expect("a path of text");
        let outcome = call(&copy.join("ooc.tcl"), "", &["etm4_byte", path]);
        assert_eq!(outcome.code, 1, "{message}");
        assert_eq!(verdicts(&folder), ["ERROR", "ERROR"]);
        assert!(outcome.output.contains(message), "{}", outcome.output);
    }
}
