// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parts of a profile: what shards of a trace counted, stored and added up.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use coretrace_capture::Trace;
use coretrace_counts::{Counter, Source};
use serde::{Deserialize, Serialize};

use crate::error::say;
use crate::follow::{Followed, Shard};

const SCHEMA: &str = "etm4.profile-part.1";

/// The most bytes of a part.
const MAX_BYTES: u64 = 1 << 30;

/// What a shard counted.
#[derive(Serialize, Deserialize)]
struct Part {
    schema: String,
    /// Which one, as K/N.
    shard: String,
    /// Bytes of the whole trace.
    trace_bytes: u64,
    is_decoded: bool,
    doubts: u64,
    is_end_doubtful: bool,
    sources: Vec<Counter>,
}

/// What a shard of a trace counted, as JSON.
///
/// # Errors
/// If the trace is a pipe.
pub fn write(
    shard: Shard,
    trace: &Trace,
    sources: Vec<Counter>,
    followed: &Followed,
) -> Result<String> {
    let part = Part {
        schema: SCHEMA.to_owned(),
        shard: shard.to_string(),
        trace_bytes: bytes_of(trace)?,
        is_decoded: followed.is_decoded,
        doubts: followed.doubts,
        is_end_doubtful: followed.is_end_doubtful,
        sources,
    };
    Ok(serde_json::to_string(&part)? + "\n")
}

/// What all shards of a trace counted together, which is what the whole counts.
///
/// # Errors
/// If a file is no part of this trace, or one is missing or there twice.
pub fn read(paths: &[PathBuf], trace: &Trace) -> Result<(Vec<Counter>, Followed)> {
    let trace_bytes = bytes_of(trace)?;
    let mut parts = Vec::new();
    for path in paths {
        let name = path.display();
        let part = read_part(path).with_context(|| format!("{name} cannot be used as a part"))?;
        ensure!(
            part.trace_bytes == trace_bytes,
            "{name} is a part of another trace: that one has {} bytes",
            part.trace_bytes
        );
        let shard: Shard = part.shard.parse().with_context(|| name.to_string())?;
        parts.push((shard, part));
    }
    parts.sort_by_key(|(shard, _)| shard.number());
    let (count, have) = (parts[0].0.count(), parts.len());
    for (place, (shard, _)) in parts.iter().enumerate() {
        ensure!(
            shard.number() as usize == place && shard.count() == count,
            "the parts are not all of one trace, each once: there is no {place}/{count}"
        );
    }
    ensure!(
        have == count as usize,
        "the parts are not all of the trace: there is no {have}/{count}"
    );
    Ok(append(parts))
}

fn append(parts: Vec<(Shard, Part)>) -> (Vec<Counter>, Followed) {
    let mut followed = Followed::default();
    let mut counters: Vec<Counter> = Vec::new();
    for (shard, part) in parts {
        if part.is_end_doubtful {
            say(&format!(
                "warning: behind the part {shard} the next one began without knowing all that this one did"
            ));
        }
        followed.is_decoded |= part.is_decoded;
        followed.doubts = followed.doubts.saturating_add(part.doubts);
        for later in part.sources {
            let source: Source = later.source();
            match counters
                .iter_mut()
                .find(|counter| counter.source() == source)
            {
                Some(counter) => counter.append(later),
                None => {
                    let mut counter = later.begin_again();
                    counter.append(later);
                    counters.push(counter);
                }
            }
        }
    }
    (counters, followed)
}

fn read_part(path: &Path) -> Result<Part> {
    let bytes = fs::metadata(path)?.len();
    ensure!(
        bytes <= MAX_BYTES,
        "it has {bytes} bytes, and at most {MAX_BYTES} are read"
    );
    let part: Part = serde_json::from_reader(BufReader::new(File::open(path)?))?;
    ensure!(
        part.schema == SCHEMA,
        "its schema is {:?}, not {SCHEMA:?}",
        part.schema
    );
    Ok(part)
}

/// The bytes of all buffers of a trace.
fn bytes_of(trace: &Trace) -> Result<u64> {
    let mut sum = 0;
    for buffer in &trace.buffers {
        sum += buffer
            .bytes
            .len()?
            .context("a pipe has no parts: store the trace in a file")?;
    }
    Ok(sum)
}
