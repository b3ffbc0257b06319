// SPDX-License-Identifier: MIT OR Apache-2.0
//! Steps between a walker and the branch events of its program.

/// What a step is. The model of steps is `PlaceStep` of `coretrace-sites`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BranchStep {
    /// No step.
    Nothing,
    /// The next instruction is at the address.
    Address,
    /// It is the one behind the call at the site.
    Return,
    /// An atom of the site.
    Branch,
    /// An exception; the address is the preferred return address.
    Exception,
    /// A Q element.
    Away,
    /// Trace On.
    TraceOn,
    /// Nobody knows where the program is.
    Lost,
}

/// Bits of a step.
pub const BRANCH_STEP_W: usize = 3;
