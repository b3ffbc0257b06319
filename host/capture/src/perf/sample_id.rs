// SPDX-License-Identifier: MIT OR Apache-2.0
//! The fields that the kernel adds to the end of its records: which thread, which CPU, when.

use std::collections::HashMap;

use anyhow::{Result, ensure};

use super::constants::{SAMPLE_ID_ALL, sample};
use super::input::{u32_at, u64_at};

/// The most IDs of all events together.
const MAX_IDS: usize = 1 << 20;
/// Bytes of the part of an attribute that every version has.
pub const MIN_ATTRIBUTE: usize = 64;

/// Thread, CPU and time of a record, as far as it says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SampleId {
    /// Thread.
    pub tid: Option<u32>,
    /// CPU.
    pub cpu: Option<u32>,
    /// Time.
    pub time: Option<u64>,
}

/// The places of the fields: 8-byte words from the end of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Layout {
    id: Option<usize>,
    cpu: Option<usize>,
    tid: Option<usize>,
    time: Option<usize>,
}

impl Layout {
    fn new(sample_type: u64, flags: u64) -> Layout {
        let mut words = 0;
        let mut place = |field: u64| {
            let is_there = sample_type & field != 0 && flags & SAMPLE_ID_ALL != 0;
            words += usize::from(is_there);
            is_there.then_some(words)
        };
        // The last field first.
        let identifier = place(sample::IDENTIFIER);
        let cpu = place(sample::CPU);
        place(sample::STREAM_ID);
        let id = place(sample::ID);
        let time = place(sample::TIME);
        Layout {
            id: identifier.or(id),
            cpu,
            time,
            tid: place(sample::TID),
        }
    }
}

/// The events of a recording.
#[derive(Debug, Default)]
pub struct Events {
    layouts: Vec<Layout>,
    by_id: HashMap<u64, Layout>,
    number_of_ids: usize,
}

impl Events {
    /// Adds an event: the bytes of its attribute, and its IDs.
    ///
    /// # Errors
    /// If there are more IDs than any recording has.
    pub fn add(&mut self, attribute: &[u8], ids: &[u8]) -> Result<()> {
        let (Some(sample_type), Some(flags)) = (u64_at(attribute, 24), u64_at(attribute, 40))
        else {
            return Ok(());
        };
        let layout = Layout::new(sample_type, flags);
        if !self.layouts.contains(&layout) {
            self.layouts.push(layout);
        }
        for id in ids.as_chunks().0 {
            self.by_id.insert(u64::from_le_bytes(*id), layout);
            self.number_of_ids += 1;
            ensure!(
                self.number_of_ids <= MAX_IDS,
                "the events have more than {MAX_IDS} IDs: record fewer events"
            );
        }
        Ok(())
    }

    /// Thread, CPU and time of a record of the kernel, from its body.
    pub fn sample_id(&self, body: &[u8]) -> SampleId {
        let word = |place: usize| body.len().checked_sub(8 * place);
        let layout = match &self.layouts[..] {
            [] => None,
            [only] => Some(*only),
            [first, ..] => first
                .id
                .and_then(word)
                .and_then(|at| self.by_id.get(&u64_at(body, at)?).copied()),
        };
        let half = |place: Option<usize>, half: usize| u32_at(body, word(place?)? + 4 * half);
        SampleId {
            tid: layout.and_then(|layout| half(layout.tid, 1)),
            cpu: layout.and_then(|layout| half(layout.cpu, 0)),
            time: layout.and_then(|layout| u64_at(body, word(layout.time?)?)),
        }
    }
}
