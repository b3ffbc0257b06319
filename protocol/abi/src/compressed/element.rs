// SPDX-License-Identifier: MIT OR Apache-2.0
//! Elements of a trace unit: what the XE encoder takes, which needs no image.

/// An atom, with the address behind it if the trace has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// E, not N.
    pub taken: bool,
    /// Where an E led. An N has no address.
    pub address: Option<u64>,
}
