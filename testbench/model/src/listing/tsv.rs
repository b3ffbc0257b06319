// SPDX-License-Identifier: MIT OR Apache-2.0
//! A line for each packet that compares with OpenCSD's list.

use etm4_protocol::Kind;

use super::{Detail, Line, fields, write};

/// Appends the tab-separated columns offset, trace ID, name, `off=`, `len=`, the fields that
/// OpenCSD 1.3.3 prints, `raw=`, and a line end. Unread bytes have no `raw`. Numbers are decimal,
/// bit patterns and addresses hexadecimal without padding.
pub fn tsv(out: &mut String, line: &Line<'_>) {
    let record = line.record;
    write::decimal(out, record.offset);
    out.push('\t');
    write::hex(out, u64::from(line.id), 2);
    out.push('\t');
    out.push_str(record.kind.listing_name());
    out.push_str("\toff=");
    write::decimal(out, record.offset);
    out.push_str("\tlen=");
    write::decimal(out, record.len);
    fields(record, line.config, Detail::OpenCsd, |key, value| {
        out.push('\t');
        out.push_str(key);
        out.push('=');
        write::value(out, value, 1);
    });
    if record.kind != Kind::NotSync {
        out.push_str("\traw=");
        write::bytes(out, line.raw);
    }
    out.push('\n');
}
