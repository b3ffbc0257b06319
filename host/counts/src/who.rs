// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who executed instructions.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A trace source.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Source {
    /// Its trace ID; 0 if it has none.
    pub id: u8,
    /// The number of its CPU, if the capture says so.
    pub cpu: Option<u32>,
}

/// The context that a trace names. A field that it does not name is `None`.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Context {
    /// The exception level.
    pub el: Option<u8>,
    /// The security state: whether it is the Secure state.
    pub is_secure: Option<bool>,
    /// The virtual machine. Under Linux at EL2 this is the thread.
    pub vmid: Option<u32>,
    /// The context ID. Under Linux this is the thread, where the kernel writes it.
    pub cid: Option<u32>,
}

/// A source in a context.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Who {
    /// The source.
    pub source: Source,
    /// The context.
    pub context: Context,
}

/// `EL1 secure`, as far as known.
impl fmt::Display for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.el {
            Some(el) => write!(f, "EL{el}")?,
            None => f.write_str("EL?")?,
        }
        match self.is_secure {
            Some(true) => f.write_str(" secure"),
            Some(false) | None => Ok(()),
        }
    }
}
