// SPDX-License-Identifier: MIT OR Apache-2.0
//! Readers of what `etm4` itself wrote: profiles as JSON, flow tables, descriptions of what a core stored.

pub mod seeds;

use std::fs;

use coretrace_capture::CoreCapture;
use coretrace_counts::{Counter, Difference, Functions};
use coretrace_sites::FlowTable;

/// A profile as JSON, which `etm4 diff` reads: it does not differ from itself, and every difference can
/// be written.
pub fn functions(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let Ok(functions) = Functions::of_json(text) else {
        return;
    };
    let same = Difference::new(&functions, &functions);
    assert!(same.functions.is_empty());
    let sums = functions.instructions.values();
    let executed = sums.filter(|sum| **sum > 0).count();
    for (before, changed) in [(&functions, 0), (&Functions::default(), executed)] {
        let difference = Difference::new(before, &functions);
        assert_eq!(difference.functions.len(), changed);
        let mut text = String::new();
        difference.write_text(&mut text, 10);
        difference.write_tsv(&mut text);
        difference.write_json(&mut text);
    }
}

/// What shards counted: counters that add up in any case, and are read again as they are written.
pub fn counters(data: &[u8]) {
    let Ok(counters) = serde_json::from_slice::<Vec<Counter>>(data) else {
        return;
    };
    let text = serde_json::to_string(&counters).expect("JSON");
    let again: Vec<Counter> = serde_json::from_str(&text).expect("what was written");
    let [have, want] = [counters, again].map(|parts| {
        let mut whole = parts.first()?.begin_again();
        for part in parts {
            whole.append(part);
        }
        Some(whole.finish())
    });
    assert_eq!(have, want);
}

/// A flow table: it is read again as it is written.
pub fn flow_table(data: &[u8]) {
    if let Ok(table) = FlowTable::from_bytes(data) {
        assert_eq!(FlowTable::from_bytes(&table.to_bytes()), Ok(table));
    }
}

/// The description of what a core stored: its file is in the folder, and its counters are written as they
/// are read.
pub fn core_capture(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("capture.toml"), data).expect("a file");
    if let Ok(Some(capture)) = CoreCapture::open(folder.path()) {
        assert!(capture.file.starts_with(folder.path()));
        let _ = capture.damage();
        let changes: Vec<_> = capture.counters.between().collect();
        assert_eq!(changes.len(), capture.counters.after.len());
    }
}
