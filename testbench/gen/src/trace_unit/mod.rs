// SPDX-License-Identifier: MIT OR Apache-2.0
//! A model of a trace unit: from a branch trace to the ETMv4 stream that a core like the
//! Cortex-A53 would send, and to memory in which the program could have run.
//!
//! Atoms, addresses and times are sent in their shortest forms. The same seed gives the same bytes.
//!
//! Source: Arm IHI 0064, trace elements and their packets, return stack, speculation.

mod atom_packets;
mod clock;
mod core;
mod encoder;
mod handler;
mod image;
mod interruptions;
mod options;
mod random;
mod return_stack;
mod speculation;

pub use image::{NoInstruction, PAGE_BYTES, Page};
pub use options::{AddressAfterSync, Interrupts, Speculation, TraceUnit};
pub use random::{RandomProgram, random_unit};

use crate::btr::BranchTrace;

/// Instructions that the core executed one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedRange {
    /// Address of the first one.
    pub start: u64,
    /// Address behind the last one.
    pub end: u64,
    /// Whether the branch at its end was taken; none if an exception ended it.
    pub taken: Option<bool>,
}

/// Watches a trace unit.
pub trait Observer {
    /// Instructions were executed.
    fn range(&mut self, _range: &TracedRange) {}

    /// So many instructions of the program retired, and so many bytes were sent. Atoms that wait for
    /// their packet are not counted.
    fn progress(&mut self, _instructions: u64, _bytes: u64) {}
}

impl Observer for () {}

/// Collects the ranges.
impl Observer for Vec<TracedRange> {
    fn range(&mut self, range: &TracedRange) {
        self.push(*range);
    }
}

impl TraceUnit {
    /// The stream of a trace.
    pub fn trace(&self, trace: &BranchTrace, observer: &mut impl Observer) -> Vec<u8> {
        core::Core::new(self, trace.isa, observer).run(trace)
    }

    /// Memory in which the program could have run, with the handler if it is traced.
    ///
    /// # Errors
    /// If no instruction can be what a site of the trace is.
    pub fn pages(&self, trace: &BranchTrace) -> Result<Vec<Page>, NoInstruction> {
        let mut pages = image::pages_of(trace)?;
        if self.traces_handler {
            pages.push(handler::page());
        }
        Ok(pages)
    }
}
