// SPDX-License-Identifier: MIT OR Apache-2.0
//! What frames and threads are called. Names of functions come from the program and may contain
//! anything.

use std::collections::HashMap;

use crate::event::{Callee, Entry, Thread};
use crate::symbols::ThreadSymbols;
use crate::tree::NodeKind;

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

/// The names of the nodes of a tree, each asked for once.
pub struct KnownNames<'a, N> {
    names: &'a N,
    frames: HashMap<Callee, String>,
    thread: String,
}

impl<'a, N: Names> KnownNames<'a, N> {
    /// Knows none yet.
    pub fn new(names: &'a N) -> KnownNames<'a, N> {
        KnownNames {
            names,
            frames: HashMap::new(),
            thread: String::new(),
        }
    }

    /// The name of a node.
    pub fn of(&mut self, kind: NodeKind) -> &str {
        match kind {
            NodeKind::Thread(thread) => {
                self.thread = self.names.thread(&thread);
                &self.thread
            }
            NodeKind::Frame(callee) => self
                .frames
                .entry(callee)
                .or_insert_with(|| self.names.name(callee)),
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
