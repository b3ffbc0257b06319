// SPDX-License-Identifier: MIT OR Apache-2.0
//! A trace as the user names it: its buffers, their framing and their sources, all checked.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use coretrace_coresight::FRAME_BYTES;
use coretrace_decode::tpiu;

use crate::ett::Case;
use crate::perf::{Mapping, Processes};
use crate::{Format, MemoryImage, Source, SourceDescription, TraceBytes};

/// Everything that a file, a folder or a stream holds of a trace.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Its name.
    pub name: String,
    /// The buffers that trace was stored in, at least one.
    pub buffers: Vec<TraceBuffer>,
    /// What is damaged or missing in the container, a sentence each.
    pub damage: Vec<String>,
    /// Which programs were in memory while the trace was recorded, if the container says so.
    pub mappings: Vec<Mapping>,
    /// The processes and threads that ran meanwhile, if the container says so.
    pub processes: Processes,
    /// What was in memory, if the container has it.
    pub memory: Vec<MemoryImage>,
    /// The case that it is, with what is expected of it.
    pub case: Option<Case>,
}

/// What one trace buffer held.
#[derive(Clone, Debug)]
pub struct TraceBuffer {
    /// Its name, if there are several.
    pub name: Option<String>,
    /// How the bytes are framed.
    pub format: Format,
    /// The bytes.
    pub bytes: TraceBytes,
    /// The sources: each with its own trace ID in frames, exactly one in a raw buffer that is not
    /// [split](TraceBuffer::split) off.
    pub sources: Vec<Source>,
}

impl Trace {
    /// A trace of one buffer.
    pub fn of_buffer(name: String, buffer: TraceBuffer) -> Trace {
        Trace {
            name,
            buffers: vec![buffer],
            damage: Vec::new(),
            mappings: Vec::new(),
            processes: Processes::default(),
            memory: Vec::new(),
            case: None,
        }
    }

    /// The trace, if there are any buffers in it.
    ///
    /// # Errors
    /// What is damaged, if there are none.
    pub(crate) fn with_buffers(self) -> Result<Trace> {
        ensure!(
            !self.buffers.is_empty(),
            "no trace buffer of it can be used: {}",
            self.damage.join("; ")
        );
        Ok(self)
    }

    /// Its only buffer.
    ///
    /// # Errors
    /// If there are several.
    pub fn only_buffer(&self) -> Result<&TraceBuffer> {
        match &self.buffers[..] {
            [buffer] => Ok(buffer),
            buffers => bail!(
                "{:?} has {} trace buffers and one is wanted: make captures of them with `etm4 convert`",
                self.name,
                buffers.len()
            ),
        }
    }
}

impl TraceBuffer {
    /// A buffer without a name.
    ///
    /// # Errors
    /// If there are no bytes, a source is refused by [`Source::new`], a raw buffer has not exactly
    /// one source, or a source in a framed buffer has no trace ID of its own.
    pub fn new(
        format: Format,
        bytes: TraceBytes,
        sources: &[SourceDescription],
    ) -> Result<TraceBuffer> {
        ensure!(
            bytes.len()? != Some(0),
            "the trace is empty: capture it again"
        );
        let sources = sources
            .iter()
            .map(Source::new)
            .collect::<Result<Vec<_>>>()?;
        match format {
            Format::Framed(_) => check_trace_ids(&sources)?,
            Format::Raw => ensure!(
                sources.len() == 1,
                "a raw capture is the trace of one source but {} are given: describe that one",
                sources.len()
            ),
        }
        Ok(TraceBuffer {
            name: None,
            format,
            bytes,
            sources,
        })
    }

    /// As [`TraceBuffer::new`], of a container that a tool wrote: sources that cannot be used are
    /// left out, and `damage` names them.
    ///
    /// # Errors
    /// If there are no bytes, or raw bytes have no source or several.
    pub(crate) fn of_usable(
        format: Format,
        bytes: TraceBytes,
        sources: &[SourceDescription],
        damage: &mut Vec<String>,
    ) -> Result<TraceBuffer> {
        let mut usable: Vec<SourceDescription> = Vec::new();
        for source in sources {
            let id = source.trace_id;
            if let Err(error) = Source::new(source) {
                damage.push(format!("{error:#}"));
            } else if usable
                .iter()
                .any(|other| other.trace_id == id && id.is_some())
            {
                damage.push(format!(
                    "source {:?} has the trace ID of another one",
                    source.name
                ));
            } else {
                usable.push(source.clone());
            }
        }
        TraceBuffer::new(format, bytes, &usable)
    }

    /// As [`TraceBuffer::new`], for bytes that should end with a whole frame.
    ///
    /// # Errors
    /// As [`TraceBuffer::new`], and if the last frame is cut short.
    pub fn of_whole_frames(
        format: Format,
        bytes: TraceBytes,
        sources: &[SourceDescription],
    ) -> Result<TraceBuffer> {
        if let (Format::Framed(tpiu::Format::Frames), Some(len)) = (format, bytes.len()?) {
            let rest = len % FRAME_BYTES as u64;
            let whole = len - rest;
            ensure!(
                rest == 0,
                "the last frame, at offset {whole}, has {rest} of {FRAME_BYTES} bytes: cut the trace to {whole} \
                 bytes, or name a format with sync words if there are any between its frames"
            );
        }
        TraceBuffer::new(format, bytes, sources)
    }

    /// Whether it holds frames, so that trace IDs distinguish its sources.
    pub fn is_framed(&self) -> bool {
        matches!(self.format, Format::Framed(_))
    }

    /// The source with this trace ID.
    pub fn source(&self, trace_id: u8) -> Option<&Source> {
        self.sources
            .iter()
            .find(|source| source.trace_id == Some(trace_id))
    }
}

fn check_trace_ids(sources: &[Source]) -> Result<()> {
    for (index, source) in sources.iter().enumerate() {
        let id = source.trace_id.with_context(|| {
            format!(
                "source {:?} has no trace_id: in frames every source needs one",
                source.name
            )
        })?;
        if let Some(other) = sources[..index].iter().find(|s| s.trace_id == Some(id)) {
            anyhow::bail!(
                "sources {:?} and {:?} both have trace_id {id:#04x}: give each its own",
                other.name,
                source.name
            );
        }
    }
    Ok(())
}

/// The name of a trace: that of its file without the extension.
pub(crate) fn name_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
