// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session did so far: enough to undo it, in memory and as the lines of a file.
//!
//! A line is written before what it says is done, so that a session that is killed leaves a line too many,
//! and never one too few. Its last line may be cut: then nothing was done for it.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Write;

use serde::{Deserialize, Serialize};

use crate::bus::BusError;
use crate::plan::{Part, Step};
use crate::topology::Topology;

/// A step that was begun.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The step.
    pub step: Step,
    /// The value that was read: by a check or a wait the one that was seen, before a write the one that
    /// is restored.
    pub seen: Option<u32>,
}

/// A line of a file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    /// A step begins.
    Begun(Entry),
    /// The session goes on when its process ends.
    Kept,
    /// It is being undone.
    Ending,
    /// The step of the undo with this number was done.
    Undone(usize),
    /// A part is about to be accessed, which may end the process.
    Touching(Part),
    /// It did not.
    Survived(Part),
}

/// Steps in the order in which they were begun. A step is entered before its write, so that a session
/// that ends in between is undone, too.
#[derive(Default)]
pub struct Journal {
    /// The entries.
    pub entries: Vec<Entry>,
    is_kept: bool,
    is_ending: bool,
    undone: BTreeSet<usize>,
    notes_touches: bool,
    /// Parts whose accesses ended the process of an undo.
    deadly: Vec<Part>,
    file: Option<Box<dyn Write>>,
}

/// Why a text is no journal of a session on a topology: the number of the line, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalError(usize, String);

impl fmt::Display for JournalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.0, self.1)
    }
}

impl std::error::Error for JournalError {}

impl Journal {
    /// Goes on in a file, a line for each step.
    pub fn keep_in(&mut self, file: impl Write + 'static) {
        self.file = Some(Box::new(file));
    }

    /// Reads the lines of a file. What follows the last end of a line is left out.
    ///
    /// # Errors
    /// If a line is damaged, or has a step that is not of the topology.
    pub fn read(topology: &Topology, text: &str) -> Result<Journal, JournalError> {
        let mut journal = Journal::default();
        let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
        for (number, line) in (1..).zip(whole.lines()) {
            let wrong = |what: String| JournalError(number, what);
            match serde_json::from_str(line).map_err(|error| wrong(error.to_string()))? {
                Line::Begun(entry) if !is_of(topology, &entry.step) => {
                    let place = entry.step.place;
                    return Err(wrong(format!("{place} is not in {}", topology.name)));
                }
                Line::Begun(entry) => journal.entries.push(entry),
                Line::Kept => journal.is_kept = true,
                Line::Ending => journal.is_ending = true,
                Line::Undone(number) => {
                    journal.undone.insert(number);
                }
                Line::Touching(part) => journal.deadly.push(part),
                Line::Survived(part) => journal.deadly.retain(|deadly| *deadly != part),
            }
        }
        Ok(journal)
    }

    /// Whether a write was begun.
    pub fn has_written(&self) -> bool {
        self.entries.iter().any(|entry| entry.step.is_write())
    }

    /// Whether the session goes on without its process: every step of the start was done, nobody waits to
    /// end it, and no undo was begun.
    pub fn is_kept(&self) -> bool {
        self.is_kept && !self.is_ending
    }

    /// Notes from now on which part an undo accesses, because an access that the bus refuses ends the process.
    pub fn note_touches(&mut self) {
        self.notes_touches = true;
    }

    /// Whether an access to a part ended the process of an undo.
    pub(crate) fn is_deadly(&self, part: Part) -> bool {
        self.deadly.contains(&part)
    }

    /// Enters that a part is about to be accessed. Without the line the next undo dies there, too.
    pub(crate) fn touch(&mut self, part: Part) {
        if self.notes_touches {
            let _ = self.put(&Line::Touching(part));
        }
    }

    /// Enters that the accesses to a part are over. Without the line the next undo leaves it out.
    pub(crate) fn survive(&mut self, part: Part) {
        if self.notes_touches && !self.is_deadly(part) {
            let _ = self.put(&Line::Survived(part));
        }
    }

    /// An undo was done without the deadly parts: the next one tries them again.
    pub(crate) fn retry(&mut self) {
        for part in std::mem::take(&mut self.deadly) {
            let _ = self.put(&Line::Survived(part));
        }
    }

    /// Enters a step that begins.
    ///
    /// # Errors
    /// If the line cannot be written: then the step must not be done.
    pub(crate) fn begin(&mut self, entry: Entry) -> Result<(), BusError> {
        let line = Line::Begun(entry.clone());
        self.put(&line).map_err(|error| {
            BusError::Refused(format!("the journal cannot be written: {error}"))
        })?;
        self.entries.push(entry);
        Ok(())
    }

    /// Enters that the session goes on when its process ends. Without the line it looks as if it was killed.
    pub fn keep(&mut self) {
        self.is_kept = true;
        let _ = self.put(&Line::Kept);
    }

    /// Enters that an undo has begun. Without the line it looks as if nobody wants the end.
    pub(crate) fn begin_end(&mut self) {
        if !self.is_ending {
            self.is_ending = true;
            let _ = self.put(&Line::Ending);
        }
    }

    /// Whether a step of the undo was done.
    pub(crate) fn is_undone(&self, number: usize) -> bool {
        self.undone.contains(&number)
    }

    /// Enters that a step of the undo was done. Without the line it is done a second time, which does no
    /// harm.
    pub(crate) fn undo(&mut self, number: usize) {
        self.undone.insert(number);
        let _ = self.put(&Line::Undone(number));
    }

    fn put(&mut self, line: &Line) -> std::io::Result<()> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        let text = serde_json::to_string(line)? + "\n";
        file.write_all(text.as_bytes())
    }
}

/// Whether a step has an address of what it says that it belongs to.
fn is_of(topology: &Topology, step: &Step) -> bool {
    match step.part {
        Part::Component(index) => topology.at(step.address).is_some_and(|(at, _)| at == index),
        Part::Receiver(index) => topology.receiver_at(step.address) == Some(index),
        Part::Clock(index) => {
            let clock = topology.clocks.get(index);
            clock.is_some_and(|clock| clock.address == step.address)
        }
    }
}
