// SPDX-License-Identifier: MIT OR Apache-2.0
//! The NEXS encoder: a record for each stream.

use coretrace_abi::compressed::branch::Event;
use coretrace_abi::compressed::nexus::{GROUP_BITS, LAST, MARK_BITS, MORE};
use coretrace_abi::compressed::stream_cache::LENGTH_BITS;

use crate::bits::Bits;
use crate::stream::{Rest, Stream, StreamCutter};

/// Encodes branch events; [`coretrace_abi::compressed`] has the records.
#[derive(Clone, Debug)]
pub struct Nexus {
    cutter: StreamCutter,
    messages: Messages,
}

impl Nexus {
    /// Execution begins here.
    pub fn new(start: u64) -> Nexus {
        Nexus {
            cutter: StreamCutter::new(start),
            messages: Messages::default(),
        }
    }

    /// Takes the next event.
    pub fn event(&mut self, event: &Event) {
        let messages = &mut self.messages;
        self.cutter.event(event, |stream| messages.stream(&stream));
    }

    /// Bits so far.
    pub fn bits(&self) -> u64 {
        self.messages.bits.len()
    }

    /// The bits, and the stream that has not ended.
    pub fn finish(self) -> (Bits, Rest) {
        (self.messages.bits, self.cutter.rest())
    }
}

/// What is sent.
#[derive(Clone, Debug, Default)]
struct Messages {
    bits: Bits,
    /// The start that was sent last.
    start: u64,
}

impl Messages {
    fn stream(&mut self, stream: &Stream) {
        self.bits.put(stream.length.into(), LENGTH_BITS);
        if stream.is_explicit {
            self.start(stream.start);
        }
        if let Some(executed) = stream.executed {
            self.bits.put(executed.into(), LENGTH_BITS);
        }
    }

    fn start(&mut self, start: u64) {
        let mut left = start ^ self.start;
        self.start = start;
        loop {
            self.bits.put(left, GROUP_BITS);
            left >>= GROUP_BITS;
            if left == 0 {
                return self.bits.put(LAST, MARK_BITS);
            }
            self.bits.put(MORE, MARK_BITS);
        }
    }
}
