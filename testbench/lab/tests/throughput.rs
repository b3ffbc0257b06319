// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 throughput`: full width in every cycle and nothing dropped, as the results say.

use std::path::Path;
use std::process::Command;

use coretrace_pipelines::Preset;
use coretrace_test_gen::rounds;
use coretrace_test_support::in_parallel;

/// The table of a preset.
fn table(preset: &str, bytes: &str) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_etm4-lab"))
        .args(["throughput", "--bytes", bytes, "--preset", preset])
        .output()
        .expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).expect("a table")
}

/// The rows of a preset.
fn rows_of<'t>(table: &'t str, preset: &str) -> Vec<&'t str> {
    table
        .lines()
        .filter(|row| row.split_whitespace().next() == Some(preset))
        .collect()
}

#[test]
fn every_stream_goes_at_full_width_and_nothing_is_dropped() {
    let results = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    let results = std::fs::read_to_string(results).expect("the results");
    in_parallel(Preset::ALL, |preset| {
        let (name, bytes_per_cycle) = (preset.name(), preset.bytes_per_cycle());
        let rate = format!("{bytes_per_cycle}.000");
        if matches!(
            preset,
            Preset::Etm4CoreStm | Preset::Etm4CoreItm | Preset::RecompressorXe
        ) {
            // They have no rows: what two of them do with their first source is what `etm4_core` does, and the other one
            // is slower than its port.
            if preset == Preset::RecompressorXe {
                return;
            }
        } else if matches!(
            preset,
            Preset::FlowCore | Preset::FlowCoreX2 | Preset::Recompressor
        ) {
            // Its walker may drop; the port may not wait. A simulated cycle takes a millisecond.
            let table = table(name, rounds("60", "300"));
            let rows = rows_of(&table, name);
            assert_eq!(rows.len(), 3, "{table}");
            // From the right: rows, three numbers of atoms or events, bytes per cycle.
            let full = |row: &&str| row.split_whitespace().rev().nth(4) == Some(rate.as_str());
            assert!(rows.iter().all(full), "{table}");
        } else if matches!(
            preset,
            Preset::TraceCompressor
                | Preset::TraceCompressorX1
                | Preset::TraceCompressorM4
                | Preset::TraceCompressorRBase
        ) {
            // What is lost is counted; at half the rate nothing is.
            let table = table(name, rounds("40", "300"));
            let rows = rows_of(&table, name);
            assert!(rows.len() >= 12 && rows.len().is_multiple_of(4), "{table}");
            for row in rows {
                let columns: Vec<&str> = row.split_whitespace().rev().collect();
                // From the right: bits, waiting, lost, kept, events, rate.
                let is_half = ["0.25", "0.50"].contains(&columns[5]);
                assert!(!is_half || columns[2] == "0", "{row}");
            }
        } else {
            let table = table(name, rounds("300", "3000"));
            let rows = rows_of(&table, name);
            assert!(rows.len() >= 5, "{table}");
            for row in rows {
                // From the right: dropped, packets, MB/s, bytes per cycle.
                let mut columns = row.split_whitespace().rev();
                assert_eq!(columns.next(), Some("0"), "dropped: {row}");
                assert_eq!(columns.nth(2), Some(rate.as_str()), "{row}");
            }
        }
        let claim = results
            .lines()
            .find(|line| line.starts_with(&format!("| `{name}` |")));
        assert!(
            claim.is_some_and(|line| line.contains(&format!("| {rate} |"))),
            "{claim:?}"
        );
    });
}
