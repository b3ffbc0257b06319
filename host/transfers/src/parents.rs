// SPDX-License-Identifier: MIT OR Apache-2.0
//! The P0 elements of the instruction trace, with their keys.

use coretrace_etm::packet::cancel;
use coretrace_etm::{ArchProfile, Kind, Record};

/// A P0 element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parent {
    /// Its key.
    pub key: u64,
    /// Offset of its packet in the instruction trace.
    pub offset: u64,
    /// Which P0 element of its packet it is, from 0.
    pub atom: u8,
}

/// What a record of the instruction trace is for data trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A P0 element.
    Parent(Parent),
    /// The youngest P0 elements did not happen.
    Cancel(u32),
    /// A numbered data synchronization mark.
    Mark(u8),
    /// An unnumbered one.
    Pin,
}

/// Counts the keys of P0 elements.
#[derive(Clone, Copy, Debug)]
pub struct Parents {
    keys: u64,
    profile: ArchProfile,
    next: u64,
}

impl Parents {
    /// For this number of keys, at least 1. The first element has key 0, unless a Trace Info says another.
    pub fn new(keys: u64, profile: ArchProfile) -> Parents {
        Parents {
            keys: keys.max(1),
            profile,
            next: 0,
        }
    }

    /// Passes what a record is to `sink`, in order.
    pub fn record(&mut self, record: &Record, mut sink: impl FnMut(Step)) {
        let elements = match record.kind {
            Kind::TraceInfo => {
                self.next = u64::from(record.fields[1]) % self.keys;
                0
            }
            Kind::Exception | Kind::Q | Kind::FunctionReturn => 1,
            // Elsewhere the return has an atom.
            Kind::ExceptionReturn => u8::from(self.profile == ArchProfile::M7),
            _ => record.atoms.count,
        };
        for atom in 0..elements {
            sink(Step::Parent(Parent {
                key: self.next,
                offset: record.offset,
                atom,
            }));
            self.next = (self.next + 1) % self.keys;
        }
        if let Some(count) = cancel(record.kind, record.header, record.fields[0]) {
            self.next = (self.next + self.keys - u64::from(count) % self.keys) % self.keys;
            sink(Step::Cancel(count));
        }
        match record.kind {
            Kind::NumDataSync => sink(Step::Mark(record.header & 7)),
            Kind::UnnumDataSync => sink(Step::Pin),
            _ => {}
        }
    }
}
