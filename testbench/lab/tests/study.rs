// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4-lab study`: the figures of the programs that come with the sources.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn study(args: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    Command::new(env!("CARGO_BIN_EXE_etm4-lab"))
        .arg("study")
        .args(args)
        .current_dir(root)
        .output()
        .expect("the program runs")
}

fn printed(args: &[&str]) -> String {
    let run = study(args);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).expect("a text")
}

#[test]
fn settings_that_send_more_make_more_bytes_and_windows_are_worse() {
    let rows: Vec<Value> = printed(&["--format", "json"])
        .lines()
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    for rows in rows.chunks(8) {
        let rate = |configuration: &str| {
            let mut rows = rows.iter();
            let row = rows.find(|row| row["configuration"] == configuration);
            row.expect("a configuration")["bytes_per_instruction"]
                .as_f64()
                .expect("a number")
        };
        for (less, more) in [
            ("return stack", "plain"),
            ("return stack", "timestamps 1000"),
            ("return stack", "cycles 256"),
            ("cycles 256", "cycles 16"),
            ("cycles 16", "cycles 4"),
            ("plain", "broadcast"),
            ("broadcast", "all"),
        ] {
            assert!(rate(less) < rate(more), "{less}, {more}");
        }
        for row in rows {
            let number = |name: &str| row[name].as_f64().expect("a number");
            // A window of some length is as bad as the whole, or worse.
            assert!(
                number("worst_10000") >= number("bytes_per_instruction") * 0.99,
                "{row}"
            );
            assert!(
                number("worst_1000") >= number("worst_10000") * 0.99,
                "{row}"
            );
        }
    }
    assert_eq!(rows.len(), 16);
}

#[test]
fn all_formats_have_the_same_figures() {
    let file = "testbench/traces/branches/adpcm-a32.btr.xz";
    let clock = [
        file, "--mhz", "500", "--ipc", "2", "--cores", "4", "--format",
    ];
    let with = |format: &'static str| printed(&[&clock[..], &[format]].concat());
    let (tsv, text, markdown) = (with("tsv"), with("text"), with("markdown"));
    let rows: Vec<Vec<&str>> = tsv.lines().map(|line| line.split('\t').collect()).collect();
    let [head, rows @ ..] = &rows[..] else {
        panic!("{tsv}");
    };
    assert_eq!(rows.len(), 8);
    for (row, line) in rows.iter().zip(text.lines().skip(3)) {
        assert_eq!(row.len(), head.len(), "{row:?}");
        let rate: f64 = row[4].parse().expect("a number");
        assert!(line.contains(&format!(" {rate:.4} ")), "{line}");
        assert!(markdown.contains(&format!(" {rate:.3} |")), "{rate}");
    }
}

#[test]
fn what_is_no_branch_trace_is_refused_in_one_line() {
    for (args, cause) in [
        (["testbench/traces/README.md", "--cores"], "BTR1"),
        (["no/such.btr", "--cores"], "cannot read"),
    ] {
        let run = study(&[&args[..], &["1"]].concat());
        let errors = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && errors.contains(cause), "{errors}");
        assert_eq!(errors.lines().count(), 1, "{errors}");
    }
    assert!(!study(&["--mhz", "0"]).status.success());
}
