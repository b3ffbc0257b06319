// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the packets of a data trace say.

/// A data transfer: element P1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Key of its parent in the instruction trace, a P0 element.
    pub parent: u64,
    /// Its own key.
    pub key: u64,
    /// Which transfer of its instruction it is.
    pub index: u64,
    /// The address, if it was traced.
    pub address: Option<u64>,
}

/// An element of a data trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// A data transfer.
    Address(Address),
    /// A value: element P2, of the transfer with this key.
    Value {
        /// Key of its transfer.
        key: u64,
        /// The value.
        value: u64,
    },
    /// A numbered data synchronization mark: the instruction trace has it too.
    Mark(u64),
    /// An unnumbered mark: the place that the numbered mark before it names.
    Pin,
    /// A timestamp.
    Timestamp(u64),
    /// An A-Sync.
    Sync,
    /// Bytes that are no packet: elements may be missing.
    Lost,
}
