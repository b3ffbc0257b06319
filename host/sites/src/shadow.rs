// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shadow copies: a table that is loaded while a core follows the program of another one, the *active* table.
//!
//! It has sites and frames that the active table leaves free. No page leads to them, so their words can be written at
//! any time. Pages and buckets are those of both tables: they are swapped in a gap, and they are few.

use std::ops::Range;

use coretrace_abi::flow_table::{FRAME_ROWS, RowWord, TableKind};

use crate::table::FlowTable;

/// What a table has in use, each from the first one to the last one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// Sites, with the one behind the last stretch of code.
    pub sites: Range<usize>,
    /// Frames.
    pub frames: Range<usize>,
}

impl Used {
    /// The larger part of what a table of the same size has besides.
    pub(crate) fn free(&self, sites: usize, frames: usize) -> Used {
        // Of sites, none is nowhere, and the last one of a shadow copy may be the one behind its code.
        let below = 1..self.sites.start.saturating_sub(1).max(1);
        Used {
            sites: longer(below, self.sites.end..sites),
            frames: longer(0..self.frames.start, self.frames.end..frames),
        }
    }
}

fn longer(one: Range<usize>, other: Range<usize>) -> Range<usize> {
    if one.len() > other.len() { one } else { other }
}

impl FlowTable {
    /// What is in use.
    pub fn used(&self) -> Used {
        let widths = self.widths();
        let rows = self.rows().iter().enumerate();
        let rows = rows.filter(|(_, word)| **word != 0).map(|(place, word)| {
            let row = RowWord::unpack(*word, widths);
            let end = row.base as usize + row.bitmap.count_ones() as usize + 1;
            Used {
                sites: row.base as usize..end.min(widths.sites()),
                frames: place / FRAME_ROWS..place / FRAME_ROWS + 1,
            }
        });
        let both = |one: Range<usize>, other: Range<usize>| {
            one.start.min(other.start)..one.end.max(other.end)
        };
        let used = rows.reduce(|all, row| Used {
            sites: both(all.sites, row.sites),
            frames: both(all.frames, row.frames),
        });
        used.unwrap_or(Used {
            sites: 1..1,
            frames: 0..0,
        })
    }

    /// The words of a shadow copy that a core takes while it follows a program: rows, exits and runs.
    pub fn shadow_words(&self) -> impl Iterator<Item = (TableKind, u32, u64)> {
        let used = self.used();
        self.words().filter(move |(kind, index, _)| match kind {
            TableKind::Rows => used.frames.contains(&(*index as usize / FRAME_ROWS)),
            TableKind::Exits | TableKind::Runs => used.sites.contains(&(*index as usize)),
            _ => false,
        })
    }

    /// The words that make the shadow copy of an active table the active one: pages and buckets that differ.
    pub fn swap_words(&self, active: &FlowTable) -> impl Iterator<Item = (TableKind, u32, u64)> {
        let is_page = |kind| matches!(kind, TableKind::Pages | TableKind::Buckets);
        let words = self.words().zip(active.words());
        words
            .filter(move |(new, old)| is_page(new.0) && new != old)
            .map(|(new, _)| new)
    }
}
