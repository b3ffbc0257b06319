// SPDX-License-Identifier: MIT OR Apache-2.0
//! The memory of several processes.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};

use crate::loaded::{Loaded, Part};

/// The most parts of files in the memory of all processes. A forged recording could otherwise fill that
/// of this one.
const MAX_PARTS: usize = 1 << 21;

/// What is in memory.
#[derive(Default)]
pub struct Memory {
    /// Parts that were added, each in every memory that it is in.
    parts: usize,
    /// What every process has.
    shared: Loaded,
    /// What those processes have that have something of their own, with what all have.
    processes: BTreeMap<u32, Loaded>,
}

impl Memory {
    /// Adds a part to the memory of its process, or of every one.
    ///
    /// # Errors
    /// If there are too many.
    pub fn add(&mut self, start: u64, part: Part) -> Result<()> {
        let is_known = |process| self.processes.contains_key(&process);
        self.parts += match part.process.map(is_known) {
            None => 1 + self.processes.len(),
            Some(true) => 1,
            Some(false) => 1 + self.shared.parts().count(),
        };
        ensure!(
            self.parts <= MAX_PARTS,
            "the processes of the recording have more than {MAX_PARTS} parts of files in memory: record fewer \
             processes"
        );
        let Some(process) = part.process else {
            for loaded in self.processes.values_mut() {
                loaded.add(start, part);
            }
            self.shared.add(start, part);
            return Ok(());
        };
        let loaded = self.processes.entry(process);
        let loaded = loaded.or_insert_with(|| self.shared.clone());
        loaded.add(start, part);
        Ok(())
    }

    /// The memory of a process, or what every process has.
    pub fn of(&self, process: Option<u32>) -> &Loaded {
        let own = process.and_then(|process| self.processes.get(&process));
        own.unwrap_or(&self.shared)
    }

    /// Each part once: those of every process first.
    pub fn parts(&self) -> impl Iterator<Item = (u64, Part)> {
        let own = self.processes.values().flat_map(Loaded::parts);
        let own = own.filter(|(_, part)| part.process.is_some());
        self.shared.parts().chain(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forged_processes_take_bounded_memory() {
        let part = |end: u64, process: Option<u32>| Part {
            end,
            bias: 0,
            file: 0,
            process,
        };
        let mut memory = Memory::default();
        for start in 0..5000 {
            let added = memory.add(2 * start, part(2 * start + 1, None));
            added.expect("there is room");
        }
        let mut added = (0..5000).map(|process| memory.add(1 << 40, part(2 << 40, Some(process))));
        let error = added.find_map(Result::err).expect("too many");
        assert!(error.to_string().contains("record fewer processes"));
        let parts = |loaded: &Loaded| loaded.parts().count();
        let kept: usize = memory.processes.values().map(parts).sum();
        assert!(kept <= MAX_PARTS, "{kept}");
    }
}
