// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the streams of the core have told.

use coretrace_etm::Record;
use coretrace_profile::{Profile, StreamReader};
use coretrace_streams::{Item, Reader, Start};

/// All that was in a stream.
#[derive(Default)]
pub struct StreamContents {
    /// The starts.
    pub starts: Vec<Start>,
    /// The words of the trace port that each loss tells of.
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
    /// If they are no record stream, or a group is not complete.
    pub fn read(words: &[u32]) -> StreamContents {
        let mut reader = Reader::new();
        let mut told = StreamContents::default();
        for &word in words {
            let sink = |item: Item<'_>| match item {
                Item::Start(start) => {
                    told.starts.push(*start);
                    told.since_start.clear();
                }
                Item::Lost(total) => told.losses.push(total),
                Item::Record(record) => {
                    told.records.push(*record);
                    told.since_start.push(*record);
                }
            };
            reader.word(word, sink).expect("a record stream");
        }
        assert!(reader.is_complete());
        told
    }
}

/// What the words of a record stream, or of a profile stream, add up to.
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
