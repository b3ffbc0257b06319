// SPDX-License-Identifier: MIT OR Apache-2.0
//! What frames and threads are called. Names of functions come from the program and may contain
//! anything.

use crate::event::{Callee, Entry, Thread};
use crate::symbols::ThreadSymbols;

/// Names callees and threads.
pub trait Names {
    /// The name of a frame.
    fn name(&self, callee: Callee) -> String;

    /// The name of a thread: its numbers, and what is known more.
    fn thread(&self, thread: &Thread) -> String {
        thread_name(thread)
    }
}

impl Names for ThreadSymbols<'_> {
    fn name(&self, callee: Callee) -> String {
        match callee {
            Callee::Function(Entry { process, start }) => self
                .of(process)
                .function_name(start)
                .unwrap_or_else(|| format!("{start:#x}")),
            Callee::Exception(number) => format!("exception {number}"),
            Callee::Unknown => "[unknown]".to_owned(),
        }
    }

    fn thread(&self, thread: &Thread) -> String {
        let numbers = thread_name(thread);
        match self.thread_name(thread) {
            Some(name) => format!("{numbers} {}", name.escape_debug()),
            None => numbers,
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
