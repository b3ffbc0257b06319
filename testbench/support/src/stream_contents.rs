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
    /// If anything in them is no part of a whole packet, or a packet is missing.
    pub fn read(words: &[u32]) -> StreamContents {
        let mut reader = Reader::new();
        let mut contents = StreamContents::default();
        reader.words(words, |item| match item {
            Item::Start(start) => {
                contents.starts.push(*start);
                contents.since_start.clear();
            }
            Item::Lost(total) => contents.losses.push(total),
            Item::Record(record) => {
                contents.records.push(*record);
                contents.since_start.push(*record);
            }
            other => panic!("{other:?}"),
        });
        reader.finish(|item| panic!("{item:?}"));
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
    reader.words(words).expect("a stream of a core");
    let summary = reader.finish().expect("a stream of a core");
    assert!(!summary.is_cut && !summary.damage.is_any());
    profile
}
