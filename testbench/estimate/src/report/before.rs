// SPDX-License-Identifier: MIT OR Apache-2.0
//! The figures of two reports side by side.

use super::measure::Report;
use anyhow::{Context, Result};
use serde_json::Value;
use std::fmt::Write;

/// A figure: its title, its place below a design in the JSON, and its digits after the point.
const FIGURES: [(&str, &str, usize); 7] = [
    ("LUT + SRL + memory", "/estimated/area/lut_sites", 0),
    ("FF", "/estimated/area/ff", 0),
    ("BRAM18", "/estimated/area/bram18", 0),
    ("CLB", "/estimated/area/clb", 0),
    ("LUT levels", "/estimated/deepest/levels", 0),
    ("ns nominal", "/estimated/default_ns", 3),
    ("ECP5 MHz", "/ecp5/median_mhz", 1),
];

/// A Markdown table of the figures that differ between the JSON text `before` and `report`.
///
/// # Errors
/// If `before` is no report.
pub fn compare(before: &str, report: &Report) -> Result<String> {
    let before: Value = serde_json::from_str(before).context("the report before is no JSON")?;
    table(&before, &serde_json::to_value(report)?)
}

fn table(before: &Value, after: &Value) -> Result<String> {
    let designs = |report: &Value| report["presets"].as_array().cloned();
    let old = designs(before).context("the report before has no presets")?;
    let mut text = "| design | figure | before | after |\n|---|---|---:|---:|\n".to_owned();
    for new in designs(after).unwrap_or_default() {
        let Some(old) = old.iter().find(|old| old["preset"] == new["preset"]) else {
            continue;
        };
        let name = new["preset"].as_str().unwrap_or_default();
        for (title, place, digits) in FIGURES {
            let figure = |design: &Value| {
                let figure = design.pointer(place).and_then(Value::as_f64);
                figure.map_or("-".to_owned(), |figure| format!("{figure:.digits$}"))
            };
            let (old, new) = (figure(old), figure(&new));
            if old != new {
                writeln!(text, "| `{name}` | {title} | {old} | {new} |")?;
            }
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_figures_that_differ_are_in_the_comparison() {
        let report = |ff: usize, levels: usize| {
            let area = json!({ "lut_sites": 5, "ff": ff });
            let estimated = json!({ "area": area, "deepest": { "levels": levels } });
            json!({ "presets": [{ "preset": "a", "estimated": estimated }] })
        };
        let text = table(&report(7, 4), &report(9, 4)).unwrap();
        assert!(text.ends_with("|---:|\n| `a` | FF | 7 | 9 |\n"), "{text}");
        assert!(table(&json!({}), &report(7, 4)).is_err());
    }
}
