// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of merged lists.

use std::fmt::Write;

use coretrace_capture::Order;

use crate::listing_format::ListingFormat;

/// How the lines of a merged list begin and end.
pub struct MergedLine {
    pub format: ListingFormat,
    /// The value of `schema` in every JSON object, and the key of what a source reports.
    pub schema: &'static str,
    pub key: &'static str,
}

impl MergedLine {
    /// Appends a line that `put` appends, with its place and what gave it that.
    pub fn put(&self, text: &mut String, place: u64, order: Order, put: impl FnOnce(&mut String)) {
        let order = match order {
            Order::Place => "place",
            Order::Time => "time",
        };
        let MergedLine { schema, key, .. } = self;
        let _ = match self.format {
            ListingFormat::Text => write!(text, "{place:>10} {order:<5} "),
            ListingFormat::Tsv => write!(text, "{place}\t{order}\t"),
            ListingFormat::Json => write!(
                text,
                "{{\"schema\":\"{schema}\",\"place\":{place},\"order\":\"{order}\",\"{key}\":"
            ),
        };
        put(text);
        if self.format == ListingFormat::Json {
            text.truncate(text.trim_end().len());
            text.push_str("}\n");
        }
    }
}
