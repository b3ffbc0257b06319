// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where in a trace port something ends.

/// A place in the port: the order of all sources of the port. In a software stream it is that of the last byte of a
/// record; what was not read has the place of the sync or of the first byte behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The row, modulo 2^32: rows of frames since reset, four in a frame, this one counted.
    pub row: u32,
    /// The lane in the row, 0 to 3.
    pub lane: u8,
}
