// SPDX-License-Identifier: MIT OR Apache-2.0
//! One packet as reported by a decoder, in a form common to both decoders.

use std::fmt;

use coretrace_etm::Kind;

/// Place, kind and every value of a packet and of the trace state after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Offset of the first byte.
    pub offset: u64,
    /// Bytes.
    pub len: u64,
    /// What it is; `None` if the decoder's code is unknown.
    pub kind: Option<Kind>,
    /// Values by name, in the order in which [`crate::model`] and [`crate::reference`] give them.
    pub values: Vec<(&'static str, u64)>,
}

impl Row {
    /// A row without values.
    pub fn new(offset: u64, len: u64, kind: Option<Kind>) -> Row {
        Row {
            offset,
            len,
            kind,
            values: Vec::with_capacity(20),
        }
    }

    /// Adds a value.
    pub fn push(&mut self, name: &'static str, value: impl Into<u64>) {
        self.values.push((name, value.into()));
    }

    /// Adds a value, if there is one.
    pub fn push_some(&mut self, name: &'static str, value: Option<u32>) {
        if let Some(value) = value {
            self.push(name, value);
        }
    }

    /// Sets a value, if present. Returns whether it changed.
    pub fn change(&mut self, name: &str, value: u64) -> bool {
        match self.values.iter_mut().find(|(n, _)| *n == name) {
            Some((_, old)) if *old != value => {
                *old = value;
                true
            }
            _ => false,
        }
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.kind.map_or("unknown", Kind::listing_name);
        write!(f, "{:>6} {:>3} {name:<19}", self.offset, self.len)?;
        for (name, value) in self.values.iter().filter(|(_, value)| *value != 0) {
            write!(f, " {name}={value:#x}")?;
        }
        Ok(())
    }
}
