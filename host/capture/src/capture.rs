// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture in memory: the trace bytes of one buffer, their framing and their sources.

use std::path::Path;

use anyhow::{Result, ensure};

use crate::ett::Case;
use crate::folder::open_folder;
use crate::{Format, Source, SourceDescription, TraceBuffer, TraceBytes};

/// Trace bytes in memory, with everything that a decoder must know about them.
///
/// A capture of any size is read as a [`Trace`](crate::Trace), in blocks. This one is for
/// simulations and tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    /// Name of the capture.
    pub name: String,
    /// How the bytes are framed.
    pub format: Format,
    /// The capture, at least one byte.
    pub bytes: Vec<u8>,
    /// The sources: exactly one in a raw capture, otherwise each with its own trace ID.
    pub sources: Vec<Source>,
}

impl Capture {
    /// Loads a capture folder.
    ///
    /// # Errors
    /// As [`open_folder`].
    pub fn open(folder: &Path) -> Result<Capture> {
        let trace = open_folder(folder)?;
        Capture::load(&trace.name, trace.only_buffer()?)
    }

    /// Loads a buffer into memory. `name` is that of the trace.
    ///
    /// # Errors
    /// If it cannot be read, is empty, or bytes were lost within it.
    pub fn load(name: &str, buffer: &TraceBuffer) -> Result<Capture> {
        let (bytes, losses) = buffer.bytes.load()?;
        ensure!(
            losses.is_empty(),
            "{name:?} was stored in {} pieces, which the simulated hardware does not take: use the model",
            losses.len() + 1
        );
        ensure!(!bytes.is_empty(), "the trace is empty: capture it again");
        Ok(Capture {
            name: name.to_owned(),
            format: buffer.format,
            bytes,
            sources: buffer.sources.clone(),
        })
    }

    /// Makes a raw capture of a case.
    ///
    /// # Errors
    /// If it has no byte.
    pub fn of_case(case: &Case) -> Result<Capture> {
        let sources = std::slice::from_ref(&case.source);
        Capture::new(case.name.clone(), Format::Raw, case.bytes.clone(), sources)
    }

    /// Makes a capture from its parts.
    ///
    /// # Errors
    /// As [`TraceBuffer::of_whole_frames`].
    pub fn new(
        name: String,
        format: Format,
        bytes: Vec<u8>,
        sources: &[SourceDescription],
    ) -> Result<Capture> {
        let bytes = TraceBytes::memory(bytes);
        Capture::load(
            &name,
            &TraceBuffer::of_whole_frames(format, bytes, sources)?,
        )
    }

    /// The source with this trace ID.
    pub fn source(&self, trace_id: u8) -> Option<&Source> {
        self.sources
            .iter()
            .find(|source| source.trace_id == Some(trace_id))
    }
}
