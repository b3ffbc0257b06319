// SPDX-License-Identifier: MIT OR Apache-2.0
//! Profile streams for tests.

use std::path::Path;

use coretrace_abi::profile_stream::{Entry, EntryKind};

use crate::common::store;

/// An address packet of a profile stream.
pub fn target(key: u64, weight: u32) -> Entry {
    Entry {
        kind: EntryKind::Target,
        trace_id: 0x10,
        weight,
        key,
    }
}

/// Writes entries as a profile stream; the path of the file.
pub fn store_entries(folder: &Path, entries: &[Entry]) -> String {
    let words: Vec<u32> = entries.iter().flat_map(Entry::words).collect();
    store(folder, "profile", &words)
}
