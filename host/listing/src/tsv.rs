// SPDX-License-Identifier: MIT OR Apache-2.0
//! One line per packet, comparable with OpenCSD's list.

use coretrace_etm::Kind;

use super::{Detail, Item, Line, What, write};

/// Appends the tab-separated columns offset, trace ID, name, `off=`, `len=`, the fields that
/// OpenCSD 1.3.3 prints, `raw=`, and a line end. Unread bytes have no `raw`. Numbers are decimal,
/// bit patterns and addresses hexadecimal without padding.
pub fn tsv(out: &mut String, line: &Line<'_>) {
    let record = line.record;
    let what = What::from(line);
    head(out, record.offset, line.id, what);
    out.push_str("\toff=");
    write::decimal(out, record.offset);
    out.push_str("\tlen=");
    write::decimal(out, record.len);
    tail(out, what);
    if record.kind != Kind::NotSync {
        out.push_str("\traw=");
        write::bytes(out, line.raw);
    }
    out.push('\n');
}

/// As [`tsv`], with the number of the item in place of the offset, and without `off=`, `len=` and
/// `raw=`.
pub fn item_tsv(out: &mut String, item: &Item<'_>) {
    head(out, item.number, item.id, item.what);
    tail(out, item.what);
    out.push('\n');
}

fn head(out: &mut String, place: u64, id: u8, what: What<'_>) {
    write::decimal(out, place);
    out.push('\t');
    write::hex(out, u64::from(id), 2);
    out.push('\t');
    out.push_str(what.name());
}

fn tail(out: &mut String, what: What<'_>) {
    what.fields(Detail::OpenCsd, |key, value| {
        out.push('\t');
        out.push_str(key);
        out.push('=');
        write::value(out, value, 1);
    });
}
