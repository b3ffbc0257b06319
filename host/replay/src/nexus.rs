// SPDX-License-Identifier: MIT OR Apache-2.0
//! The streams of the NEXS encoder.

use coretrace_abi::compressed::nexus::{GROUP_BITS, LAST, MARK_BITS, MORE};
use coretrace_abi::compressed::stream_cache::{DISCONTINUITY, LENGTH_BITS};

use crate::reader::{Damaged, Reader};
use crate::streams::{Stream, StreamSource};

/// The streams of a block.
pub struct NexusStreams<'r> {
    reader: Reader<'r>,
    /// The start that was read last.
    start: u64,
}

impl<'r> NexusStreams<'r> {
    /// Of these records.
    pub fn new(reader: Reader<'r>) -> NexusStreams<'r> {
        NexusStreams { reader, start: 0 }
    }

    fn start(&mut self) -> Result<u64, Damaged> {
        for bit in (0..u64::BITS).step_by(GROUP_BITS as usize) {
            self.start ^= self.reader.field(GROUP_BITS)? << bit;
            match self.reader.field(MARK_BITS)? {
                MORE => {}
                LAST => return Ok(self.start),
                _ => return Err(Damaged),
            }
        }
        Err(Damaged)
    }
}

impl StreamSource for NexusStreams<'_> {
    fn stream(&mut self, known: Option<u64>) -> Result<Option<Stream>, Damaged> {
        if self.reader.is_at_end() {
            return Ok(None);
        }
        let length = self.reader.field(LENGTH_BITS)? as u32;
        let start = match known {
            Some(start) => start,
            None => self.start()?,
        };
        let executed = match length {
            DISCONTINUITY => Some(self.reader.field(LENGTH_BITS)? as u32),
            _ => None,
        };
        Ok(Some(Stream {
            start,
            length,
            executed,
        }))
    }
}
