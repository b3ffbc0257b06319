// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 elements` on the traces of the project.

mod common;

use common::{etm4, good};
use serde_json::Value;

const SORT: &str = "testbench/traces/sort-a64";
const ADPCM: &str = "testbench/traces/adpcm-a32";

fn count(trace: &str, what: &str) -> u64 {
    let counts = good(&["elements", trace, "--format", "count"]);
    let line = counts.lines().find(|line| line.ends_with(what));
    let line = line.unwrap_or_else(|| panic!("no {what} in {counts}"));
    let number = line.split_whitespace().next().expect("a number");
    number.parse().expect("a number")
}

#[test]
fn the_traces_of_the_project_give_all_their_instructions() {
    assert_eq!(count(SORT, "  instructions"), 150_000);
    assert_eq!(count(SORT, "  EXCEPTION"), 211);
    assert_eq!(count(ADPCM, "  instructions"), 150_025);
    for trace in [SORT, ADPCM] {
        let text = good(&["elements", trace]);
        assert!(!text.contains("ADDR_NACC"), "{trace}");
        assert!(text.trim_end().ends_with("[end-of-trace]"), "{trace}");
    }
}

#[test]
fn elements_of_json_have_the_fields_of_the_text() {
    for trace in [SORT, ADPCM] {
        let text = good(&["elements", trace, "--format", "tsv"]);
        let json = good(&["elements", trace, "--format", "json"]);
        assert_eq!(text.lines().count(), json.lines().count(), "{trace}");
        for (line, object) in text.lines().zip(json.lines()) {
            let columns: Vec<&str> = line.split('\t').collect();
            let object: Value = serde_json::from_str(object).expect("JSON");
            assert_eq!(object["schema"], "etm4.element.1");
            assert_eq!(object["type"], columns[2]);
            assert_eq!(object["off"].to_string(), columns[0]);
            if columns[2] != "INSTR_RANGE" {
                continue;
            }
            let [start, end] = ["start", "end"].map(|key| object[key].as_str().expect("text"));
            let count = &object["instructions"];
            let range = format!("exec range={start}:[{end}] num_i({count})");
            assert!(columns[3].contains(&range), "{line}");
        }
    }
}

#[test]
fn a_trace_without_images_says_so() {
    let ran = etm4(&["elements", "testbench/traces/framed", "--format", "count"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("no memory images"), "{}", ran.stderr);
    assert!(ran.stdout.contains("ADDR_NACC"), "{}", ran.stdout);
}
