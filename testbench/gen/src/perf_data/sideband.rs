// SPDX-License-Identifier: MIT OR Apache-2.0
//! Mappings, and records that a reader of trace passes over.

use std::collections::BTreeMap;

use coretrace_capture::perf::constants::{PROT_EXEC, misc, record};
use rand::RngExt;
use rand::seq::IndexedRandom;

use super::writer::{Origin, Writer};
use crate::Rng;

/// A mapping that could be executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenMapping {
    /// The process; `None` for the kernel.
    pub pid: Option<u32>,
    /// The first address.
    pub address: u64,
    /// Bytes.
    pub len: u64,
    /// The place in the file.
    pub offset: u64,
    /// The file.
    pub path: String,
    /// The build ID.
    pub build_id: Option<Vec<u8>>,
}

/// The processes and threads of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WrittenProcesses {
    /// Threads by number: their processes and names.
    pub threads: BTreeMap<u32, (u32, Option<String>)>,
    /// What each process has in memory: places in the list of mappings.
    pub mapped: BTreeMap<u32, Vec<u32>>,
}

/// What was written so far.
#[derive(Default)]
pub struct Sideband {
    /// The mappings that could be executed.
    pub mappings: Vec<WrittenMapping>,
    /// The processes and threads.
    pub processes: WrittenProcesses,
}

/// Numbers of processes and threads are below this, so that they come again.
const PROCESSES: u32 = 8;

impl Sideband {
    /// Writes some records.
    pub fn write(&mut self, rng: &mut Rng, writer: &mut Writer) {
        for _ in 0..rng.random_range(0..12) {
            match rng.random_range(0..7) {
                0 => other(rng, writer),
                1 => writer.tracing_data(&[7; 13]),
                2..=3 => self.process(rng, writer),
                _ => self.mapping(rng, writer),
            }
        }
    }

    /// COMM, FORK, EXIT or ITRACE_START.
    fn process(&mut self, rng: &mut Rng, writer: &mut Writer) {
        let [pid, tid, parent_pid, parent_tid] = [(); 4].map(|()| rng.random_range(1..PROCESSES));
        let words = |words: &[u32]| -> Vec<u8> {
            words.iter().flat_map(|word| word.to_le_bytes()).collect()
        };
        let mut write = |kind, flags, body: &[u8]| {
            writer.kernel(kind, flags, body, true, Origin::default());
        };
        let WrittenProcesses { threads, mapped } = &mut self.processes;
        let flag: bool = rng.random();
        match rng.random_range(0..4) {
            0 => {
                let name = format!("name{}", rng.random_range(0..100));
                let mut body = [words(&[pid, tid]), name.as_bytes().to_vec()].concat();
                body.resize((body.len() + 1).next_multiple_of(8), 0);
                write(record::COMM, u16::from(flag) * misc::COMM_EXEC, &body);
                if flag {
                    mapped.remove(&pid);
                }
                threads.insert(tid, (pid, Some(name)));
            }
            1 => {
                let body = words(&[pid, parent_pid, tid, parent_tid, 0, 0]);
                write(record::FORK, u16::from(flag) * misc::FORK_EXEC, &body);
                let parent = threads.get(&parent_tid);
                let name = parent.and_then(|(_, name)| name.clone());
                threads.insert(tid, (pid, name));
                if pid != parent_pid && !flag {
                    match mapped.get(&parent_pid).cloned() {
                        Some(list) => mapped.insert(pid, list),
                        None => mapped.remove(&pid),
                    };
                }
            }
            kind => {
                if kind == 2 {
                    write(record::EXIT, 0, &words(&[pid, 1, tid, 1, 0, 0]));
                } else {
                    write(record::ITRACE_START, 0, &words(&[pid, tid]));
                }
                threads.entry(tid).or_default().0 = pid;
            }
        }
    }
}

/// A record without use here: a sample, or one of simpleperf that is long.
fn other(rng: &mut Rng, writer: &mut Writer) {
    if rng.random() {
        writer.record(9, 2, &vec![0x55; 8 * rng.random_range(0..100)]);
    } else {
        writer.record(record::SIMPLEPERF + 3, 0, &vec![0xAA; 0x1_2340]);
    }
}

impl Sideband {
    fn mapping(&mut self, rng: &mut Rng, writer: &mut Writer) {
        let number: u32 = rng.random();
        let is_kernel = rng.random_bool(0.2);
        let mut mapping = WrittenMapping {
            pid: (!is_kernel).then_some(1 + number % PROCESSES),
            address: rng.random::<u64>() & !0xFFF,
            len: 0x1000 * rng.random_range(1..100),
            offset: 0x1000 * rng.random_range(0..10),
            path: format!("/system/lib/lib{number:x}.so"),
            build_id: None,
        };
        let pid = mapping.pid.unwrap_or(u32::MAX);
        let mut body = [pid, pid].map(u32::to_le_bytes).concat();
        body.extend(
            [mapping.address, mapping.len, mapping.offset]
                .map(u64::to_le_bytes)
                .concat(),
        );
        let is_executable = rng.random_bool(0.7);
        let mut flags = 2;
        let id: [u8; 20] = rng.random();
        let is_mmap2 = rng.random();
        let mut kind = record::MMAP;
        if is_mmap2 {
            kind = record::MMAP2;
            if rng.random() {
                let len = rng.random_range(8..=20);
                flags |= misc::MMAP_BUILD_ID;
                body.extend([len, 0, 0, 0]);
                body.extend(id);
                mapping.build_id = Some(id[..len.into()].to_vec());
            } else {
                body.extend([0; 24]);
            }
            let protection = if is_executable { PROT_EXEC | 1 } else { 3 };
            body.extend([protection, 2].map(u32::to_le_bytes).concat());
        } else if !is_executable {
            flags |= misc::MMAP_DATA;
        }
        if mapping.build_id.is_none() && rng.random() {
            let len = *[8, 16, 20].choose(rng).expect("lengths");
            writer.build_id(&id[..len], &mapping.path);
            mapping.build_id = Some(id[..len].to_vec());
        }
        body.extend(mapping.path.as_bytes());
        body.resize((body.len() + 1).next_multiple_of(8), 0);
        writer.kernel(kind, flags, &body, true, Origin::default());
        if !is_executable {
            return;
        }
        if let Some(pid) = mapping.pid {
            let WrittenProcesses { threads, mapped } = &mut self.processes;
            threads.entry(pid).or_default().0 = pid;
            let list = mapped.entry(pid).or_default();
            list.push(self.mappings.len() as u32);
        }
        self.mappings.push(mapping);
    }
}
