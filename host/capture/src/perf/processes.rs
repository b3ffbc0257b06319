// SPDX-License-Identifier: MIT OR Apache-2.0
//! Which process a thread belongs to, what they are called, and what each process had in memory.

use std::collections::BTreeMap;

/// The processes and threads of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processes {
    pub(super) threads: BTreeMap<u32, Thread>,
    pub(super) processes: BTreeMap<u32, Process>,
    pub(super) address_spaces: Vec<Vec<u32>>,
}

/// A thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    /// Its process.
    pub pid: u32,
    /// Its last name. It may contain anything.
    pub name: Option<String>,
}

/// A process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// The name of the program that it executed last, otherwise the last name of its main thread.
    pub name: Option<String>,
    /// The number of its address space, if it mapped anything.
    pub address_space: Option<usize>,
}

impl Processes {
    /// The threads by their numbers.
    pub fn threads(&self) -> impl Iterator<Item = (u32, &Thread)> {
        self.threads.iter().map(|(&tid, thread)| (tid, thread))
    }

    /// A thread.
    pub fn thread(&self, tid: u32) -> Option<&Thread> {
        self.threads.get(&tid)
    }

    /// A process.
    pub fn process(&self, pid: u32) -> Option<&Process> {
        self.processes.get(&pid)
    }

    /// What processes had in memory: places in the list of mappings, of which the last one at an address
    /// counts. A process that forked, and its children, have one address space until one of them maps
    /// something.
    pub fn address_spaces(&self) -> &[Vec<u32>] {
        &self.address_spaces
    }
}
