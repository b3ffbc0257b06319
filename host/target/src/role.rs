// SPDX-License-Identifier: MIT OR Apache-2.0
//! What steps are for.

use serde::{Deserialize, Serialize};

/// What a step is for; the rules order roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Reads or turns on a clock.
    Clock,
    /// Reads who made the component.
    Class,
    /// Reads what kind it is.
    Ident,
    /// Reads whether somebody uses it.
    Owner,
    /// Reads whether the system allows what it needs.
    Allowed,
    /// Notes the software lock, which is restored at the end.
    Note,
    /// Notes the OS lock, which is restored at the end.
    OsNote,
    /// Opens the software lock.
    Unlock,
    /// Reads that it is open.
    Unlocked,
    /// Opens the OS lock.
    OsUnlock,
    /// Reads that it is open.
    OsUnlocked,
    /// Sets the claim tag.
    Claim,
    /// Reads that it is set.
    Claimed,
    /// Asks for power.
    Power,
    /// Waits for it.
    Powered,
    /// Reads that the component can do what is asked for.
    Capable,
    /// Stops it.
    Halt,
    /// Waits until it has stopped.
    Halted,
    /// Writes configuration.
    Configure,
    /// Reads it back.
    Verify,
    /// Reads what it took of a write that it may leave out.
    Taken,
    /// Lets it pass trace.
    Enable,
    /// Reads or waits that it does.
    Enabled,
    /// Makes sure that the session has it, before its part of the session ends.
    Regain,
    /// Ends its part of a session.
    Stop,
    /// Reads or waits that this is done.
    Stopped,
    /// Reads the trace of a buffer that has stopped.
    ReadOut,
}
