// SPDX-License-Identifier: MIT OR Apache-2.0
//! The records of processes and threads, and what is known behind them.
//!
//! A process that forks gives its mappings to its child; what either maps later is its own. A process
//! that executes another program has only what it maps from then on. Records count in the order of
//! their times: each CPU writes its own, and the file has them one CPU after the other.
//!
//! Of a process only what it had in the end is kept, with all that it mapped since it began or since
//! it last executed a program: the time of a mapping is not compared with that of the trace. Of two
//! processes or threads with the same number, the later one counts.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::constants::{misc, record};
use super::damage::Damage;
use super::input::u32_at;
use super::mappings::text;
use super::processes::{Process, Processes, Thread};

/// The most records of processes and threads.
const MAX_STEPS: usize = 1 << 19;
/// The most mappings that processes got by copies of what another one had.
const MAX_COPIED: usize = 1 << 21;
/// Characters of a name, at most. Linux has 15, and 63 for some of its own threads.
const MAX_NAME: usize = 64;
/// The number of the kernel, which is no process.
const KERNEL: u32 = u32::MAX;

/// What a record says.
#[derive(Debug)]
enum Event {
    /// A thread has a name.
    Name {
        tid: u32,
        pid: u32,
        name: String,
        is_exec: bool,
    },
    /// A thread began, as a part of its process or as a process of its own.
    Fork {
        tid: u32,
        pid: u32,
        parent_tid: u32,
        parent_pid: u32,
        inherits: bool,
    },
    /// A thread belongs to a process.
    Thread { tid: u32, pid: u32 },
    /// A thread mapped something: its place in the list of mappings.
    Map { tid: u32, pid: u32, index: u32 },
}

/// Records of processes, as they come.
#[derive(Debug, Default)]
pub struct Steps {
    list: Vec<(u64, Event)>,
    left_out: bool,
}

impl Steps {
    /// Takes the body of an MMAP or MMAP2 record whose mapping has this place in the list.
    pub fn map(&mut self, pid: u32, index: usize, body: &[u8], time: Option<u64>) {
        let tid = u32_at(body, 4).unwrap_or(pid);
        let index = index as u32;
        self.push(Event::Map { tid, pid, index }, time);
    }

    /// Takes the body of a record of a process or thread.
    pub fn record(&mut self, kind: u32, flags: u16, body: &[u8], time: Option<u64>) {
        if let Some(event) = event(kind, flags, body) {
            self.push(event, time);
        }
    }

    /// A record without a time is as old as the one in front of it.
    fn push(&mut self, event: Event, time: Option<u64>) {
        if self.list.len() >= MAX_STEPS {
            self.left_out = true;
            return;
        }
        let before = self.list.last().map_or(0, |(time, _)| *time);
        self.list.push((time.unwrap_or(before), event));
    }

    /// The processes.
    pub fn finish(mut self, damage: &mut Damage) -> Processes {
        let mut history = History::default();
        self.list.sort_by_key(|(time, _)| *time);
        for (_, event) in self.list {
            history.event(event);
        }
        if self.left_out || history.copied > MAX_COPIED {
            damage.report(format!(
                "it has more than {MAX_STEPS} records of processes, or {MAX_COPIED} mappings of forked ones: \
                 the rest is not used"
            ));
        }
        history.finish()
    }
}

fn event(kind: u32, flags: u16, body: &[u8]) -> Option<Event> {
    let word = |place: usize| u32_at(body, 4 * place);
    let event = match kind {
        record::COMM => Event::Name {
            pid: word(0)?,
            tid: word(1)?,
            name: text(body.get(8..)?).chars().take(MAX_NAME).collect(),
            is_exec: flags & misc::COMM_EXEC != 0,
        },
        record::FORK => Event::Fork {
            pid: word(0)?,
            parent_pid: word(1)?,
            tid: word(2)?,
            parent_tid: word(3)?,
            inherits: flags & misc::FORK_EXEC == 0,
        },
        record::EXIT => Event::Thread {
            pid: word(0)?,
            tid: word(2)?,
        },
        _ => Event::Thread {
            pid: word(0)?,
            tid: word(1)?,
        },
    };
    Some(event)
}

/// What is known after some of the records.
#[derive(Default)]
struct History {
    threads: BTreeMap<u32, Thread>,
    names: HashMap<u32, ProcessName>,
    /// What each process has in memory. After a fork two have one list.
    mapped: BTreeMap<u32, Arc<Vec<u32>>>,
    /// Mappings that were copied to other lists.
    copied: usize,
}

