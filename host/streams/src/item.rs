// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a reader gives out.

use coretrace_etm::Record;

use crate::place::Place;
use crate::start::Start;

/// An item of a record stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'a> {
    /// The source was enabled; the items that follow belong to this source.
    Start(&'a Start),
    /// The items that follow belong to this source, whose beginning is not there.
    Source(&'a Start),
    /// Bytes of the source were lost here, in front of the stream. The value is the number of
    /// trace port words lost since reset, saturating.
    Lost(u32),
    /// The records that follow, up to the next place, end at this place of the port or behind it, and in front of the next
    /// byte of the source beside this one. Only a core with such a source says so.
    Place(Place),
    /// A packet or an error of the trace, with offset and length 0: the stream does not have them.
    Record(&'a Record),
    /// So many bytes of the stream are here that are no part of a whole packet of it.
    Skipped(u64),
    /// The packet of the stream that follows has another number than expected.
    Gap(Gap),
}

/// A step in the numbers of packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The number after that of the packet before; 0 at the beginning.
    pub expected: u32,
    /// The number that came.
    pub found: u32,
}

impl Gap {
    /// How many packets are missing; `None` if a packet comes late, or a second time.
    pub const fn missing(&self) -> Option<u32> {
        let step = self.found.wrapping_sub(self.expected);
        if step <= u32::MAX / 2 {
            Some(step)
        } else {
            None
        }
    }
}

/// What takes the items of a stream. A closure does; what takes records itself is part of the loop
/// that reads them.
pub trait Sink {
    /// Takes a packet or an error of the trace: [`Item::Record`].
    fn record(&mut self, record: &Record);

    /// Takes any other item.
    fn other(&mut self, item: Item<'_>);
}

impl<F: FnMut(Item<'_>)> Sink for F {
    #[inline]
    fn record(&mut self, record: &Record) {
        self(Item::Record(record));
    }

    #[inline]
    fn other(&mut self, item: Item<'_>) {
        self(item);
    }
}
