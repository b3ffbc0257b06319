// SPDX-License-Identifier: MIT OR Apache-2.0
//! `gate.tcl` and `result.tcl`: every procedure with reports that it accepts and that it refuses.

use serde_json::Value;

use crate::tclsh::{evaluate, skip_or_fail};

/// The result of a procedure of the gate for a report.
fn gate(procedure: &str, report: &str) -> Result<String, String> {
    evaluate(&format!("etm4::gate::{procedure} {{{report}}}"))
}

/// Demands that a procedure of the gate refuses a report that it does not understand.
fn refuses(procedure: &str, report: &str) {
    let error = gate(procedure, report).expect_err(report);
    assert!(error.starts_with("not understood: "), "{error}");
}

/// The head of a table of the timing summary.
const COLUMNS: &str = "WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      \
    WHS(ns)      THS(ns)  THS Failing Endpoints  THS Total Endpoints     WPWS(ns)     TPWS(ns)  \
    TPWS Failing Endpoints  TPWS Total Endpoints  ";

#[test]
fn the_gate_takes_the_timing_of_the_design_and_not_that_of_a_clock() {
    if skip_or_fail() {
        return;
    }
    let row = |row: &str| {
        format!(
            "| Intra Clock Table\n\nClock   {COLUMNS}\n-----   ---\n\
             aclk  9.9  0.0  0  1  9.9  0.0  0  1  9.9  0.0  0  1\n\n\
             | Design Timing Summary\n\n    {COLUMNS}\n    -------      ---\n   {row}  \n\n"
        )
    };
    let good = row("-0.050  -0.150  3  5123    0.021  0.000  0  5123    1.725  0.000  0  3421");
    let expected = "wns_ns -0.050 tns_ns -0.150 setup_failing 3 setup_total 5123 \
                    whs_ns 0.021 ths_ns 0.000 hold_failing 0 hold_total 5123 \
                    wpws_ns 1.725 tpws_ns 0.000 pulse_width_failing 0 pulse_width_total 3421";
    assert_eq!(gate("timing", &good), Ok(expected.to_owned()));
    refuses("timing", "");
    refuses("timing", &good.replace("TPWS", "XPWS"));
    refuses(
        "timing",
        &row("inf  0.000  0  0  inf  0.000  0  0  NA  NA  NA  NA"),
    );
    refuses(
        "timing",
        &row("0.050  0.000  0  5123  0.021  0.000  0  5123"),
    );
    refuses("timing", &row(""));
}

#[test]
fn the_gate_reads_every_check_that_makes_the_timing_complete() {
    if skip_or_fail() {
        return;
    }
    let names = [
        "no_clock",
        "constant_clock",
        "unconstrained_internal_endpoints",
        "no_input_delay",
        "no_output_delay",
        "loops",
        "latch_loops",
    ];
    let line = |name: &&str| format!("1. checking {name} ({})\n----\n", name.len());
    let report: String = names.iter().map(line).collect();
    let expected = "no_clock 8 unconstrained_internal_endpoints 32 no_input_delay 14 \
                    no_output_delay 15 loops 5 latch_loops 11";
    assert_eq!(gate("checks", &report), Ok(expected.to_owned()));
    for name in names.iter().filter(|name| **name != "constant_clock") {
        refuses("checks", &report.replace(&line(name), ""));
    }
}

#[test]
fn the_gate_reads_routing_errors_and_utilization() {
    if skip_or_fail() {
        return;
    }
    let routes = "   # of fully routed nets............. :       27961 :\n       \
                  # of nets with routing errors.......... :          12 :\n";
    assert_eq!(gate("route_errors", routes), Ok("12".to_owned()));
    refuses(
        "route_errors",
        "# of fully routed nets............. : 27961 :",
    );

    let table = "| CLB LUTs*                  | 4312 |     0 |    117120 |  3.68 |\n\
                 |   LUT as Logic             | 4310 |     0 |    117120 |  3.68 |\n\
                 | CLB Registers              | 3421 |     0 |    234240 |  1.46 |\n\
                 | Block RAM Tile    |  4.5 |     0 |          0 |       144 |  3.13 |\n";
    let expected = "lut 4312 ff 3421 bram 4.5";
    assert_eq!(gate("utilization", table), Ok(expected.to_owned()));
    for name in ["CLB LUTs", "CLB Registers", "Block RAM Tile"] {
        refuses("utilization", &table.replace(name, "Other"));
    }
    refuses("utilization", &table.replace("3421", "<3421"));
}

#[test]
fn the_gate_overlooks_no_methodology_message() {
    if skip_or_fail() {
        return;
    }
    let report = |found: u32, word: &str| {
        format!(
            "| Design       : etm4_byte\n             {word} found: {found}\n\
             +-----------+------------------+-------------+--------+\n\
             | Rule      | Severity         | Description | {word} |\n\
             +-----------+------------------+-------------+--------+\n\
             | TIMING-17 | Critical Warning | No clock    | 2      |\n\
             | SYNTH-6   | Warning          | RAM timing  | 40     |\n\
             +-----------+------------------+-------------+--------+\n"
        )
    };
    let expected = "{rule TIMING-17 severity {Critical Warning} description {No clock} count 2} \
                    {rule SYNTH-6 severity Warning description {RAM timing} count 40}";
    for word in ["Violations", "Checks"] {
        let rows = gate("methodology", &report(42, word));
        assert_eq!(rows, Ok(expected.to_owned()));
        let none = gate("methodology", &format!("{word} found: 0\n"));
        assert_eq!(none, Ok(String::new()));
    }
    refuses("methodology", &report(43, "Violations"));
    refuses("methodology", &report(42, "Findings"));
    let other = report(42, "Violations").replace("Critical Warning", "Grave");
    refuses("methodology", &other);
}

#[test]
fn the_gate_forgives_an_explained_rule_and_no_other() {
    if skip_or_fail() {
        return;
    }
    let reasons = |explained: &str| {
        evaluate(&format!(
            "set timing {{}}
             foreach kind {{setup hold pulse_width}} {{
                 dict set timing ${{kind}}_failing 0
                 dict set timing ${{kind}}_total 1
             }}
             foreach slack {{wns_ns whs_ns wpws_ns}} {{dict set timing $slack 0.000}}
             set rows {{}}
             foreach {{rule severity}} {{
                 A-1 {{Critical Warning}} A-2 Error A-3 Fatal A-4 Warning A-5 Advisory
             }} {{
                 lappend rows [dict create rule $rule severity $severity description d count 1]
             }}
             set run [dict create timing $timing checks {{}} route_errors 0 methodology $rows]
             join [etm4::gate::reasons $run {{{explained}}}] \\n"
        ))
        .expect("reasons")
    };
    let rules = |text: String| -> Vec<String> {
        let words = text.split_whitespace();
        let rules = words.filter(|word| word.starts_with("A-"));
        rules.map(str::to_owned).collect()
    };
    assert_eq!(rules(reasons("")), ["A-1", "A-2", "A-3"]);
    assert_eq!(rules(reasons("A-2 {why}")), ["A-1", "A-3"]);
    assert_eq!(reasons("A-1 {why} A-2 {why} A-3 {why}"), "");
}

#[test]
fn any_text_is_a_json_string() {
    if skip_or_fail() {
        return;
    }
    let script = r#"etm4::result::quoted "a \"b\" \\c\n\t\u00e9\u0001{x}""#;
    let json = evaluate(script).expect("a string");
    let value: Value =
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"));
    assert_eq!(value, "a \"b\" \\c\n\té\u{1}{x}");
}
