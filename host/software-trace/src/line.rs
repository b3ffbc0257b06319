// SPDX-License-Identifier: MIT OR Apache-2.0
//! Records as text: a table that compares with OpenCSD's packet lister, columns for people, JSON for
//! programs. Text is appended to a `String` that the caller clears and reuses.

use std::fmt::Write;

use crate::Record;
use crate::fields::{Value, fields, more_fields};

/// The value of `schema` in every JSON object.
pub const SCHEMA: &str = "etm4.software-packet.1";

/// The most nibbles or bytes of a record that are printed: only a sync without an end has more.
const MOST_RAW: usize = 1 << 12;

/// The data of a line.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Trace ID; 0 in a raw stream.
    pub id: u8,
    /// The record.
    pub record: &'a Record,
}

/// Appends the tab-separated columns offset, trace ID and name, place and length (`noff` and `nlen` in
/// nibbles of an STM, `off` and `len` in bytes of an ITM), the fields that OpenCSD prints, and the nibbles
/// (`n`) or bytes (`raw`) unless they were not read.
pub fn tsv(out: &mut String, line: &Line<'_>) {
    let Line { id, record } = *line;
    let _ = write!(out, "{}\t{id:02x}\t{}", record.offset(), record.name());
    let mut put = |key: &str, value: Value| {
        let _ = write!(out, "\t{key}={value}");
    };
    place(record, &mut put);
    fields(record, &mut put);
    raw(out, "\t", "", record);
    out.push('\n');
}

/// Appends offset, trace ID, name, every field, and the nibbles or bytes.
pub fn text(out: &mut String, line: &Line<'_>) {
    let Line { id, record } = *line;
    let _ = write!(
        out,
        "{:>10}  {id:02x}  {:<19}",
        record.offset(),
        record.name()
    );
    let mut put = |key: &str, value: Value| {
        let _ = write!(out, " {key}={value}");
    };
    match record.is_unread() {
        true => place(record, &mut put),
        false => all_fields(record, &mut put),
    }
    raw(out, " ", "", record);
    out.push('\n');
}

/// Appends one object and a line end: `schema`, `id`, `type`, place and length, every field, and `n` or
/// `raw`. Bit patterns are strings, `"0x1f"`.
pub fn json(out: &mut String, line: &Line<'_>) {
    let Line { id, record } = *line;
    let name = record.name();
    let _ = write!(
        out,
        "{{\"schema\":\"{SCHEMA}\",\"id\":{id},\"type\":\"{name}\""
    );
    let mut put = |key: &str, value: Value| json_field(out, key, value);
    place(record, &mut put);
    all_fields(record, &mut put);
    raw(out, ",", "\"", record);
    out.push_str("}\n");
}

/// Appends a comma, a key and a value.
pub fn json_field(out: &mut String, key: &str, value: Value) {
    let _ = match value {
        Value::Number(number) => write!(out, ",\"{key}\":{number}"),
        value => write!(out, ",\"{key}\":\"{value}\""),
    };
}

/// Those of OpenCSD, then the others.
pub fn all_fields(record: &Record, mut put: impl FnMut(&'static str, Value)) {
    fields(record, &mut put);
    more_fields(record, put);
}

fn place(record: &Record, put: &mut impl FnMut(&'static str, Value)) {
    let (offset, keys) = match record {
        Record::Stm(record) => (record.offset, ["noff", "nlen"]),
        Record::Itm(record) => (record.offset, ["off", "len"]),
    };
    put(keys[0], Value::Number(offset));
    put(keys[1], Value::Number(record.len()));
}

/// The nibbles or bytes behind a separator, with their key and value in quotes.
fn raw(out: &mut String, separator: &str, quote: &str, record: &Record) {
    if record.is_unread() {
        return;
    }
    let key = match record {
        Record::Stm(_) => "n",
        Record::Itm(_) => "raw",
    };
    let equals = if quote.is_empty() { "=" } else { ":" };
    let _ = write!(out, "{separator}{quote}{key}{quote}{equals}{quote}");
    match record {
        Record::Stm(record) => record.raw.iter().take(MOST_RAW).for_each(|nibble| {
            let _ = write!(out, "{nibble:x}");
        }),
        Record::Itm(record) => record.raw().take(MOST_RAW).for_each(|byte| {
            let _ = write!(out, "{byte:02x}");
        }),
    }
    out.push_str(quote);
}
