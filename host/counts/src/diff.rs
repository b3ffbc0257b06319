// SPDX-License-Identifier: MIT OR Apache-2.0
//! The difference of two profiles, by function.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::rows::SCHEMA;
use crate::text::percent;
use crate::view::View;

/// Instructions by the names of functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// Functions of one name in several files are one.
    pub instructions: BTreeMap<String, u64>,
}

impl Functions {
    /// The functions of a view by function.
    pub fn of_view(view: &View) -> Functions {
        let mut functions = Functions::default();
        for (key, row) in &view.rows {
            functions.add(&key.name, row.sums.instructions);
        }
        functions
    }

    /// The functions of a profile as JSON, an object a line.
    ///
    /// # Errors
    /// If a line is no row of a profile, or there is no function.
    pub fn of_json(text: &str) -> Result<Functions> {
        let mut functions = Functions::default();
        for (number, line) in text.lines().enumerate() {
            let number = number + 1;
            let row: Value = serde_json::from_str(line)
                .with_context(|| format!("line {number} is no JSON object"))?;
            ensure!(
                row["schema"] == SCHEMA,
                "line {number} has the schema {}, not {SCHEMA:?}",
                row["schema"]
            );
            if row["type"] == "function" {
                let name = row["name"].as_str().context("a function without a name")?;
                let sum = row["instructions"].as_u64();
                let sum = sum.with_context(|| format!("{name:?} has no number of instructions"))?;
                functions.add(name, sum);
            }
        }
        ensure!(
            !functions.instructions.is_empty(),
            "there is no function in it: write it with --by function --format json"
        );
        Ok(functions)
    }

    fn add(&mut self, name: &str, instructions: u64) {
        let sum = self.instructions.entry(name.to_owned()).or_default();
        *sum = sum.saturating_add(instructions);
    }

    fn total(&self) -> u64 {
        let sums = self.instructions.values();
        sums.fold(0, |sum, more| sum.saturating_add(*more))
    }
}

/// Two profiles.
#[derive(Clone, Debug)]
pub struct Difference {
    /// The instructions of both.
    pub totals: [u64; 2],
    /// Functions that changed, with their instructions in both, those that changed most first.
    pub functions: Vec<(String, [u64; 2])>,
}

impl Difference {
    /// From `before` to `after`.
    pub fn new(before: &Functions, after: &Functions) -> Difference {
        let mut both: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
        for (side, functions) in [before, after].into_iter().enumerate() {
            for (name, sum) in &functions.instructions {
                both.entry(name).or_default()[side] = *sum;
            }
        }
        let mut functions: Vec<(String, [u64; 2])> = both
            .into_iter()
            .filter(|(_, [before, after])| before != after)
            .map(|(name, sums)| (name.to_owned(), sums))
            .collect();
        functions.sort_by_key(|(_, [before, after])| Reverse(before.abs_diff(*after)));
        Difference {
            totals: [before.total(), after.total()],
            functions,
        }
    }

    /// Appends a table of the first `top` functions, or that none differs.
    pub fn write_text(&self, out: &mut String, top: usize) {
        let [before, after] = self.totals;
        // Writing to a string never fails.
        let _ = writeln!(
            out,
            "{before} instructions before, {after} after: {:+}{}\n",
            change(&self.totals),
            relative(&self.totals)
        );
        if self.functions.is_empty() {
            out.push_str("no function differs\n");
            return;
        }
        let _ = writeln!(
            out,
            "{:>14}{:>9}{:>9}{:>9}  function",
            "change", "percent", "before", "after"
        );
        for (name, sums) in self.functions.iter().take(top) {
            let [share, share_after] = [0, 1].map(|side| percent(sums[side], self.totals[side]));
            let _ = writeln!(
                out,
                "{:>+14}{:>9}{share:>8.1}%{share_after:>8.1}%  {}",
                change(sums),
                relative(sums).trim_start(),
                name.escape_debug()
            );
        }
        let hidden = self.functions.len().saturating_sub(top);
        if hidden > 0 {
            let _ = writeln!(
                out,
                "{hidden} more: --top {} shows them all",
                self.functions.len()
            );
        }
    }

    /// Appends an object a line.
    pub fn write_json(&self, out: &mut String) {
        for (name, sums) in &self.functions {
            let row = json!({
                "schema": "etm4.diff.1",
                "type": "function",
                "name": name,
                "before": sums[0],
                "after": sums[1],
                "change": change(sums) as i64,
            });
            out.push_str(&row.to_string());
            out.push('\n');
        }
    }

    /// Appends name, instructions before and after, and the change, separated by tabs.
    pub fn write_tsv(&self, out: &mut String) {
        for (name, sums) in &self.functions {
            let name = name.escape_debug();
            let _ = writeln!(
                out,
                "function\tname={name}\tbefore={}\tafter={}\tchange={}",
                sums[0],
                sums[1],
                change(sums)
            );
        }
    }
}

fn change(sums: &[u64; 2]) -> i128 {
    i128::from(sums[1]) - i128::from(sums[0])
}

/// The change in percent; new or gone.
fn relative(sums: &[u64; 2]) -> String {
    match sums {
        [0, 0] => String::new(),
        [0, _] => " new".to_owned(),
        [_, 0] => " gone".to_owned(),
        [before, _] => format!(" {:+.1}%", change(sums) as f64 * 100.0 / *before as f64),
    }
}
