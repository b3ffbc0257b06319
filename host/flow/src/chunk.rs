// SPDX-License-Identifier: MIT OR Apache-2.0
//! A part of the stream of a source that can be followed before the parts in front of it.

use crate::element::ElementSink;
use crate::stream::StreamFlow;
use crate::stream::state::StreamState;

/// Bytes that are decoded between two looks at what they gave.
const STEP_BYTES: usize = 1 << 13;

/// A part of the stream of a source.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// The offset of its first byte in the stream.
    pub offset: u64,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The places in `bytes` in front of which bytes were lost, in order.
    pub losses: Vec<usize>,
    /// Where it can begin by itself.
    pub start: Option<Start>,
}

/// What is known at the beginning of a chunk from a short run-up in front of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The offset of the A-Sync with which the run-up began.
    pub sync: u64,
    /// What is known behind it: right if a flow that began earlier has an equal state there.
    pub state: StreamState,
}

impl Chunk {
    /// Follows the program from a place in `bytes` on, with what `flow` knows of it, until there are no more, or `is_full` holds of
    /// `sink`, which is asked after every 8 KiB. Returns the place behind the last byte that was
    /// decoded.
    pub fn follow<S: ElementSink>(
        &self,
        from: usize,
        flow: &mut StreamFlow,
        sink: &mut S,
        is_full: impl Fn(&S) -> bool,
    ) -> usize {
        if let Some(context) = flow.context() {
            sink.resume(context);
        }
        let mut place = from;
        // A loss at the place was reported when the place was reached.
        let reported = match from {
            0 => 0,
            _ => self.losses.partition_point(|loss| *loss <= from),
        };
        let mut losses = self.losses[reported..].iter().copied().peekable();
        loop {
            while losses.next_if_eq(&place).is_some() {
                flow.discontinuity(sink);
            }
            if place == self.bytes.len() || place > from && is_full(sink) {
                break;
            }
            let behind = losses.peek().copied().unwrap_or(self.bytes.len());
            let end = behind.min(place + STEP_BYTES);
            flow.feed(&self.bytes[place..end], sink);
            place = end;
        }
        flow.flush(sink);
        place
    }

    /// Cuts off what is behind a place; losses right there belong to it.
    pub(crate) fn split_off(&mut self, place: usize) -> Chunk {
        let kept = self.losses.partition_point(|loss| *loss < place);
        let losses = self.losses.split_off(kept);
        Chunk {
            offset: self.offset + place as u64,
            bytes: self.bytes.split_off(place),
            losses: losses.into_iter().map(|loss| loss - place).collect(),
            start: None,
        }
    }
}
