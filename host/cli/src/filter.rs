// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which packets are listed.

use std::str::FromStr;

use clap::Args;
use coretrace_etm::{Kind, Record};
use coretrace_software_trace as software_trace;

/// Chooses packets. All are decoded; these options only leave lines out.
#[derive(Clone, Debug, Args)]
pub struct FilterArgs {
    /// List at most this many packets
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// List only packets of this kind, such as I_ATOM_F1; may be repeated
    #[arg(long, value_name = "KIND", value_parser = kind_name)]
    kind: Vec<&'static str>,

    /// List packets from this place on: an offset, or a timestamp as ts=NUMBER
    #[arg(long, value_name = "PLACE")]
    from: Option<Place>,

    /// List packets before this place: an offset, or a timestamp as ts=NUMBER
    #[arg(long, value_name = "PLACE")]
    to: Option<Place>,
}

/// A place in the trace of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Offset(u64),
    Timestamp(u64),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Place, String> {
        let number = |text: &str| {
            let parsed = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16),
                None => text.parse(),
            };
            parsed.map_err(|_| {
                "a place is an offset, such as 4096, or a timestamp, such as ts=0x1000".to_owned()
            })
        };
        match text.strip_prefix("ts=") {
            Some(rest) => number(rest).map(Place::Timestamp),
            None => number(text).map(Place::Offset),
        }
    }
}

impl Place {
    /// Whether a record at an offset is at this place or behind it. Without any timestamp before it, it is
    /// behind no timestamp.
    fn is_reached(self, at: u64, time: u64) -> bool {
        match self {
            Place::Offset(offset) => at >= offset,
            Place::Timestamp(timestamp) => time >= timestamp,
        }
    }
}

impl FilterArgs {
    /// Whether the record is chosen, after `listed` lines.
    pub fn takes(&self, record: &Record, listed: u64) -> bool {
        let name = || record.kind.listing_name();
        self.takes_at(name, record.offset, record.timestamp, listed)
    }

    /// As [`FilterArgs::takes`], of software trace.
    pub fn takes_software(&self, record: &software_trace::Record, listed: u64) -> bool {
        self.takes_at(|| record.name(), record.offset(), record.time(), listed)
    }

    fn takes_at(&self, name: impl Fn() -> &'static str, at: u64, time: u64, listed: u64) -> bool {
        !self.is_full(listed)
            && (self.kind.is_empty() || self.kind.contains(&name()))
            && self.from.is_none_or(|place| place.is_reached(at, time))
            && !self.to.is_some_and(|place| place.is_reached(at, time))
    }

    /// Whether no line may follow `listed` lines.
    pub fn is_full(&self, listed: u64) -> bool {
        self.limit.is_some_and(|limit| listed >= limit)
    }

    /// Whether the number of lines is limited, so that not all of the trace may be read.
    pub fn is_limited(&self) -> bool {
        self.limit.is_some()
    }

    /// Whether no record of its source may follow this one.
    pub fn is_behind(&self, offset: u64) -> bool {
        matches!(self.to, Some(Place::Offset(to)) if offset >= to)
    }
}

/// A name of a kind in listings, of any protocol.
fn kind_name(name: &str) -> Result<&'static str, String> {
    let mut known = software_trace::Record::names();
    known
        .find(|known| known.eq_ignore_ascii_case(name))
        .map_or_else(|| kind(name).map(Kind::listing_name), Ok)
}

/// A kind by its name in listings.
///
/// # Errors
/// If there is none.
pub fn kind(name: &str) -> Result<Kind, String> {
    let known = Kind::ALL
        .iter()
        .find(|kind| kind.listing_name().eq_ignore_ascii_case(name));
    known
        .copied()
        .ok_or_else(|| "kinds are named as in listings, such as I_ATOM_F1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(kind: Kind, offset: u64, timestamp: u64) -> Record {
        Record {
            offset,
            timestamp,
            ..Record::blank(kind)
        }
    }

    #[test]
    fn places_are_offsets_or_timestamps() {
        assert_eq!("4096".parse(), Ok(Place::Offset(4096)));
        assert_eq!("ts=0x10".parse(), Ok(Place::Timestamp(16)));
        for text in ["", "ts=", "x", "ts:5"] {
            assert!(text.parse::<Place>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_takes_its_first_packet_and_not_its_last() {
        let filter = FilterArgs {
            limit: Some(2),
            kind: vec!["I_ATOM_F1"],
            from: Some(Place::Offset(10)),
            to: Some(Place::Timestamp(7)),
        };
        assert!(filter.takes(&record(Kind::AtomF1, 10, 6), 1));
        assert!(!filter.takes(&record(Kind::AtomF1, 10, 6), 2));
        assert!(!filter.takes(&record(Kind::AtomF2, 10, 6), 0));
        assert!(!filter.takes(&record(Kind::AtomF1, 9, 6), 0));
        assert!(!filter.takes(&record(Kind::AtomF1, 10, 7), 0));
        assert!(!filter.is_behind(10));
    }
}
