// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts of what was compared.

use std::fmt;
use std::ops::AddAssign;

use coretrace_etm::{Kind, Protocol};

use crate::Case;
use crate::campaign::Tally;
use crate::case::Stream;
use crate::faults::{FAULTS, Hits};

/// Counts of what was compared and equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Streams.
    pub cases: u64,
    /// Illegal streams among them.
    pub illegal_cases: u64,
    /// Those of an ETE.
    pub ete_cases: u64,
    /// Bytes.
    pub bytes: u64,
    /// Packets, including errors and unread bytes.
    pub packets: u64,
    /// Those of an ETE.
    pub ete_packets: u64,
    /// Errors.
    pub errors: u64,
    /// Rows that each known fault has changed, in legal streams.
    pub legal_hits: Hits,
    /// The same in the others.
    pub illegal_hits: Hits,
}

impl Tally for Totals {
    fn amount(&self) -> u64 {
        self.packets
    }
}

impl Totals {
    /// Those of one case that had packets of these kinds.
    pub fn of(case: &Case, kinds: impl Iterator<Item = Kind>) -> Totals {
        let is_ete = case.set.protocol == Protocol::Ete;
        let mut totals = Totals {
            cases: 1,
            illegal_cases: u64::from(case.stream != Stream::Legal),
            ete_cases: u64::from(is_ete),
            bytes: case.bytes.len() as u64,
            ..Totals::default()
        };
        for kind in kinds {
            totals.packets += 1;
            totals.errors += u64::from(kind.is_error());
        }
        if is_ete {
            totals.ete_packets = totals.packets;
        }
        totals
    }

    /// The same with hits of known faults.
    pub fn with_hits(mut self, hits: Hits) -> Totals {
        if self.illegal_cases == 0 {
            self.legal_hits = hits;
        } else {
            self.illegal_hits = hits;
        }
        self
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.cases += other.cases;
        self.illegal_cases += other.illegal_cases;
        self.ete_cases += other.ete_cases;
        self.bytes += other.bytes;
        self.packets += other.packets;
        self.ete_packets += other.ete_packets;
        self.errors += other.errors;
        for fault in 0..FAULTS.len() {
            self.legal_hits[fault] += other.legal_hits[fault];
            self.illegal_hits[fault] += other.illegal_hits[fault];
        }
    }
}

impl fmt::Display for Totals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} packets equal: {} errors among them, {} packets of an ETE",
            self.packets, self.errors, self.ete_packets
        )?;
        writeln!(
            f,
            "{} streams of {} bytes: {} that no trace unit may write, {} of an ETE",
            self.cases, self.bytes, self.illegal_cases, self.ete_cases
        )
    }
}
