// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is known between two packets of a source, so that one can go on where another one was.

use coretrace_decode::DecoderState;
use coretrace_etm::Context;

use super::{Packets, StreamFlow};
use crate::doubts::Doubts;
use crate::element::Element;
use crate::flow::state::FlowState;

/// What is known between two packets of a source: all that later elements depend on. Those of one
/// source, policy and images that have equal states give the same elements from there on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamState {
    decoder: DecoderState,
    flow: FlowState,
}

impl StreamState {
    /// The offset of the next byte in the stream of the source.
    pub fn offset(&self) -> u64 {
        self.decoder.offset()
    }
}

impl StreamFlow {
    /// What is known; none inside a packet, and before a Trace Info and a context. All bytes must be
    /// decoded, see [`StreamFlow::flush`].
    pub fn state(&self) -> Option<StreamState> {
        if !self.waiting.is_empty() {
            return None;
        }
        Some(StreamState {
            decoder: self.decoder.state()?,
            flow: self.flow.state()?,
        })
    }

    /// The context; none if there was none.
    pub(crate) fn context(&self) -> Option<&Context> {
        self.flow.context()
    }

    /// Goes on where another one of the same source, policy and images was. Blocks of the program that
    /// it has met are kept.
    pub fn resume(&mut self, state: &StreamState) {
        self.waiting.clear();
        self.offset = state.offset();
        self.decoder.resume(&state.decoder);
        self.flow.resume(&state.flow);
    }

    /// Begins at an A-Sync in front of which there are `offset` bytes, and reads on up to where it
    /// knows what one knows that began earlier: the place behind the first address and context. The
    /// elements up to there are dropped. None if that is not in these bytes.
    pub fn run_up(&mut self, offset: u64, bytes: &[u8]) -> Option<StreamState> {
        self.waiting.clear();
        self.offset = offset;
        self.decoder.restart(offset);
        self.flow.restart();
        for byte in bytes {
            let packets = &mut Packets {
                flow: &mut self.flow,
                sink: &mut |_: u64, _: &Element| {},
            };
            self.decoder.feed_to(std::slice::from_ref(byte), packets);
            self.offset += 1;
            if self.decoder.is_between_packets() && self.flow.is_settled() {
                return self.state();
            }
        }
        None
    }

    /// Takes the doubts so far, and puts others in their place.
    pub fn replace_doubts(&mut self, doubts: Doubts) -> Doubts {
        self.flow.replace_doubts(doubts)
    }
}
