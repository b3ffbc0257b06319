// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is in the record stream of a core.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use anyhow::Result;
use coretrace_capture::{CoreCapture, Source, SourceDescription};
use coretrace_etm::Protocol;
use coretrace_streams::{Damage, Item, Reader, Start};

use super::summary::{self, BufferSummary, SourceSummary, Summary, TraceSummary};
use crate::stream_file::read_stream;

/// Counters of losses, and what they count.
const LOSSES: [(&str, &str); 5] = [
    ("LOST_WORDS", "words of the trace port were lost"),
    ("SYNC_LOSSES", "losses of frame sync"),
    ("LOSSES", "losses before the decoder"),
    ("RECORD_GAPS", "gaps in the record stream"),
    ("PROFILE_GAPS", "gaps in the profile stream"),
];

/// Counts the records of a stream, and what its core counted meanwhile. It has no bytes of trace, so these
/// are 0.
///
/// # Errors
/// If it cannot be read.
pub fn summary_of(path: &Path, stream: impl Read) -> Result<TraceSummary> {
    let mut reader = Reader::new();
    let mut counts = Counts::default();
    let bytes = read_stream(path, stream, |bytes| {
        reader.bytes(bytes, |item| counts.item(&item));
        Ok(())
    })?;
    reader.finish(|item| counts.item(&item));
    let Counts {
        sources,
        damage,
        lost_words,
        ..
    } = counts;
    let mut found = Vec::new();
    if damage.is_any() {
        found.push(damage.to_string());
    }
    let core = CoreCapture::open(path)?;
    let unfinished = core.as_ref().and_then(CoreCapture::damage);
    found.extend(unfinished.map(str::to_owned));
    let counters = core.map(|core| core.counters).unwrap_or_default();
    let counters: Vec<(String, u32)> = counters
        .between()
        .map(|(name, count)| (name.to_owned(), count))
        .collect();
    found.extend(losses(&counters));
    if lost_words > 0 && counters.is_empty() {
        found.push(format!(
            "{lost_words} words of the trace port were lost since the reset of the core"
        ));
    }
    let sources = sources.into_values().map(|(start, sums)| {
        let source = Source::new(&described(&start))?;
        Ok(SourceSummary::new(&source, sums))
    });
    Ok(TraceSummary {
        schema: summary::SCHEMA,
        name: path.display().to_string(),
        damage: found,
        counters,
        buffers: vec![BufferSummary {
            name: None,
            format: "record stream".to_owned(),
            bytes,
            frames: 0,
            sync_losses: 0,
            bytes_without_frame: 0,
            null_bytes: 0,
            sources: sources.collect::<Result<_>>()?,
            other_ids: Vec::new(),
        }],
    })
}

/// A sentence for each counter of losses that is not 0.
fn losses(counters: &[(String, u32)]) -> impl Iterator<Item = String> {
    counters.iter().filter_map(|(name, count)| {
        let of_losses = LOSSES.iter().find(|(of, _)| of == name && *count > 0);
        of_losses.map(|(_, what)| format!("{count} {what} while the core captured"))
    })
}

/// Counts by trace ID.
#[derive(Default)]
struct Counts {
    sources: BTreeMap<u8, (Start, Summary)>,
    id: u8,
    damage: Damage,
    /// The core's counter.
    lost_words: u32,
}

impl Counts {
    fn item(&mut self, item: &Item<'_>) {
        self.damage.count(item);
        match item {
            Item::Start(start) | Item::Source(start) => {
                self.id = start.trace_id;
                self.sources
                    .entry(self.id)
                    .or_insert_with(|| (**start, Summary::default()));
            }
            Item::Lost(words) => self.lost_words = *words,
            Item::Record(record) => {
                if let Some((_, sums)) = self.sources.get_mut(&self.id) {
                    sums.count(record);
                }
            }
            Item::Place(_) | Item::Skipped(_) | Item::Gap(_) => {}
        }
    }
}

/// The source of a start. A stream does not name the core.
fn described(start: &Start) -> SourceDescription {
    let protocol = match start.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    SourceDescription {
        name: "core".to_owned(),
        protocol: protocol.to_owned(),
        trace_id: Some(start.trace_id).filter(|id| *id != 0),
        core: start.v8m.then(|| "ARMv8-M.main".to_owned()),
        registers: start
            .registers
            .named()
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
    }
}
