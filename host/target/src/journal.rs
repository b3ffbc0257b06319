// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a session did so far: enough to undo it.

use crate::plan::Step;

/// A step that was begun.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The step.
    pub step: Step,
    /// The value that was read: by a check or a wait the one that was seen, before a write the one that
    /// is restored.
    pub seen: Option<u32>,
}

/// Steps in the order in which they were begun. A step is entered before its write, so that a session
/// that ends in between is undone, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Journal {
    /// The entries.
    pub entries: Vec<Entry>,
}

impl Journal {
    /// Whether a write was begun.
    pub fn has_written(&self) -> bool {
        self.entries.iter().any(|entry| entry.step.is_write())
    }
}
