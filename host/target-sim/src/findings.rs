// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the judge found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// An access that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// The rule.
    pub rule: &'static str,
    /// The component.
    pub component: String,
    /// Byte offset of the register.
    pub offset: u32,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Violation {
            rule,
            component,
            offset,
        } = self;
        write!(f, "an access of {component} at {offset:#05X} breaks {rule}")
    }
}

/// A place where trace ended that is no sink.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lost {
    /// The component.
    pub component: String,
    /// Why.
    pub why: &'static str,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stops at {}: {}", self.component, self.why)
    }
}

/// All findings of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Broken rules.
    pub violations: BTreeSet<Violation>,
    /// Accesses that aborted, by component.
    pub aborted: BTreeSet<String>,
    /// Bytes of trace that were lost.
    pub lost: BTreeMap<Lost, usize>,
    /// Writes to anything.
    pub writes: usize,
}