struct ProcessName {
    name: String,
    /// It is that of an executed program: no later name of a thread takes its place.
    is_exec: bool,
}

impl History {
    fn event(&mut self, event: Event) {
        match event {
            Event::Thread { tid, pid } => self.thread(tid, pid),
            Event::Name {
                tid,
                pid,
                name,
                is_exec,
            } => {
                self.thread(tid, pid);
                let is_named = self.names.get(&pid).is_some_and(|known| known.is_exec);
                if is_exec || tid == pid && !is_named {
                    let name = name.clone();
                    self.names.insert(pid, ProcessName { name, is_exec });
                }
                if is_exec {
                    self.mapped.remove(&pid);
                }
                if let Some(thread) = self.threads.get_mut(&tid) {
                    thread.name = Some(name);
                }
            }
            Event::Fork {
                tid,
                pid,
                parent_tid,
                parent_pid,
                inherits,
            } => {
                let parent = self.threads.get(&parent_tid);
                let name = parent.and_then(|parent| parent.name.clone());
                self.thread(tid, pid);
                if let Some(thread) = self.threads.get_mut(&tid) {
                    thread.name = name;
                }
                if pid != parent_pid && inherits {
                    self.fork(pid, parent_pid);
                }
            }
            Event::Map { tid, pid, index } => {
                self.thread(tid, pid);
                let mapped = self.mapped.entry(pid).or_default();
                if Arc::get_mut(mapped).is_none() {
                    self.copied += mapped.len();
                }
                if self.copied <= MAX_COPIED {
                    Arc::make_mut(mapped).push(index);
                }
            }
        }
    }

    fn thread(&mut self, tid: u32, pid: u32) {
        if pid != KERNEL && tid != KERNEL {
            self.threads.entry(tid).or_default().pid = pid;
        }
    }

    /// A process begins with the name and the memory of another one.
    fn fork(&mut self, pid: u32, parent: u32) {
        match self.names.get(&parent).map(|parent| parent.name.clone()) {
            Some(name) => {
                let is_exec = false;
                self.names.insert(pid, ProcessName { name, is_exec });
            }
            None => drop(self.names.remove(&pid)),
        }
        match self.mapped.get(&parent).cloned() {
            Some(mapped) => drop(self.mapped.insert(pid, mapped)),
            None => drop(self.mapped.remove(&pid)),
        }
    }

