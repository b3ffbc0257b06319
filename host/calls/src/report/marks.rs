// SPDX-License-Identifier: MIT OR Apache-2.0
//! Marks of other sources on the timeline of a page.

use std::collections::BTreeMap;

use coretrace_software_trace::Mark;

use super::number::{MAX_NAME, shortened};

/// Marks that are kept, at most.
const MAX_MARKS: usize = 20_000;

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// When it begins.
    pub from: u64,
    /// When it ends; none if nothing ended it.
    pub to: Option<u64>,
    /// Its name.
    pub name: String,
}

/// The marks of a row, and which of them have not ended.
#[derive(Clone, Debug, Default)]
struct Row {
    marks: Vec<Shown>,
    open: Vec<usize>,
}

/// What other sources report, by row: the first 20,000 marks.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    rows: BTreeMap<String, Row>,
    kept: usize,
    /// Marks that were left out.
    pub dropped: u64,
}

impl Marks {
    /// Adds a mark to the row with this name.
    pub fn add(&mut self, row: &str, time: u64, mark: Mark<'_>) {
        let (name, to) = match mark {
            Mark::At(name) => (name, Some(time)),
            Mark::Begin(name) => (name, None),
            Mark::End => {
                let Some(row) = self.rows.get_mut(row) else {
                    return;
                };
                if let Some(index) = row.open.pop() {
                    row.marks[index].to = Some(time);
                }
                return;
            }
        };
        if self.kept == MAX_MARKS {
            self.dropped += 1;
            return;
        }
        self.kept += 1;
        if !self.rows.contains_key(row) {
            self.rows.insert(row.to_owned(), Row::default());
        }
        if let Some(row) = self.rows.get_mut(row) {
            if to.is_none() {
                row.open.push(row.marks.len());
            }
            let name = shortened(name, MAX_NAME);
            row.marks.push(Shown {
                from: time,
                to,
                name,
            });
        }
    }

    /// The rows with their marks, in the order in which they began.
    pub fn rows(&self) -> impl Iterator<Item = (&str, Vec<&Shown>)> {
        self.rows.iter().map(|(name, row)| {
            let mut marks: Vec<&Shown> = row.marks.iter().collect();
            marks.sort_by_key(|mark| mark.from);
            (name.as_str(), marks)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_end_in_turn_and_are_bounded() {
        let mut marks = Marks::default();
        marks.add("a", 1, Mark::End);
        marks.add("a", 2, Mark::Begin("outer"));
        marks.add("a", 3, Mark::Begin("inner"));
        marks.add("a", 4, Mark::End);
        marks.add("b", 5, Mark::At("x"));
        let rows: Vec<_> = marks.rows().collect();
        let ends = |index: usize| -> Vec<_> { rows[index].1.iter().map(|mark| mark.to).collect() };
        assert_eq!((rows[0].0, rows[1].0), ("a", "b"));
        assert_eq!((ends(0), ends(1)), (vec![None, Some(4)], vec![Some(5)]));
        for time in 0..MAX_MARKS as u64 {
            marks.add("c", time, Mark::At("y"));
        }
        assert_eq!((marks.kept, marks.dropped), (MAX_MARKS, 3));
    }
}
