// SPDX-License-Identifier: MIT OR Apache-2.0
//! A step: one register, what is done with it, and how it is undone.

use serde::{Deserialize, Serialize};

use crate::role::Role;
use crate::rules::RuleId;
use crate::topology::Index;

/// What a step belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    /// A clock of the topology.
    Clock(Index),
    /// A component of the topology.
    Component(Index),
    /// A core behind a trace port.
    Receiver(Index),
}

impl Part {
    /// The component, if it is one.
    pub fn component(self) -> Option<Index> {
        match self {
            Part::Component(component) => Some(component),
            Part::Clock(_) | Part::Receiver(_) => None,
        }
    }
}

/// What is done with the register.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Action {
    /// Read it: under the mask it has one of these values.
    Check {
        /// Bits that count; 0 only notes the value.
        mask: u32,
        /// Values that they may have.
        values: Vec<u32>,
    },
    /// Read it: under the mask it is no more than this.
    AtMost {
        /// Bits that count.
        mask: u32,
        /// Their greatest value.
        value: u32,
    },
    /// Write it.
    Write {
        /// Bits that change; if not all, the others are read first.
        mask: u32,
        /// Their value.
        value: u32,
    },
    /// Write what another register has now, and read it back.
    Copy {
        /// Physical address of the other register.
        from: u64,
    },
    /// Read it until it is FFFF_FFFF, at most as often as another register says: words of trace.
    Drain {
        /// Physical address of the other register.
        size: u64,
    },
    /// Read it until the bits under the mask have this value.
    Wait {
        /// Bits that count.
        mask: u32,
        /// Their value.
        value: u32,
    },
    /// The same, but no longer than that may take: what comes behind it does not rely on it.
    Rest {
        /// Bits that count.
        mask: u32,
        /// Their value.
        value: u32,
    },
}

/// How a step is undone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Inverse {
    /// It changes nothing that lasts.
    None,
    /// The bits under the mask get back the value that they had.
    Restore,
    /// The component is stopped as its kind is.
    Stop,
    /// The software lock is closed if it was closed.
    Relock,
    /// The OS lock is set if it was set.
    OsRelock,
    /// The claim tag is cleared.
    Unclaim,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// What it belongs to.
    pub part: Part,
    /// Component and register, such as `etf1.MODE`.
    pub place: String,
    /// Physical address.
    pub address: u64,
    /// What it is for.
    pub role: Role,
    /// What is done.
    pub action: Action,
    /// The rules that ask for it, the most important first; at least one.
    pub rules: Vec<RuleId>,
    /// How it is undone.
    pub inverse: Inverse,
    /// Its number among the steps as they were made, before they were ordered.
    pub place_in_fragment: usize,
}

impl Step {
    /// Whether it writes.
    pub fn is_write(&self) -> bool {
        matches!(self.action, Action::Write { .. } | Action::Copy { .. })
    }

    /// Whether the value before a write is read.
    pub fn reads_first(&self) -> bool {
        match self.action {
            Action::Write { mask, .. } => mask != u32::MAX || self.inverse == Inverse::Restore,
            Action::Copy { .. } => false,
            _ => true,
        }
    }
}
