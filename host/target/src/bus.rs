// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the planner needs of a machine: words at physical addresses, and time.

use std::fmt;
use std::time::Duration;

/// Words of 32 bits at physical addresses.
pub trait Bus {
    /// Reads a word.
    ///
    /// # Errors
    /// If the machine answers with an error, or a wrapper refuses the access.
    fn read32(&mut self, address: u64) -> Result<u32, BusError>;

    /// Writes a word.
    ///
    /// # Errors
    /// As for reads.
    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError>;
}

impl<B: Bus + ?Sized> Bus for &mut B {
    fn read32(&mut self, address: u64) -> Result<u32, BusError> {
        (**self).read32(address)
    }

    fn write32(&mut self, address: u64, value: u32) -> Result<(), BusError> {
        (**self).write32(address, value)
    }
}

/// An access that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BusError {
    /// The machine answered with an error: an abort.
    Aborted,
    /// Somebody asked for the end of the session.
    Interrupted,
    /// The way to the machine failed, and why.
    Failed(String),
    /// A wrapper did not let the access through, and says why.
    Refused(String),
}

impl fmt::Display for BusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Aborted => f.write_str("the access aborted"),
            Self::Interrupted => f.write_str("somebody asked for the end of the session"),
            Self::Failed(why) => write!(f, "the access failed: {why}"),
            Self::Refused(why) => write!(f, "the access was refused: {why}"),
        }
    }
}

impl std::error::Error for BusError {}

/// Time for waits.
pub trait Time {
    /// Time since any fixed moment.
    fn now(&mut self) -> Duration;

    /// Lets a little time pass between two reads of a wait.
    fn pause(&mut self);
}
