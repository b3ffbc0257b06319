// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ranges of instructions by the functions and lines that they are in.

use coretrace_program::{FileSymbols, Linked, Symbols};

use crate::counts::Sums;

/// A part of a range that is in one function of one file, or in none.
#[derive(Clone, Copy)]
pub struct Piece<'s, 'a> {
    /// The address in memory.
    pub start: u64,
    /// Bytes.
    pub len: u64,
    /// The file and its address, if there is one.
    pub place: Option<(&'s FileSymbols<'a>, Linked)>,
}

/// The parts of a range by function, one behind the other. At most one for each byte.
pub fn pieces<'s, 'a>(symbols: &'s Symbols<'a>, start: u64, end: u64) -> Vec<Piece<'s, 'a>> {
    let mut pieces = Vec::new();
    let mut at = start;
    while at < end {
        let found = symbols.link(at);
        let found = found.and_then(|linked| Some((symbols.files().get(linked.file)?, linked)));
        let Some((file, linked)) = found else {
            // Nothing is between files but other files.
            pieces.push(Piece {
                start: at,
                len: end - at,
                place: None,
            });
            break;
        };
        let function = file.function_at(linked.address);
        let until = match function {
            Some((_, until)) => Some(until),
            None => file.next_function(linked.address),
        };
        let len = until.map_or(u64::MAX, |until| until - linked.address);
        let len = len.min(linked.rest).min(end - at).max(1);
        pieces.push(Piece {
            start: at,
            len,
            place: Some((file, linked)),
        });
        at += len;
    }
    pieces
}

/// Shares sums between parts in proportion to their bytes. The shares add up to the sums. Instructions
/// of four bytes have exact shares; in T32 those of parts are estimates.
pub struct Shares {
    sums: Sums,
    bytes: u64,
    /// Bytes, and sums, of the parts so far.
    before: u64,
    given: Sums,
}

impl Shares {
    /// Nothing is given yet of the sums of a range of so many bytes.
    pub fn new(sums: &Sums, bytes: u64) -> Shares {
        Shares {
            sums: *sums,
            bytes,
            before: 0,
            given: Sums::default(),
        }
    }

    /// The share of the next bytes. Every part has all visits.
    pub fn next(&mut self, bytes: u64) -> Sums {
        self.before = self.before.saturating_add(bytes).min(self.bytes);
        let until = |all: u64| {
            let share = u128::from(all) * u128::from(self.before);
            share.checked_div(self.bytes.into()).unwrap_or_default() as u64
        };
        let given = Sums {
            visits: 0,
            instructions: until(self.sums.instructions),
            cycles: until(self.sums.cycles),
            ticks: until(self.sums.ticks),
        };
        let share = Sums {
            visits: self.sums.visits,
            instructions: given.instructions - self.given.instructions,
            cycles: given.cycles - self.given.cycles,
            ticks: given.ticks - self.given.ticks,
        };
        self.given = given;
        share
    }
}
