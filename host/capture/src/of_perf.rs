// SPDX-License-Identifier: MIT OR Apache-2.0
//! A perf.data as a trace.

use std::fs::File;
use std::io::{Read, Seek, copy};
use std::rc::Rc;

use anyhow::{Context, Result};

use crate::perf::PerfData;
use crate::{Trace, TraceBuffer, TraceBytes};

/// Opens a recording in a file.
///
/// # Errors
/// If it cannot be read or has no trace.
pub fn of_perf(name: String, file: File) -> Result<Trace> {
    let recording = PerfData::read(&file)?;
    let mut trace = Trace {
        name,
        buffers: Vec::new(),
        damage: recording.damage,
        mappings: recording.mappings,
        processes: recording.processes,
        memory: Vec::new(),
        case: None,
    };
    let file = Rc::new(file);
    for (number, buffer) in recording.buffers.into_iter().enumerate() {
        let bytes = TraceBytes::Pieces(Rc::clone(&file), buffer.pieces);
        let name = buffer
            .cpu
            .map_or_else(|| format!("thread{number}"), |cpu| format!("cpu{cpu}"));
        let sources = &buffer.sources;
        match TraceBuffer::of_usable(buffer.format, bytes, sources, &mut trace.damage) {
            Ok(buffer) => trace.buffers.push(TraceBuffer {
                name: Some(name),
                ..buffer
            }),
            Err(error) => trace
                .damage
                .push(format!("the buffer of {name} is not read: {error:#}")),
        }
    }
    trace.with_buffers()
}

/// Opens a recording in a stream, through a temporary file: the registers of the trace units may
/// stand behind the trace.
///
/// # Errors
/// As [`of_perf`], and if there is no place for the file.
pub fn of_perf_stream(name: String, mut reader: impl Read) -> Result<Trace> {
    let mut spool = || -> std::io::Result<File> {
        let mut file = tempfile::tempfile()?;
        copy(&mut reader, &mut file)?;
        file.rewind()?;
        Ok(file)
    };
    of_perf(
        name,
        spool().context("cannot store the recording in a temporary file")?,
    )
}
