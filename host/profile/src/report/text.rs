// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tables for people.

use std::fmt::Write;

use crate::Counts;

use super::{Report, SourceReport, percent, total};

/// Appends the sums of every source, with its `top` hottest addresses.
pub fn write(out: &mut String, report: &Report<'_>, top: usize) {
    for (index, source) in report.sources.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        summary(out, source);
        addresses(out, report, source, top);
        counts(out, "exception", &source.sums.exceptions, |number| {
            number.to_string()
        });
        counts(out, "events", &source.sums.events, |events| {
            format!("{events:#x}")
        });
    }
}

fn summary(out: &mut String, source: &SourceReport<'_>) {
    let sums = source.sums;
    // Writing to a string never fails.
    let _ = writeln!(
        out,
        "ID {:02x}: starts {}, losses {}, words lost {}",
        source.id, sums.starts, sums.losses, sums.lost_words
    );
    let _ = writeln!(
        out,
        "{} address packets, {} addresses, {} exceptions, {} events, {} cycles",
        total(&sums.targets),
        source.addresses.len(),
        total(&sums.exceptions),
        total(&sums.events),
        total(&sums.cycles)
    );
}

fn addresses(out: &mut String, report: &Report<'_>, source: &SourceReport<'_>, top: usize) {
    if source.addresses.is_empty() || top == 0 {
        return;
    }
    let all = total(&source.sums.targets);
    let _ = writeln!(
        out,
        "\n{:>12}  {:>6}  {:>12}  {:<18} is",
        "count", "share", "cycles", "address"
    );
    for address in source.addresses.iter().take(top) {
        let line = format!(
            "{:>12}  {:>5.1}%  {:>12}  {:#018x}  {}  {}",
            address.count,
            percent(address.count, all),
            address.cycles,
            address.address(),
            address.is(),
            report.place(address)
        );
        out.push_str(line.trim_end());
        out.push('\n');
    }
    let hidden = source.addresses.len().saturating_sub(top);
    if hidden > 0 {
        let _ = writeln!(out, "{hidden:>12}  more addresses");
    }
}

fn counts(out: &mut String, name: &str, counts: &Counts, show: impl Fn(u64) -> String) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{:>12}  {:>6}  {name}", "count", "share");
    for (&key, &count) in counts {
        let share = percent(count, total(counts));
        let _ = writeln!(out, "{count:>12}  {share:>5.1}%  {}", show(key));
    }
}
