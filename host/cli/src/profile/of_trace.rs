// SPDX-License-Identifier: MIT OR Apache-2.0
//! The sums of a trace that is decoded here.

use anyhow::Result;
use coretrace_capture::{Pass, RecordSink, Trace};
use coretrace_decode::Policy;
use coretrace_etm::Record;
use coretrace_profile::report::Timed;
use coretrace_profile::{Profile, SourceSums};

use crate::follow::FollowArgs;
use crate::progress::Progress;
use crate::selection::select_sources;

/// Decodes all sources of a trace and adds their records to `profile`. Returns the counts over time
/// of each source that has any bytes; `name` is what the trace is called in them.
///
/// # Errors
/// If the trace cannot be read, or none of its sources can be decoded.
pub fn add_trace(
    name: &str,
    trace: &Trace,
    follow: &FollowArgs,
    sync_limit: u64,
    profile: &mut Profile,
) -> Result<Vec<Timed>> {
    let mut timed = Vec::new();
    for selected in select_sources(trace, follow.id)? {
        let buffer = selected.buffer;
        let sources = selected.sources.iter().map(|&index| &buffer.sources[index]);
        let ids: Vec<u8> = sources.map(|source| source.trace_id.unwrap_or(0)).collect();
        let mut summing = Summing {
            sources: ids.iter().map(|id| (0, SourceSums::new(*id))).collect(),
            profile,
            progress: buffer
                .bytes
                .len()?
                .map(|bytes| Progress::new("profile", bytes)),
        };
        let pass = Pass {
            buffer,
            sources: &selected.sources,
            policy: Policy::from(follow.on_error),
            sync_limit,
        };
        pass.run(&mut summing)?;
        let sources = summing.sources;
        for (id, (records, sums)) in ids.into_iter().zip(sources) {
            let timeline = sums.finish(profile);
            let part = buffer
                .name
                .as_deref()
                .map_or(String::new(), |name| format!(" {name}"));
            if records > 0 {
                timed.push(Timed {
                    name: format!("{name}{part} ID {id:02x}"),
                    timeline,
                });
            }
        }
    }
    Ok(timed)
}

/// Adds up the records of a buffer.
struct Summing<'a> {
    /// Number of records, and their sums.
    sources: Vec<(u64, SourceSums)>,
    profile: &'a mut Profile,
    progress: Option<Progress>,
}

impl RecordSink for Summing<'_> {
    fn record(&mut self, source: usize, record: &Record, _raw: &[u8]) {
        let (records, sums) = &mut self.sources[source];
        *records += 1;
        sums.record(record, self.profile);
    }

    fn progress(&mut self, bytes: u64) {
        if let Some(progress) = &mut self.progress {
            progress.part(bytes);
        }
    }
}
