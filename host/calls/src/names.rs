// SPDX-License-Identifier: MIT OR Apache-2.0
//! What frames and threads are called. Names of functions come from the program and may contain
//! anything.

use coretrace_program::Symbols;

use crate::event::{Callee, Thread};

/// Names callees.
pub trait Names {
    /// The name of a frame.
    fn name(&self, callee: Callee) -> String;
}

impl Names for Symbols<'_> {
    fn name(&self, callee: Callee) -> String {
        match callee {
            Callee::Function(start) => self
                .function_name(start)
                .unwrap_or_else(|| format!("{start:#x}")),
            Callee::Exception(number) => format!("exception {number}"),
            Callee::Unknown => "[unknown]".to_owned(),
        }
    }
}

/// A thread, for people: its trace ID, and VMID and context ID where they are known.
pub fn thread_name(thread: &Thread) -> String {
    let mut name = format!("ID {:02x}", thread.id);
    if let Some(vmid) = thread.vmid {
        name += &format!(" VMID {vmid:#x}");
    }
    if let Some(cid) = thread.cid {
        name += &format!(" context {cid:#x}");
    }
    name
}
