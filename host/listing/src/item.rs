// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lines of a record stream: records without place and bytes, and other events.

use coretrace_etm::{Config, Record};

use super::{Detail, Line, Value, fields};

/// A line of a stream of records.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    /// Trace ID of the source; 0 before any source is named.
    pub id: u8,
    /// Number of the item in the stream, from 0.
    pub number: u64,
    /// The content of the line.
    pub what: What<'a>,
}

/// What a line names, and its fields.
#[derive(Clone, Copy, Debug)]
pub enum What<'a> {
    /// A record, and the configuration under which it was decoded.
    Record(&'a Record, &'a Config),
    /// Anything else, by name, with all its fields.
    Event(&'static str, &'a [(&'static str, Value)]),
}

impl<'a> From<&Line<'a>> for What<'a> {
    fn from(line: &Line<'a>) -> What<'a> {
        What::Record(line.record, line.config)
    }
}

impl What<'_> {
    /// The name.
    pub(super) fn name(self) -> &'static str {
        match self {
            What::Record(record, _) => record.kind.listing_name(),
            What::Event(name, _) => name,
        }
    }

    /// Passes the fields to `sink`, in order.
    #[inline]
    pub(super) fn fields(self, detail: Detail, mut sink: impl FnMut(&'static str, Value)) {
        match self {
            What::Record(record, config) => fields(record, config, detail, sink),
            What::Event(_, fields) => fields.iter().for_each(|&(key, value)| sink(key, value)),
        }
    }
}
