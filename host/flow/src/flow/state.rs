// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a flow knows between two packets.

use coretrace_etm::Context;

use super::{Flow, Sync};
use crate::doubts::Doubts;
use crate::queue::Queue;
use crate::walker::state::WalkerState;

/// What a flow knows between two packets, once it has begun and there was a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowState {
    walker: WalkerState,
    queue: Queue,
    after_overflow: bool,
    awaits_address: bool,
}

impl Flow {
    /// Whether it knows all that one knows that began earlier, if the trace is not damaged.
    #[inline]
    pub fn is_settled(&self) -> bool {
        self.sync == Sync::None
            && self.walker.is_placed()
            && !self.queue.has_unseen()
            && !self.awaits_address
    }

    /// What it knows; none if it has not begun, or there was no context.
    pub fn state(&self) -> Option<FlowState> {
        if self.sync != Sync::None {
            return None;
        }
        Some(FlowState {
            walker: self.walker.state()?,
            queue: self.queue.clone(),
            after_overflow: self.after_overflow,
            awaits_address: self.awaits_address,
        })
    }

    /// The context; none if there was none.
    pub fn context(&self) -> Option<&Context> {
        self.walker.context_here()
    }

    /// Goes on where another flow of the same source and images was.
    pub fn resume(&mut self, state: &FlowState) {
        self.walker.resume(&state.walker);
        self.queue.clone_from(&state.queue);
        self.sync = Sync::None;
        self.has_async = true;
        self.after_overflow = state.after_overflow;
        self.awaits_address = state.awaits_address;
    }

    /// Forgets everything but the blocks of the program.
    pub fn restart(&mut self) {
        self.walker.restart();
        self.queue.begin(0);
        self.sync = Sync::Begin;
        self.has_async = false;
        self.after_overflow = false;
        self.awaits_address = false;
    }

    /// Takes the doubts so far, and puts others in their place.
    pub fn replace_doubts(&mut self, doubts: Doubts) -> Doubts {
        self.walker.replace_doubts(doubts)
    }
}
