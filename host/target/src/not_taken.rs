// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session wrote that a trace unit did not take, although it works.
//!
//! Source: Arm IHI 0064, TRCSYNCPR and TRCIDR3.SYNCPR.

use std::fmt;

use crate::journal::{Entry, Journal};
use crate::plan::{Action, Role};

/// A register with another value than was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotTaken {
    /// Component and register.
    pub place: String,
    /// What was written.
    pub written: u32,
    /// What it has.
    pub seen: u32,
}

impl fmt::Display for NotTaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotTaken {
            place,
            written,
            seen,
        } = self;
        write!(
            f,
            "{place} is {seen:#X} and not {written:#X}: the trace unit has a fixed period of syncs (TRCIDR3.SYNCPR)"
        )
    }
}

/// What the trace units of a session did not take.
pub fn not_taken(journal: &Journal) -> Vec<NotTaken> {
    let entries = &journal.entries;
    let of_entry = |(number, entry): (usize, &Entry)| {
        let seen = entry.seen.filter(|_| entry.step.role == Role::Taken)?;
        let before = entries[..number].iter().rev();
        let mut writes = before.filter(|of| of.step.address == entry.step.address);
        let written = writes.find_map(|of| match of.step.action {
            Action::Write { value, .. } => Some(value),
            _ => None,
        })?;
        let place = entry.step.place.clone();
        (seen != written).then_some(NotTaken {
            place,
            written,
            seen,
        })
    };
    entries.iter().enumerate().filter_map(of_entry).collect()
}
