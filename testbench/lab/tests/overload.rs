// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab overload`: the losses of an overload are reported while it lasts, and the results have the
//! table.

use std::path::Path;
use std::process::Command;

/// Words of the port that make a core of half its clock drop some and
/// take some again.
const WORDS: usize = 60_000;

#[test]
#[ignore = "long: cargo xtask nightly"]
fn an_overload_is_reported_while_it_lasts() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let capture = root.join("testbench/traces/framed");
    let bytes = std::fs::metadata(capture.join("trace.bin")).expect("the capture");
    let laps = (4 * WORDS).div_ceil(bytes.len() as usize);
    let output = Command::new(env!("CARGO_BIN_EXE_etm4-lab"))
        .arg("overload")
        .arg(capture)
        .args(["--load", "125MHz", "--laps", &laps.to_string()])
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let table = String::from_utf8(output.stdout).expect("a table");
    let row = table.lines().nth(1).expect("a row");
    // From the right: reported, losses, the share of records.
    let mut columns = row.split_whitespace().rev();
    let mut number = || {
        columns
            .next()
            .and_then(|n| n.parse::<u32>().ok())
            .expect("a number")
    };
    let (reported, losses) = (number(), number());
    let share = columns.next().expect("a share").trim_end_matches('%');
    assert_ne!(reported, 0, "{table}");
    // The last loss may be in a packet that is not at its end yet.
    assert!(losses == reported || losses == reported + 1, "{table}");
    assert!(share.parse::<f64>().expect("a share") > 40.0, "{table}");
}
