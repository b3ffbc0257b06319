// SPDX-License-Identifier: MIT OR Apache-2.0
//! The contents of the streams of a core.

use coretrace_etm::Record;
use coretrace_profile::{Profile, StreamReader};
use coretrace_streams::{Item, Reader, Start};

/// The contents of a record stream.
#[derive(Default)]
pub struct StreamContents {
    /// The starts.
    pub starts: Vec<Start>,
    /// The lost words of the trace port in each loss record.
    pub losses: Vec<u32>,
    /// All records.
    pub records: Vec<Record>,
    /// Those since the last start.
    pub since_start: Vec<Record>,
}

impl StreamContents {
    /// Reads the words of a stream.
    ///
    /// # Panics
    /// If they are not a record stream, or a group is incomplete.
    pub fn read(words: &[u32]) -> StreamContents {
        let mut reader = Reader::new();
        let mut contents = StreamContents::default();
        for &word in words {
            let sink = |item: Item<'_>| match item {
                Item::Start(start) => {
                    contents.starts.push(*start);
                    contents.since_start.clear();
                }
                Item::Lost(total) => contents.losses.push(total),
                Item::Record(record) => {
                    contents.records.push(*record);
                    contents.since_start.push(*record);
                }
            };
            reader.word(word, sink).expect("a record stream");
        }
        assert!(reader.is_complete());
        contents
    }
}

/// The sums of a record stream or a profile stream.
///
/// # Panics
/// If they are neither, or end in the middle of a group or an entry.
pub fn sums(words: &[u32]) -> Profile {
    let mut profile = Profile::default();
    let mut reader = StreamReader::new(&mut profile);
    for &word in words {
        reader.word(word).expect("a stream of a core");
    }
    assert!(reader.is_complete());
    profile
}
