// SPDX-License-Identifier: MIT OR Apache-2.0
//! The same with version 1 of the record stream, whose readers took one word at a time. The bench
//! compiles this in a worktree of a commit that has it.

mod measure;

use std::hint::black_box;
use std::path::Path;

use coretrace_profile::{Profile, StreamReader};
use coretrace_streams::{Reader, Writer};
use measure::{print, seconds, sets};

fn profile(words: &[u32]) {
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    for &word in words {
        reader.word(word).expect("a stream");
    }
    black_box(reader.timeline());
    black_box(profile);
}

fn main() {
    let root = std::env::args().nth(1).expect("the folder of the project");
    for set in sets(Path::new(&root)) {
        let mut words = Vec::new();
        let mut writer = Writer::new(set.start, &mut words);
        for record in &set.records {
            writer.record(record, &mut words);
        }
        writer.flush(&mut words);
        let read = seconds(|| {
            let mut reader = Reader::new();
            for &word in &words {
                let sink = |item: coretrace_streams::Item<'_>| {
                    black_box(&item);
                };
                reader.word(word, sink).expect("a stream");
            }
        });
        let count = set.records.len();
        print(&set, "records", count, &words, read);
        let added = seconds(|| profile(&words));
        print(&set, "profile of records", count, &words, added);
        let added = seconds(|| profile(&set.entries));
        print(
            &set,
            "profile of entries",
            set.entries.len() / 4,
            &set.entries,
            added,
        );
    }
}
