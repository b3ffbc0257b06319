// SPDX-License-Identifier: MIT OR Apache-2.0
//! The whole report for programs: rows of named fields, as TSV or JSON.

use std::fmt::Write;

use serde_json::Value;

use super::{HotAddress, Report, SourceReport, Timed, axis_name, total};

/// The value of `schema` in every object. The number changes when a key changes its meaning.
const SCHEMA: &str = "etm4.profile.1";

/// The value of a field.
enum Field {
    Number(u64),
    Bits(u64),
    /// Any text, possibly from a hostile file.
    Text(String),
}

use Field::{Bits, Number, Text};

/// The row's type, its trace ID if it belongs to one source, and its fields.
struct Row {
    name: &'static str,
    id: Option<u8>,
    fields: Vec<(&'static str, Field)>,
}

/// Appends a line for each row: name, trace ID or `-`, and fields as `key=value`, with tabs between
/// them. Unprintable characters of names are escaped as in Rust.
pub fn write_tsv(out: &mut String, report: &Report<'_>) {
    // Writing to a string never fails.
    rows(report, |row| {
        out.push_str(row.name);
        let _ = match row.id {
            Some(id) => write!(out, "\t{id:02x}"),
            None => write!(out, "\t-"),
        };
        for (key, value) in &row.fields {
            let _ = write!(out, "\t{key}=");
            let _ = match value {
                Number(number) => write!(out, "{number}"),
                Bits(bits) => write!(out, "{bits:#x}"),
                Text(text) => write!(out, "{}", text.escape_debug()),
            };
        }
        out.push('\n');
    });
}

/// Appends an object for each row: `schema`, `type`, `id` if there is one, and the fields.
pub fn write_json(out: &mut String, report: &Report<'_>) {
    rows(report, |row| {
        let _ = write!(out, "{{\"schema\":\"{SCHEMA}\",\"type\":\"{}\"", row.name);
        if let Some(id) = row.id {
            let _ = write!(out, ",\"id\":{id}");
        }
        for (key, value) in row.fields {
            let _ = write!(out, ",\"{key}\":");
            let _ = match value {
                Number(number) => write!(out, "{number}"),
                Bits(bits) => write!(out, "\"{bits:#x}\""),
                Text(text) => write!(out, "{}", Value::from(text)),
            };
        }
        out.push_str("}\n");
    });
}

fn rows(report: &Report<'_>, mut sink: impl FnMut(Row)) {
    for (number, file) in report.files.iter().enumerate() {
        over_time(number as u64, file, &mut sink);
    }
    for source in &report.sources {
        sums(source, &mut sink);
        for address in &source.addresses {
            sink(address_row(report, source.id, address));
        }
    }
}

fn over_time(number: u64, file: &Timed, sink: &mut impl FnMut(Row)) {
    let timeline = &file.timeline;
    sink(Row {
        name: "file",
        id: None,
        fields: vec![
            ("number", Number(number)),
            ("name", Text(file.name.clone())),
            ("axis", Text(axis_name(timeline.axis).to_owned())),
            ("width", Number(timeline.width)),
        ],
    });
    for (index, bucket) in timeline.buckets.iter().enumerate() {
        let since = timeline.width.saturating_mul(index as u64);
        sink(Row {
            name: "time",
            id: None,
            fields: vec![
                ("number", Number(number)),
                ("from", Number(timeline.origin.saturating_add(since))),
                ("targets", Number(bucket.targets)),
                ("exceptions", Number(bucket.exceptions)),
                ("events", Number(bucket.events)),
                ("cycles", Number(bucket.cycles)),
                ("losses", Number(bucket.losses)),
            ],
        });
    }
}

fn sums(source: &SourceReport<'_>, sink: &mut impl FnMut(Row)) {
    let sums = source.sums;
    let id = Some(source.id);
    sink(Row {
        name: "source",
        id,
        fields: vec![
            ("starts", Number(sums.starts)),
            ("losses", Number(sums.losses)),
            ("lost_words", Number(sums.lost_words)),
            ("targets", Number(total(&sums.targets))),
            ("exceptions", Number(total(&sums.exceptions))),
            ("events", Number(total(&sums.events))),
            ("cycles", Number(total(&sums.cycles))),
        ],
    });
    for (&number, &count) in &sums.exceptions {
        sink(Row {
            name: "exception",
            id,
            fields: vec![("number", Number(number)), ("count", Number(count))],
        });
    }
    for (&events, &count) in &sums.events {
        sink(Row {
            name: "event",
            id,
            fields: vec![("events", Bits(events)), ("count", Number(count))],
        });
    }
}

fn address_row(report: &Report<'_>, id: u8, address: &HotAddress) -> Row {
    let mut fields = vec![
        ("addr", Bits(address.address())),
        ("is", Number(address.is())),
        ("count", Number(address.count)),
        ("cycles", Number(address.cycles)),
    ];
    let place = report.place(address);
    if let Some((name, offset)) = place.symbol {
        fields.extend([("symbol", Text(name)), ("offset", Bits(offset))]);
    }
    fields.extend(place.file.map(|file| ("file", Text(file))));
    fields.extend(place.line.map(|line| ("line", Number(line.into()))));
    Row {
        name: "address",
        id: Some(id),
        fields,
    }
}
