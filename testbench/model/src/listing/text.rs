// SPDX-License-Identifier: MIT OR Apache-2.0
//! Columns for people.

use etm4_protocol::Kind;

use super::{Detail, Line, fields, write};

/// Width of the offset: it stays aligned in captures of up to 10 GB.
const OFFSET_WIDTH: usize = 10;
/// Width of the name: that of the longest, I_ADDR_CTXT_L_32IS0.
const NAME_WIDTH: usize = 19;

/// Appends offset, trace ID, OpenCSD's name, every field as `key=value`, the bytes in brackets,
/// and a line end. Of unread bytes only the length is given.
pub fn text(out: &mut String, line: &Line<'_>) {
    let record = line.record;
    write::column(out, record.offset, OFFSET_WIDTH);
    out.push_str("  ");
    write::hex(out, u64::from(line.id), 2);
    out.push_str("  ");
    let name = record.kind.listing_name();
    out.push_str(name);
    for _ in name.len()..NAME_WIDTH {
        out.push(' ');
    }
    fields(record, line.config, Detail::Full, |key, value| {
        out.push(' ');
        out.push_str(key);
        out.push('=');
        write::value(out, value, 16);
    });
    if record.kind == Kind::NotSync {
        out.push_str(" len=");
        write::decimal(out, record.len);
    } else {
        out.push_str(" [");
        write::bytes(out, line.raw);
        out.push(']');
    }
    out.push('\n');
}
