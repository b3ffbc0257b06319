// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bytes in, records out.

use coretrace_abi::record_stream::head;

use crate::head::Head;
use crate::item::{Gap, Item, Sink};
use crate::packets::{Packets, Part};
use crate::source::Source;

/// Reads a stream from wherever its bytes begin. Only packets whose CRC is right are read; what is
/// missing or out of order is an item.
#[derive(Clone, Debug, Default)]
pub struct Reader {
    packets: Packets,
    /// The number of the packet that comes next.
    number: Option<u32>,
    source: Option<Source>,
}

impl Reader {
    /// A reader of a stream.
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Takes bytes as they are in memory or in a file; `sink` gets the items of the packets that
    /// are complete with them.
    pub fn bytes(&mut self, bytes: &[u8], mut sink: impl FnMut(Item<'_>)) {
        self.bytes_to(bytes, &mut sink);
    }

    /// The same for any sink.
    pub fn bytes_to(&mut self, bytes: &[u8], sink: &mut impl Sink) {
        let (number, source) = (&mut self.number, &mut self.source);
        self.packets
            .bytes(bytes, &mut |part| read(part, number, source, sink));
    }

    /// The same for words.
    pub fn words(&mut self, words: &[u32], mut sink: impl FnMut(Item<'_>)) {
        let mut bytes = [0; 4096];
        for words in words.chunks(bytes.len() / 4) {
            for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            self.bytes(&bytes[..4 * words.len()], &mut sink);
        }
    }

    /// The stream ends here: what is left of it is no whole packet.
    pub fn finish(&mut self, mut sink: impl FnMut(Item<'_>)) {
        self.finish_to(&mut sink);
    }

    /// The same for any sink.
    pub fn finish_to(&mut self, sink: &mut impl Sink) {
        let (number, source) = (&mut self.number, &mut self.source);
        self.packets
            .finish(&mut |part| read(part, number, source, sink));
    }
}

fn read(
    part: Part<'_>,
    number: &mut Option<u32>,
    source: &mut Option<Source>,
    sink: &mut impl Sink,
) {
    let words = match part {
        Part::Skipped(bytes) => return sink.other(Item::Skipped(bytes)),
        Part::Packet(words) => words,
    };
    let Some((first, groups)) = words.split_first_chunk::<{ head::WORDS }>() else {
        return;
    };
    let head = Head::of_words(first);
    let gap = Gap {
        expected: number.unwrap_or(0),
        found: head.number,
    };
    // The numbers begin again with a reset, and a file with any start.
    let begins = head.is_start && (number.is_none() || head.number == 0);
    if gap.expected != gap.found && !begins {
        sink.other(Item::Gap(gap));
    }
    *number = Some(head.number.wrapping_add(1));
    let source = match source {
        Some(source) if source.start == head.start => {
            if head.is_start {
                sink.other(Item::Start(&head.start));
            }
            source
        }
        _ => {
            sink.other(if head.is_start {
                Item::Start(&head.start)
            } else {
                Item::Source(&head.start)
            });
            source.insert(Source::new(head.start))
        }
    };
    let read = source.packet(&head, groups, sink);
    if read < groups.len() {
        sink.other(Item::Skipped(4 * (groups.len() - read) as u64));
    }
}
