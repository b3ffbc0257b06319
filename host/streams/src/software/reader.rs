// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes in, records out.

use coretrace_abi::software_stream::{MAGIC, RECORD_WORDS, SoftwareRecord, ending, head};
use coretrace_software_trace::{Protocol, Record};

use super::start::Head;
use super::{Item, Start, itm, stm};
use crate::item::Gap;
use crate::packets::{Packets, Part};
use crate::place::Place;

/// Whether a packet seems to begin in these bytes: its magic word is there.
pub fn begins_packet(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, &MAGIC.to_le_bytes()).is_some()
}

/// Reads a stream from wherever its bytes begin. Only packets whose CRC is right are read; what is missing or out of
/// order is an item.
///
/// Memory: that of a packet, whatever the stream is.
#[derive(Clone, Debug)]
pub struct Reader {
    packets: Packets,
    state: State,
}

/// What the packets so far say.
#[derive(Clone, Debug, Default)]
struct State {
    /// The number of the packet that comes next.
    number: Option<u32>,
    source: Option<(Start, Records)>,
}

/// Makes records of those of a stream.
#[derive(Clone, Copy, Debug)]
enum Records {
    Stm(stm::Records),
    Itm(itm::Records),
}

impl Default for Reader {
    fn default() -> Reader {
        Reader::new()
    }
}

impl Reader {
    /// A reader of a stream.
    pub fn new() -> Reader {
        Reader {
            packets: Packets::new(MAGIC, head::WORDS),
            state: State::default(),
        }
    }

    /// Takes bytes as they are in memory or in a file; `sink` gets the items of the packets that are complete with
    /// them.
    pub fn bytes(&mut self, bytes: &[u8], mut sink: impl FnMut(Item<'_>)) {
        let Reader { packets, state } = self;
        packets.bytes(bytes, &mut |part| state.read(part, &mut sink));
    }

    /// The stream ends here: what is left of it is no whole packet.
    pub fn finish(&mut self, mut sink: impl FnMut(Item<'_>)) {
        let Reader { packets, state } = self;
        packets.finish(&mut |part| state.read(part, &mut sink));
    }
}

impl State {
    fn read(&mut self, part: Part<'_>, sink: &mut impl FnMut(Item<'_>)) {
        let words = match part {
            Part::Skipped(bytes) => return sink(Item::Skipped(bytes)),
            Part::Packet(words) => words,
        };
        let Some((first, rest)) = words.split_first_chunk::<{ head::WORDS }>() else {
            return;
        };
        let head = Head::of_words(first);
        let gap = Gap {
            expected: self.number.unwrap_or(0),
            found: head.number,
        };
        // The numbers begin again with a reset, and a file with any start.
        let begins = head.is_start && (self.number.is_none() || head.number == 0);
        if gap.expected != gap.found && !begins {
            sink(Item::Gap(gap));
        }
        self.number = Some(head.number.wrapping_add(1));
        let (_, records) = match &mut self.source {
            Some(source) if source.0 == head.start && !head.is_start => source,
            source => {
                let start = &head.start;
                sink(if head.is_start {
                    Item::Start(start)
                } else {
                    Item::Source(start)
                });
                source.insert((*start, Records::new(start)))
            }
        };
        let (whole, padding) = rest.as_chunks::<RECORD_WORDS>();
        let mut skipped = 4 * padding.len() as u64;
        for words in whole {
            if !records.take(&SoftwareRecord::of_words(words), sink) {
                skipped += 4 * RECORD_WORDS as u64;
            }
        }
        if skipped > 0 {
            sink(Item::Skipped(skipped));
        }
    }
}

impl Records {
    fn new(start: &Start) -> Records {
        match start.protocol {
            Protocol::Stm => Records::Stm(stm::Records::new(start.lenient)),
            Protocol::Itm(_) => Records::Itm(itm::Records::new(start.lenient)),
        }
    }

    /// Gives out the items of a record of the stream; false if it is none.
    fn take(&mut self, written: &SoftwareRecord, sink: &mut impl FnMut(Item<'_>)) -> bool {
        let (row, lane) = (written.row, written.lane);
        let place = Place { row, lane };
        let is_one = match self {
            Records::Stm(records) => records.take(written, |record| {
                sink(Item::Record(&Record::Stm(record), place));
            }),
            Records::Itm(records) => records.take(written, |record| {
                sink(Item::Record(&Record::Itm(record), place));
            }),
        };
        if written.ending == ending::LOST {
            sink(Item::Lost(
                u32::try_from(written.data).unwrap_or(u32::MAX),
                place,
            ));
        }
        is_one
    }
}
