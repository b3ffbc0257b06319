// SPDX-License-Identifier: MIT OR Apache-2.0
//! The programs of a trace, and the processes and threads that ran them.
//!
//! A recording of several processes has an address space for each, if its trace units trace the number
//! of the thread: a context then sees what its process mapped, and the kernel. Contexts of a thread
//! that the recording does not know see the kernel and what is in every address space, and those
//! without a thread see all mappings in one space, of which the last one at an address counts: Linux
//! traces no numbers of threads outside its first PID namespace, and thread 0 only runs the kernel.
//! Without numbers of threads every context sees that one space, and so it does where only one process
//! mapped anything.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use coretrace_calls::ThreadSymbols;
use coretrace_capture::Trace;
use coretrace_capture::perf::{self, Mapping};
use coretrace_counts::{By, Key, Who};
use coretrace_etm::Registers;
use coretrace_flow::{NO_THREAD, Processes};
use coretrace_program::Program;

use crate::error::say;
use crate::programs::{Placed, programs};

/// The programs of a trace, and who ran them.
pub struct Traced {
    /// The programs, in the address space of each process.
    pub program: Program,
    /// The address spaces of threads.
    pub processes: Arc<Processes>,
    recorded: perf::Processes,
}

impl Traced {
    /// The programs of a trace, with those that the user named; in one space unless `has_processes`.
    ///
    /// # Errors
    /// If a file that the user named cannot be used.
    pub fn new(named: &[PathBuf], trace: &Trace, has_processes: bool) -> Result<Traced> {
        let sources = trace.buffers.iter().flat_map(|buffer| &buffer.sources);
        let registers: Vec<&Registers> = sources.map(|source| &source.registers).collect();
        let has_threads = registers.iter().all(|it| Processes::has_threads(it));
        let recorded = &trace.processes;
        let of_process = trace.mappings.iter().filter_map(|mapping| mapping.pid);
        let is_several = has_processes && of_process.collect::<BTreeSet<_>>().len() > 1;
        let mut threads = HashMap::new();
        let placed = if is_several && has_threads {
            threads = address_spaces(recorded);
            let every = recorded.address_spaces().len() as u32;
            threads.insert(NO_THREAD, every);
            placed(&trace.mappings, recorded, every)
        } else {
            if is_several && let Some(address) = overlap(&trace.mappings) {
                say(&format!(
                    "note: the trace does not say which process ran, and several had {address:#x} in use: the \
                     last mapping counts"
                ));
            }
            let one = |mapping| Placed::in_every(mapping);
            trace.mappings.iter().map(one).collect()
        };
        let registers = registers.first().copied().copied().unwrap_or_default();
        Ok(Traced {
            program: programs(named, &placed)?,
            processes: Arc::new(Processes::new(&registers, threads)),
            recorded: recorded.clone(),
        })
    }

    /// A program without a trace, in the memory of every process.
    pub fn of_program(program: Program) -> Traced {
        Traced {
            program,
            processes: Arc::new(Processes::new(&Registers::default(), HashMap::new())),
            recorded: perf::Processes::default(),
        }
    }

    /// The symbols of the programs, by thread.
    ///
    /// # Errors
    /// If the debug information of a file has no list of units.
    pub fn symbols(&self) -> Result<ThreadSymbols<'_>> {
        let names = self.recorded.threads();
        let names = names.filter_map(|(tid, thread)| Some((tid, thread.name.clone()?)));
        let processes = Arc::clone(&self.processes);
        Ok(ThreadSymbols::new(
            self.program.symbols()?,
            processes,
            names.collect(),
        ))
    }

    /// What a row is about that is of a process or a thread of a recording; none if there are no
    /// threads.
    pub fn key(&self, by: By, who: &Who) -> Option<Key> {
        self.recorded.threads().next()?;
        let tid = self.processes.thread(who.context.vmid, who.context.cid)?;
        let thread = self.recorded.thread(tid);
        let pid = thread.map(|thread| thread.pid);
        let process = pid.and_then(|pid| self.recorded.process(pid));
        let name = match by {
            By::Thread => thread.and_then(|thread| thread.name.as_ref()),
            _ => process.and_then(|process| process.name.as_ref()),
        };
        Some(Key {
            name: name.map_or("[unknown]", String::as_str).to_owned(),
            pid,
            tid: (by == By::Thread).then_some(tid),
            ..Key::default()
        })
    }
}

/// The address space of each thread whose process mapped anything.
fn address_spaces(recorded: &perf::Processes) -> HashMap<u32, u32> {
    let space = |pid| Some(recorded.process(pid)?.address_space? as u32);
    let threads = recorded.threads();
    let threads = threads.filter_map(|(tid, thread)| Some((tid, space(thread.pid)?)));
    threads.collect()
}

/// The mappings of the kernel, those of each address space, and in that of the number `every` all.
fn placed<'a>(mappings: &'a [Mapping], recorded: &perf::Processes, every: u32) -> Vec<Placed<'a>> {
    let (kernel, own): (Vec<&Mapping>, Vec<&Mapping>) =
        mappings.iter().partition(|mapping| mapping.pid.is_none());
    let mut placed: Vec<Placed<'a>> = kernel.into_iter().map(Placed::in_every).collect();
    let in_space = |mapping, space: usize| Placed {
        mapping,
        process: Some(space as u32),
    };
    for (space, list) in recorded.address_spaces().iter().enumerate() {
        let list = list
            .iter()
            .filter_map(|&index| mappings.get(index as usize));
        placed.extend(list.map(|mapping| in_space(mapping, space)));
    }
    placed.extend(
        own.into_iter()
            .map(|mapping| in_space(mapping, every as usize)),
    );
    placed
}

/// An address at which two processes had something else.
fn overlap(mappings: &[Mapping]) -> Option<u64> {
    let own = mappings.iter().filter(|mapping| mapping.pid.is_some());
    let mut own: Vec<&Mapping> = own.collect();
    own.sort_by_key(|mapping| mapping.address);
    let is_other = |a: &Mapping, b: &Mapping| {
        let bias = |it: &Mapping| it.address.wrapping_sub(it.offset);
        a.pid != b.pid && (a.path != b.path || bias(a) != bias(b))
    };
    // The mapping that reaches farthest of those before.
    let mut before: Option<&Mapping> = None;
    let end = |it: &Mapping| it.address.saturating_add(it.len);
    for mapping in own {
        if let Some(last) = before
            && end(last) > mapping.address
            && is_other(last, mapping)
        {
            return Some(mapping.address);
        }
        if before.is_none_or(|last| end(mapping) >= end(last)) {
            before = Some(mapping);
        }
    }
    None
}
