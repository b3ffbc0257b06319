// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rows as tables for people.

use std::fmt::Write;

use crate::rows::Row;
use crate::totals::Totals;

/// Appends what was traced, and how complete it is.
pub fn write_totals(out: &mut String, totals: &Totals, sources: usize) {
    // Writing to a string never fails.
    let _ = write!(
        out,
        "{} instructions of {sources} source{}, {} exceptions",
        totals.instructions,
        if sources == 1 { "" } else { "s" },
        totals.exceptions
    );
    if totals.cycles > 0 {
        let _ = write!(out, ", {} cycles", totals.cycles);
    }
    if totals.ticks > 0 {
        let _ = write!(out, ", {} ticks of time", totals.ticks);
    }
    let missing: Vec<String> = [
        (totals.overflows, "overflows of the trace unit"),
        (totals.losses, "losses of the place in the program"),
        (totals.gaps, "gaps where tracing was off"),
        (totals.without_image, "places without an image"),
        (totals.paths_unknown, "stretches whose path is not known"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    let _ = if totals.instructions == 0 && missing.is_empty() {
        writeln!(out, "\nnothing of it was followed")
    } else if missing.is_empty() {
        writeln!(
            out,
            "\ncomplete: nothing is missing between the first and the last of them"
        )
    } else {
        writeln!(out, "\nincomplete: {}", missing.join(", "))
    };
}

/// Appends a table of the first `top` rows, all of one kind. `all` are the instructions of the trace.
pub fn write_rows(out: &mut String, rows: &[Row], all: u64, top: usize) {
    let Some(first) = rows.first() else {
        return;
    };
    let used = columns(rows);
    let has_share = used.iter().any(|(field, _)| *field == "instructions");
    out.push('\n');
    if has_share {
        out.push_str(" share");
    }
    for (_, title) in &used {
        let _ = write!(out, "{title:>14}");
    }
    let _ = writeln!(out, "  {}", first.kind);
    for row in rows.iter().take(top) {
        if has_share {
            let _ = write!(out, "{:>5.1}%", percent(row.number("instructions"), all));
        }
        for (field, _) in &used {
            let _ = write!(out, "{:>14}", row.number(field));
        }
        let name = row.text("name").unwrap_or_default().escape_debug();
        let _ = write!(out, "  {name}");
        let numbers = ["pid", "tid"].into_iter().filter(|field| row.has(field));
        let numbers = numbers.map(|field| format!("{field} {}", row.number(field)));
        let numbers: Vec<String> = numbers.collect();
        if !numbers.is_empty() {
            let _ = write!(out, "  ({})", numbers.join(", "));
        }
        if let Some(place) = place(row) {
            let _ = write!(out, "  {place}");
        }
        out.push('\n');
    }
    let hidden = rows.len().saturating_sub(top);
    if hidden > 0 {
        let _ = writeln!(out, "{hidden} more: --top {} shows them all", rows.len());
    }
}

/// Where something is, in parentheses; `None` if it is not known, or is the name of the row.
pub fn place(row: &Row) -> Option<String> {
    let file = row.text("file").filter(|_| row.kind != "line")?;
    let mut place = format!("({}", file.escape_debug());
    if row.number("line") > 0 {
        place.push_str(&format!(":{}", row.number("line")));
    }
    place.push(')');
    Some(place)
}

/// The fields of rows of one kind that are columns, and their titles. Without time there is none of time.
pub fn columns(rows: &[Row]) -> Vec<&'static (&'static str, &'static str)> {
    let kind = rows.first().map_or("", |row| row.kind);
    let is_used = |(field, _): &&(&str, &str)| {
        let is_time = matches!(*field, "cycles" | "ticks");
        !is_time || rows.iter().any(|row| row.number(field) > 0)
    };
    columns_of(kind).iter().filter(is_used).collect()
}

fn columns_of(kind: &str) -> &'static [(&'static str, &'static str)] {
    match kind {
        "function" | "inlined" => &[
            ("instructions", "instructions"),
            ("calls", "calls"),
            ("cycles", "cycles"),
            ("ticks", "ticks"),
        ],
        "block" => &[
            ("instructions", "instructions"),
            ("visits", "visits"),
            ("cycles", "cycles"),
            ("ticks", "ticks"),
        ],
        "edge" => &[("visits", "taken")],
        "loop" => &[
            ("instructions", "instructions"),
            ("entries", "entries"),
            ("iterations", "iterations"),
            ("cycles", "cycles"),
            ("ticks", "ticks"),
        ],
        "coverage" => &[
            ("entered", "entered"),
            ("lines_ran", "lines ran"),
            ("lines", "of lines"),
            ("bytes_ran", "bytes ran"),
            ("bytes", "of bytes"),
        ],
        _ => &[
            ("instructions", "instructions"),
            ("cycles", "cycles"),
            ("ticks", "ticks"),
        ],
    }
}

/// How many percent of all.
pub fn percent(part: u64, all: u64) -> f64 {
    if all == 0 {
        0.0
    } else {
        100.0 * part as f64 / all as f64
    }
}
