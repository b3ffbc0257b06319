// SPDX-License-Identifier: MIT OR Apache-2.0
//! The call stack of a thread.

use crate::event::{Begin, Callee, What};

/// Frames that are stored, at most. What is called beyond counts for the last one.
pub const MAX_DEPTH: usize = 1024;

/// Where a frame goes when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Back {
    /// To this address.
    To(u64),
    /// To code without an image.
    Hole,
    /// Out of an exception, to this address if it is known.
    Exception(Option<u64>),
    /// Nobody knows: a root, or the code of an exception.
    Unknown,
}

/// A function that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is.
    pub callee: Callee,
    /// Where it goes then.
    pub back: Back,
}

/// Takes frames that begin and end.
pub trait FrameSink: FnMut(What) {}

impl<F: FnMut(What)> FrameSink for F {}

/// The frames of a thread, the newest last.
#[derive(Clone, Debug, Default)]
pub struct Stack {
    frames: Vec<Frame>,
    /// Calls beyond the last frame that have not returned.
    beyond: u64,
    /// Calls beyond the last frame in total.
    pub cut: u64,
}

impl Stack {
    /// The frame that runs.
    pub fn top(&self) -> Option<&Frame> {
        self.frames.last()
    }

    /// A frame begins.
    pub fn push(&mut self, frame: Frame, begin: Begin, sink: &mut impl FrameSink) {
        if self.frames.len() >= MAX_DEPTH {
            self.beyond += 1;
            self.cut += 1;
            return;
        }
        sink(What::Enter(frame.callee, self.depth(), begin));
        self.frames.push(frame);
    }

    /// What runs is now something else, which goes where the frame went: a tail call.
    pub fn rename(&mut self, callee: Callee, begin: Begin, sink: &mut impl FrameSink) {
        if self.beyond > 0 {
            return;
        }
        match self.frames.last() {
            Some(&Frame {
                back: back @ (Back::To(_) | Back::Hole | Back::Unknown),
                ..
            }) => {
                self.pop(sink);
                self.push(Frame { callee, back }, begin, sink);
            }
            _ => {
                let back = Back::Unknown;
                self.push(Frame { callee, back }, begin, sink);
            }
        }
    }

    /// Ends the newest frame that is as wanted and all above it; returns that frame.
    pub fn pop_to(
        &mut self,
        is_it: impl Fn(&Frame) -> bool,
        sink: &mut impl FrameSink,
    ) -> Option<Frame> {
        let index = self.frames.iter().rposition(is_it)?;
        let frame = self.frames[index];
        self.beyond = 0;
        self.shorten(index, sink);
        Some(frame)
    }

    /// A call beyond the last frame returns; false if there is none.
    pub fn return_beyond(&mut self) -> bool {
        let is_beyond = self.beyond > 0;
        self.beyond -= u64::from(is_beyond);
        is_beyond
    }

    /// Ends all frames.
    pub fn clear(&mut self, sink: &mut impl FrameSink) {
        self.beyond = 0;
        self.shorten(0, sink);
    }

    fn depth(&self) -> u32 {
        self.frames.len() as u32
    }

    fn pop(&mut self, sink: &mut impl FrameSink) {
        if let Some(frame) = self.frames.pop() {
            sink(What::Leave(frame.callee, self.depth()));
        }
    }

    fn shorten(&mut self, len: usize, sink: &mut impl FrameSink) {
        while self.frames.len() > len {
            self.pop(sink);
        }
    }
}
