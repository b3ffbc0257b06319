// SPDX-License-Identifier: MIT OR Apache-2.0
//! The symbols of a trace of several processes.

use std::collections::HashMap;
use std::sync::Arc;

use coretrace_flow::Processes;
use coretrace_program::Symbols;

use crate::event::Thread;

/// The symbols of programs, in the memory of the process that a thread belongs to.
pub struct ThreadSymbols<'a> {
    symbols: Symbols<'a>,
    processes: Arc<Processes>,
    names: HashMap<u32, String>,
}

/// In the memory of every process.
impl<'a> From<Symbols<'a>> for ThreadSymbols<'a> {
    fn from(symbols: Symbols<'a>) -> ThreadSymbols<'a> {
        ThreadSymbols::new(symbols, Arc::default(), HashMap::new())
    }
}

impl<'a> ThreadSymbols<'a> {
    /// The symbols of these processes, and the names of threads by their numbers.
    pub fn new(
        symbols: Symbols<'a>,
        processes: Arc<Processes>,
        names: HashMap<u32, String>,
    ) -> ThreadSymbols<'a> {
        ThreadSymbols {
            symbols,
            processes,
            names,
        }
    }

    /// The process of a thread, if it is known.
    pub fn process(&self, thread: &Thread) -> Option<u32> {
        self.processes.of(thread.vmid, thread.cid)
    }

    /// What the recording calls a thread.
    pub fn thread_name(&self, thread: &Thread) -> Option<&str> {
        let number = self.processes.thread(thread.vmid, thread.cid)?;
        self.names.get(&number).map(String::as_str)
    }

    /// The symbols in the memory of a process.
    pub fn of(&self, process: Option<u32>) -> Symbols<'a> {
        self.symbols.of(process)
    }
}
