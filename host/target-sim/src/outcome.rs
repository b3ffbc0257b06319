// SPDX-License-Identifier: MIT OR Apache-2.0
//! What an access did besides its value.

/// What a write or a read did besides its value.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Rules that it broke.
    pub broken: Vec<&'static str>,
    /// The access aborts.
    pub is_aborted: bool,
    /// Bytes that it lost, and why.
    pub lost: Option<(&'static str, usize)>,
    /// The component passes trace from now on: what is below must be on.
    pub is_opened: bool,
    /// The component stopped taking trace from an input.
    pub is_closed: bool,
}
