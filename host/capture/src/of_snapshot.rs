// SPDX-License-Identifier: MIT OR Apache-2.0
//! A CoreSight snapshot as a trace.

use std::path::Path;

use anyhow::Result;

use crate::perf::Processes;
use crate::snapshot::{Snapshot, SnapshotBuffer};
use crate::{Trace, TraceBuffer, TraceBytes};

/// Bytes of a buffer in which syncs are looked for.
const DETECTED_BYTES: usize = 1 << 16;

/// Opens a snapshot: its folder, or its `snapshot.ini`.
///
/// # Errors
/// If a file cannot be used, or there is no trace.
pub fn of_snapshot(path: &Path) -> Result<Trace> {
    let snapshot = Snapshot::open(path)?;
    let mut trace = Trace {
        name: snapshot.name,
        buffers: Vec::new(),
        damage: Vec::new(),
        mappings: Vec::new(),
        processes: Processes::default(),
        memory: snapshot.dumps,
        case: None,
    };
    // A device with a reason is a source.
    let sources = snapshot
        .skipped
        .into_iter()
        .filter(|device| device.contains(": "));
    trace.damage.extend(sources);
    for buffer in snapshot.buffers {
        let name = buffer.name.clone();
        match of_buffer(buffer, &mut trace.damage) {
            Ok(buffer) => trace.buffers.push(TraceBuffer {
                name: Some(name),
                ..buffer
            }),
            Err(error) => trace
                .damage
                .push(format!("buffer {name} is not read: {error:#}")),
        }
    }
    trace.with_buffers()
}

fn of_buffer(buffer: SnapshotBuffer, damage: &mut Vec<String>) -> Result<TraceBuffer> {
    let bytes = TraceBytes::Files(buffer.files);
    let format = buffer.framing.format(&bytes.start(DETECTED_BYTES)?);
    TraceBuffer::of_usable(format, bytes, &buffer.sources, damage)
}
