// SPDX-License-Identifier: MIT OR Apache-2.0
//! Columns for people.

use coretrace_etm::Kind;

use super::{Detail, Item, Line, What, write};

/// Width of the offset: it stays aligned in captures of up to 10 GB.
pub(super) const OFFSET_WIDTH: usize = 10;
/// Width of the name: that of the longest, I_ADDR_CTXT_L_32IS0.
const NAME_WIDTH: usize = 19;
/// Digits of an address, at least.
pub(super) const ADDRESS_DIGITS: usize = 16;

/// Appends offset, trace ID, OpenCSD's name, every field as `key=value`, the bytes in brackets,
/// and a line end. Of unread bytes only the length is given.
pub fn text(out: &mut String, line: &Line<'_>) {
    let record = line.record;
    columns(out, record.offset, line.id, line.into());
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

/// As [`text`], with the number of the item in place of the offset, and without bytes.
pub fn item_text(out: &mut String, item: &Item<'_>) {
    columns(out, item.number, item.id, item.what);
    out.truncate(out.trim_end_matches(' ').len());
    out.push('\n');
}

fn columns(out: &mut String, place: u64, id: u8, what: What<'_>) {
    write::column(out, place, OFFSET_WIDTH);
    out.push_str("  ");
    write::hex(out, u64::from(id), 2);
    out.push_str("  ");
    let name = what.name();
    out.push_str(name);
    write::spaces(out, NAME_WIDTH.saturating_sub(name.len()));
    what.fields(Detail::Full, |key, value| {
        out.push(' ');
        out.push_str(key);
        out.push('=');
        write::value(out, value, ADDRESS_DIGITS);
    });
}
