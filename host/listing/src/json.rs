// SPDX-License-Identifier: MIT OR Apache-2.0
//! JSON lines for programs.
//!
//! Keys and words have no characters that JSON must escape, so no serialiser is needed.

use coretrace_etm::Kind;

use super::{Detail, Item, Line, Value, What, write};

/// The value of `schema` in every object. The number changes when a key changes its meaning.
pub const SCHEMA: &str = "etm4.packet.1";

/// The value of `schema` in every object of a stream of records.
pub const ITEM_SCHEMA: &str = "etm4.record.1";

/// Appends one object and a line end: `schema`, `id`, `type`, `off`, `len`, every field, and
/// `raw` unless the bytes were not read. Bit patterns and addresses are strings, `"0x1f"`, because
/// readers of JSON round numbers above 2^53.
pub fn json(out: &mut String, line: &Line<'_>) {
    let record = line.record;
    let what = What::from(line);
    head(out, SCHEMA, line.id, what.name());
    out.push_str(",\"off\":");
    write::decimal(out, record.offset);
    out.push_str(",\"len\":");
    write::decimal(out, record.len);
    tail(out, what);
    if record.kind != Kind::NotSync {
        out.push_str(",\"raw\":\"");
        write::bytes(out, line.raw);
        out.push('"');
    }
    out.push_str("}\n");
}

/// As [`json`], with the number of the item as `item` in place of `off`, and without `len` and
/// `raw`.
pub fn item_json(out: &mut String, item: &Item<'_>) {
    head(out, ITEM_SCHEMA, item.id, item.what.name());
    out.push_str(",\"item\":");
    write::decimal(out, item.number);
    tail(out, item.what);
    out.push_str("}\n");
}

pub(super) fn head(out: &mut String, schema: &str, id: u8, name: &str) {
    out.push_str("{\"schema\":\"");
    out.push_str(schema);
    out.push_str("\",\"id\":");
    write::decimal(out, u64::from(id));
    out.push_str(",\"type\":\"");
    out.push_str(name);
    out.push('"');
}

fn tail(out: &mut String, what: What<'_>) {
    what.fields(Detail::Full, |key, value| field(out, key, value));
}

pub(super) fn field(out: &mut String, key: &str, value: Value) {
    out.push_str(",\"");
    out.push_str(key);
    out.push_str("\":");
    put(out, value);
}

fn put(out: &mut String, value: Value) {
    match value {
        Value::Number(number) => write::decimal(out, u64::from(number)),
        Value::Flag(flag) => out.push_str(if flag { "true" } else { "false" }),
        value => {
            out.push('"');
            write::value(out, value, 1);
            out.push('"');
        }
    }
}
