// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a decoder must know of a trace source before it can read its bytes.

use crate::config::{ArchProfile, Protocol};
use crate::registers::Registers;

/// A trace source and the error policy for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct SourceConfig {
    /// ETMv4 or ETE.
    pub protocol: Protocol,
    /// Profile of the traced core.
    pub profile: ArchProfile,
    /// The trace unit's registers.
    pub registers: Registers,
    /// Error policy: `false` resync, `true` lenient.
    pub lenient: bool,
}
