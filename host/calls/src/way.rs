// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a step of a program does to its call stack.

use crate::event::{Begin, Callee, Entry};
use crate::stack::{Back, Frame, FrameSink, Stack};

/// How the next instructions are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// From the instruction before, or not known.
    On,
    /// By a branch that is neither a call nor a return.
    Jump {
        /// Its target was not in the instruction.
        is_indirect: bool,
    },
    /// By a call.
    Call {
        /// The address behind it.
        back: u64,
    },
    /// By a return.
    Return,
    /// By a return from an exception.
    ExceptionReturn,
    /// By an exception.
    Handler,
    /// Out of code without an image.
    OutOfHole,
}

/// Where the program goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address.
    pub address: u64,
    /// Where its function begins, if it has one.
    pub function: Option<Entry>,
    /// No image has it.
    pub is_hole: bool,
}

/// Changes the stack as the program goes on at a place.
pub fn arrive(stack: &mut Stack, way: Way, place: &Place, frames: &mut impl FrameSink) {
    let address = place.address;
    let callee = place.function.map_or(Callee::Unknown, Callee::Function);
    let called = Callee::Function(place.function.unwrap_or(address.into()));
    let is_back = |frame: &Frame| frame.back == Back::To(address);
    let is_on_top = |stack: &Stack| stack.top().is_some_and(|top| top.callee == callee);
    let is_entry = place.function.is_some_and(|entry| entry.start == address);
    let begin = match way {
        Way::Jump { .. } | Way::Return if is_entry => Begin::Call,
        _ => Begin::Other,
    };
    let is_known = match way {
        Way::Call { back } => {
            let back = Back::To(back);
            let callee = called;
            stack.push(Frame { callee, back }, Begin::Call, frames);
            return;
        }
        Way::Handler => {
            let back = Back::Unknown;
            let callee = called;
            stack.push(Frame { callee, back }, begin, frames);
            return;
        }
        Way::On | Way::Jump { is_indirect: false } => true,
        Way::Jump { is_indirect: true } => {
            // A jump table inside a function may name the place behind a call.
            if place.function.is_none() || !is_on_top(stack) {
                stack.pop_to(is_back, frames);
            }
            true
        }
        Way::Return => {
            stack.return_beyond()
                || stack.pop_to(is_back, frames).is_some()
                || (place.is_hole && stack.pop_to(|f| f.back == Back::Hole, frames).is_some())
        }
        Way::ExceptionReturn => exception_return(stack, place, frames),
        Way::OutOfHole => {
            let is_returned = stack.pop_to(is_back, frames).is_some();
            // Code without an image calls.
            let is_call = is_entry && stack.top().is_some();
            if !is_returned && is_call && !is_on_top(stack) {
                let back = Back::Hole;
                stack.push(Frame { callee, back }, begin, frames);
            }
            true
        }
    };
    if !is_known {
        stack.clear(frames);
    }
    if stack.top().is_none() {
        let back = Back::Unknown;
        stack.push(Frame { callee, back }, begin, frames);
    } else if place.function.is_some() && !is_on_top(stack) {
        stack.rename(callee, begin, frames);
    }
}

/// Ends the exception that returns here, or else the newest one; whether what goes on is what it
/// interrupted. An address behind that one is right too: the instruction was emulated.
fn exception_return(stack: &mut Stack, place: &Place, frames: &mut impl FrameSink) -> bool {
    let exactly = Back::Exception(Some(place.address));
    if stack
        .pop_to(|frame| frame.back == exactly, frames)
        .is_some()
    {
        return true;
    }
    let is_exception = |frame: &Frame| matches!(frame.back, Back::Exception(_));
    let is_popped = stack.pop_to(is_exception, frames).is_some();
    let callee = place.function.map(Callee::Function);
    is_popped
        && stack
            .top()
            .is_none_or(|top| callee.is_none_or(|it| it == top.callee))
}