    fn finish(self) -> Processes {
        let mut threads = self.threads;
        let mut processes: BTreeMap<u32, Process> = BTreeMap::new();
        let mut numbers: HashMap<*const Vec<u32>, usize> = HashMap::new();
        let mut address_spaces = Vec::new();
        for (pid, name) in self.names {
            processes.entry(pid).or_default().name = Some(name.name);
        }
        for (&pid, mapped) in &self.mapped {
            // A main thread has the number of its process.
            let main = || Thread { pid, name: None };
            threads.entry(pid).or_insert_with(main);
            let number = numbers.entry(Arc::as_ptr(mapped)).or_insert_with(|| {
                address_spaces.push(mapped.to_vec());
                address_spaces.len() - 1
            });
            processes.entry(pid).or_default().address_space = Some(*number);
        }
        Processes {
            threads,
            processes,
            address_spaces,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// The body of a COMM record.
    fn comm(pid: u32, tid: u32, name: &str) -> Vec<u8> {
        [words(&[pid, tid]), name.as_bytes().to_vec(), vec![0]].concat()
    }

    /// The body of a FORK record: a thread of a process, and those of its parent.
    fn fork(child: (u32, u32), parent: (u32, u32)) -> Vec<u8> {
        words(&[child.0, parent.0, child.1, parent.1])
    }

    fn finish(steps: Steps) -> Processes {
        let mut damage = Damage::default();
        let processes = steps.finish(&mut damage);
        assert_eq!(damage.finish(), Vec::<String>::new());
        processes
    }

    /// What a process has in memory.
    fn mapped(processes: &Processes, pid: u32) -> Vec<u32> {
        let space = processes.process(pid).and_then(|it| it.address_space);
        space.map_or(Vec::new(), |it| processes.address_spaces()[it].clone())
    }

    #[test]
    fn a_child_has_what_its_parent_mapped_until_it_executes() {
        let mut steps = Steps::default();
        steps.map(10, 0, &words(&[10, 10]), Some(1));
        steps.record(record::FORK, 0, &fork((20, 20), (10, 10)), Some(2));
        steps.record(record::FORK, 0, &fork((30, 30), (10, 10)), Some(3));
        steps.map(10, 1, &words(&[10, 10]), Some(4));
        steps.record(
            record::COMM,
            misc::COMM_EXEC,
            &comm(30, 30, "sort"),
            Some(5),
        );
        steps.map(30, 2, &words(&[30, 30]), Some(6));
        let found = finish(steps);
        assert_eq!(mapped(&found, 10), [0, 1]);
        assert_eq!(mapped(&found, 20), [0]);
        assert_eq!(mapped(&found, 30), [2]);
        assert_eq!(found.address_spaces().len(), 3);
    }

    #[test]
    fn processes_that_have_the_same_share_an_address_space() {
        let mut steps = Steps::default();
        steps.map(10, 0, &words(&[10, 10]), None);
        for pid in 11..1000 {
            steps.record(record::FORK, 0, &fork((pid, pid), (10, 10)), None);
        }
        let found = finish(steps);
        assert_eq!(found.address_spaces(), [[0]]);
        assert_eq!(mapped(&found, 999), [0]);
    }

    #[test]
    fn records_count_in_the_order_of_their_times() {
        let mut steps = Steps::default();
        // The CPU of the child comes first.
        let exec = comm(20, 20, "sort");
        steps.record(record::COMM, misc::COMM_EXEC, &exec, Some(5));
        steps.map(20, 1, &words(&[20, 20]), Some(6));
        steps.map(10, 0, &words(&[10, 10]), Some(3));
        steps.record(record::FORK, 0, &fork((20, 20), (10, 10)), Some(4));
        let found = finish(steps);
        assert_eq!(mapped(&found, 20), [1]);
        assert_eq!(mapped(&found, 10), [0]);
    }

    #[test]
    fn a_process_that_was_there_before_inherits_nothing() {
        let mut steps = Steps::default();
        steps.map(10, 0, &words(&[10, 10]), None);
        let body = fork((20, 20), (10, 10));
        steps.record(record::FORK, misc::FORK_EXEC, &body, None);
        steps.map(20, 1, &words(&[20, 20]), None);
        assert_eq!(mapped(&finish(steps), 20), [1]);
    }

    #[test]
    fn threads_have_a_process_and_names() {
        let mut steps = Steps::default();
        steps.record(record::COMM, misc::COMM_EXEC, &comm(10, 10, "server"), None);
        steps.record(record::FORK, 0, &fork((10, 11), (10, 10)), None);
        steps.record(record::COMM, 0, &comm(10, 11, "worker"), None);
        // A main thread may have a name of its own.
        steps.record(record::COMM, 0, &comm(10, 10, "main"), None);
        steps.record(record::ITRACE_START, 0, &words(&[10, 12]), None);
        steps.record(record::EXIT, 0, &fork((10, 13), (10, 10)), None);
        steps.map(40, 0, &words(&[40, 41]), None);
        let found = finish(steps);
        let name = |tid| found.thread(tid).and_then(|it| it.name.as_deref());
        let of_10 = |(tid, it): (u32, &Thread)| (it.pid == 10).then_some(tid);
        assert_eq!(
            found.threads().filter_map(of_10).collect::<Vec<_>>(),
            [10, 11, 12, 13]
        );
        assert_eq!(
            (name(10), name(11), name(12)),
            (Some("main"), Some("worker"), None)
        );
        let process = found.process(10).expect("a process");
        assert_eq!(process.name.as_deref(), Some("server"));
        let pid_of = |tid| found.thread(tid).map(|it| it.pid);
        assert_eq!(
            (pid_of(40), pid_of(41), pid_of(42)),
            (Some(40), Some(40), None)
        );
    }

    #[test]
    fn forged_forks_take_bounded_memory() {
        let mut steps = Steps::default();
        for index in 0..1 << 16 {
            steps.map(10, index, &words(&[10, 10]), None);
        }
        for pid in 1000..1200 {
            steps.record(record::FORK, 0, &fork((pid, pid), (10, 10)), None);
            steps.map(pid, 0, &words(&[pid, pid]), None);
        }
        let mut damage = Damage::default();
        let found = steps.finish(&mut damage);
        let kept: usize = found.address_spaces().iter().map(Vec::len).sum();
        assert!(kept < MAX_COPIED + (1 << 18), "{kept}");
        assert_eq!(damage.finish().len(), 1);
        let mut steps = Steps::default();
        for tid in 0..=MAX_STEPS as u32 {
            steps.record(record::ITRACE_START, 0, &words(&[1, tid]), None);
        }
        assert_eq!(steps.list.len(), MAX_STEPS);
        assert!(steps.left_out);
    }
}
