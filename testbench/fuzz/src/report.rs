// SPDX-License-Identifier: MIT OR Apache-2.0
//! Prints differences and known faults.

use std::fmt::{Display, Write};

use crate::faults::FAULTS;
use crate::{Row, Totals};

/// Rows shown before a difference.
const BEFORE: usize = 8;
/// Rows shown from a difference on.
const BEHIND: usize = 3;

/// The number of hits of each known fault.
pub fn faults(totals: &Totals) -> String {
    let mut text = String::from(
        "known faults of OpenCSD, with the rows that they changed in legal and in other streams:\n",
    );
    let hits = totals.legal_hits.iter().zip(totals.illegal_hits);
    for (fault, (legal, illegal)) in FAULTS.iter().zip(hits) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{legal:>9} {illegal:>9}  {}", fault.about);
    }
    text
}

/// Both lists around the first difference, which is marked.
pub fn difference(names: [&str; 2], lists: [&[Row]; 2]) -> String {
    let at = first_difference(lists);
    let mut text = String::new();
    for (name, rows) in names.into_iter().zip(lists) {
        show(&mut text, name, rows, at);
    }
    if let [Some(one), Some(other)] = lists.map(|rows| rows.get(at)) {
        for (name, row, other) in [(names[0], one, other), (names[1], other, one)] {
            let _ = write!(text, "only {name}:");
            let values = row.values.iter();
            for (name, value) in values.filter(|value| !other.values.contains(value)) {
                let _ = write!(text, " {name}={value:#x}");
            }
            text.push('\n');
        }
    }
    text
}

/// The number of the first element that differs, or that one of the lists does not have.
pub fn first_difference<T: PartialEq>([one, other]: [&[T]; 2]) -> usize {
    let pairs = one.iter().zip(other);
    pairs.take_while(|(one, other)| one == other).count()
}

/// Shows a list around a place.
pub fn show(text: &mut String, name: &str, rows: &[impl Display], at: usize) {
    let _ = writeln!(text, "{name}:");
    let start = at.saturating_sub(BEFORE).min(rows.len());
    for (number, row) in rows.iter().enumerate().skip(start) {
        if number >= at + BEHIND {
            return;
        }
        let mark = if number == at { '>' } else { ' ' };
        let _ = writeln!(text, "{mark} {row}");
    }
    if rows.len() <= at {
        text.push_str("> nothing\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coretrace_etm::Kind;

    #[test]
    fn a_difference_is_marked_and_its_values_are_named() {
        let mut one = Row::new(12, 1, Some(Kind::TraceOn));
        let mut other = one.clone();
        one.push("addr", 1u32);
        other.push("addr", 2u32);
        let text = difference(["a", "b"], [&[one.clone(), one.clone()], &[one, other]]);
        assert_eq!(text.lines().filter(|line| line.starts_with('>')).count(), 2);
        assert!(
            text.ends_with("only a: addr=0x1\nonly b: addr=0x2\n"),
            "{text}"
        );
    }

    #[test]
    fn a_list_that_ends_too_early_is_reported() {
        let row = Row::new(0, 12, Some(Kind::Async));
        let text = difference(["a", "b"], [std::slice::from_ref(&row), &[]]);
        assert!(text.contains("b:\n> nothing"), "{text}");
    }
}
