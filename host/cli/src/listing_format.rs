// SPDX-License-Identifier: MIT OR Apache-2.0
//! The formats of listings.

use clap::ValueEnum;
use coretrace_listing::{Item, Line, PacketLines};
use coretrace_software_trace as software_trace;

/// Output format of packets and records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ListingFormat {
    /// Columns for people, with every field
    #[default]
    Text,
    /// Tab-separated, with the fields that OpenCSD prints
    Tsv,
    /// One JSON object a line, with every field
    Json,
}

impl ListingFormat {
    /// Lines of the packets of a source.
    pub fn lines(self) -> PacketLines {
        match self {
            ListingFormat::Text => PacketLines::text(),
            ListingFormat::Tsv => PacketLines::tsv(),
            ListingFormat::Json => PacketLines::json(),
        }
    }

    /// Appends a packet with its place.
    pub fn write(self, out: &mut String, line: &Line<'_>) {
        match self {
            ListingFormat::Text => coretrace_listing::text(out, line),
            ListingFormat::Tsv => coretrace_listing::tsv(out, line),
            ListingFormat::Json => coretrace_listing::json(out, line),
        }
    }

    /// Appends a packet of software trace.
    pub fn write_software(self, out: &mut String, line: &software_trace::Line<'_>) {
        match self {
            ListingFormat::Text => software_trace::text(out, line),
            ListingFormat::Tsv => software_trace::tsv(out, line),
            ListingFormat::Json => software_trace::json(out, line),
        }
    }

    /// Appends an item of a record stream.
    pub fn write_item(self, out: &mut String, item: &Item<'_>) {
        match self {
            ListingFormat::Text => coretrace_listing::item_text(out, item),
            ListingFormat::Tsv => coretrace_listing::item_tsv(out, item),
            ListingFormat::Json => coretrace_listing::item_json(out, item),
        }
    }
}
