// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader gives out.

use coretrace_software_trace::Record;

use super::Start;
use crate::item::Gap;
use crate::place::Place;

/// An item of a software stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// The source was enabled; the items that follow belong to this source.
    Start(&'a Start),
    /// The items that follow belong to this source, whose beginning is not there.
    Source(&'a Start),
    /// Bytes of the source were lost here, with the number of trace port words lost since reset, saturating. What was
    /// cut off before it is a record in front of it.
    Lost(u32, Place),
    /// A packet, an error, or what was not read. Offsets count the nibbles or bytes of the records so
    /// far.
    Record(&'a Record, Place),
    /// So many bytes of the stream are here that are no part of a whole packet of it.
    Skipped(u64),
    /// The packet of the stream that follows has another number than expected.
    Gap(Gap),
}
