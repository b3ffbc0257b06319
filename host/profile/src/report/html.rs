// SPDX-License-Identifier: MIT OR Apache-2.0
//! One self-contained page for a browser, without scripts.

use std::fmt::Write;

use html_escape::encode_quoted_attribute as escaped;

use crate::{Bucket, Counts};

use super::svg;
use super::{Report, SourceReport, Timed, axis_name, percent, total};

const HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Trace profile</title>
<style>
:root { color-scheme: light dark; }
body { font: 15px/1.4 sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; }
th, td { padding: 0.1rem 0.8rem; text-align: right; }
th { border-bottom: 1px solid; }
td.name, th.name { text-align: left; font-family: monospace; overflow-wrap: anywhere; }
svg { width: 100%; height: 8rem; background: #8882; }
rect { fill: #37c; }
rect.loss { fill: #d33; }
</style>
</head>
<body>
<h1>Trace profile</h1>
"#;

/// The counts to draw over time, each if it is not 0 everywhere.
type Series = (&'static str, fn(&Bucket) -> u64);

const SERIES: [Series; 4] = [
    ("Address packets", |bucket| bucket.targets),
    ("Cycles", |bucket| bucket.cycles),
    ("Exceptions", |bucket| bucket.exceptions),
    ("Events", |bucket| bucket.events),
];

/// Appends the page, with the `top` hottest addresses of every source.
pub fn write(out: &mut String, report: &Report<'_>, top: usize) {
    out.push_str(HEAD);
    sources(out, report);
    for file in &report.files {
        over_time(out, file);
    }
    for source in &report.sources {
        // Writing to a string never fails.
        let _ = writeln!(out, "<h2>ID {:02x}</h2>", source.id);
        addresses(out, report, source, top);
        let sums = source.sums;
        counts(out, "Exception", &sums.exceptions, |number| {
            number.to_string()
        });
        counts(out, "Events", &sums.events, |events| format!("{events:#x}"));
    }
    out.push_str("</body>\n</html>\n");
}

fn sources(out: &mut String, report: &Report<'_>) {
    let titles = [
        "ID",
        "starts",
        "losses",
        "words lost",
        "address packets",
        "addresses",
        "exceptions",
        "events",
        "cycles",
    ];
    table(out, &titles, None);
    for source in &report.sources {
        let sums = source.sums;
        let _ = write!(out, "<tr><td>{:02x}</td>", source.id);
        for number in [
            sums.starts,
            sums.losses,
            sums.lost_words,
            total(&sums.targets),
            source.addresses.len() as u64,
            total(&sums.exceptions),
            total(&sums.events),
            total(&sums.cycles),
        ] {
            let _ = write!(out, "<td>{number}</td>");
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

fn over_time(out: &mut String, file: &Timed) {
    let timeline = &file.timeline;
    let _ = writeln!(out, "<h2>{}</h2>", escaped(&file.name));
    for (label, count) in SERIES {
        if timeline.buckets.iter().all(|bucket| count(bucket) == 0) {
            continue;
        }
        let _ = writeln!(
            out,
            "<h3>{label} by {}, {} a bar</h3>",
            axis_name(timeline.axis),
            timeline.width
        );
        svg::write(out, timeline, label, count);
    }
}

fn addresses(out: &mut String, report: &Report<'_>, source: &SourceReport<'_>, top: usize) {
    if source.addresses.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "<h3>{} hottest of {} addresses</h3>",
        top.min(source.addresses.len()),
        source.addresses.len()
    );
    table(
        out,
        &["count", "share", "cycles", "address", "is"],
        Some("place"),
    );
    let all = total(&source.sums.targets);
    for address in source.addresses.iter().take(top) {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{:.1}%</td><td>{}</td><td>{:#x}</td><td>{}</td>\
             <td class=\"name\">{}</td></tr>",
            address.count,
            percent(address.count, all),
            address.cycles,
            address.address(),
            address.is(),
            escaped(&report.place(address).to_string())
        );
    }
    out.push_str("</table>\n");
}

fn counts(out: &mut String, name: &str, counts: &Counts, show: impl Fn(u64) -> String) {
    if counts.is_empty() {
        return;
    }
    let _ = writeln!(out, "<h3>{name}</h3>");
    table(out, &[name, "count", "share"], None);
    for (&key, &count) in counts {
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td>{count}</td><td>{:.1}%</td></tr>",
            show(key),
            percent(count, total(counts))
        );
    }
    out.push_str("</table>\n");
}

/// The beginning of a table; `name` is the title of a last column of text.
fn table(out: &mut String, titles: &[&str], name: Option<&str>) {
    out.push_str("<table>\n<tr>");
    for title in titles {
        let _ = write!(out, "<th>{title}</th>");
    }
    if let Some(name) = name {
        let _ = write!(out, "<th class=\"name\">{name}</th>");
    }
    out.push_str("</tr>\n");
}
