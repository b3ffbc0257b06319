// SPDX-License-Identifier: MIT OR Apache-2.0
//! A capture: trace bytes, their framing and their sources, all checked.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_coresight::FRAME_BYTES;
use coretrace_decode::tpiu;

use crate::{Description, Format, Source, SourceDescription, sha256_hex};

/// Name of the description in a capture folder.
const DESCRIPTION: &str = "capture.toml";

/// Trace bytes with everything that a decoder must know about them.
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
    /// Loads a capture folder: `capture.toml` and the trace file that it names.
    ///
    /// # Errors
    /// If a file cannot be read, `capture.toml` is not well-formed, the trace file is not the one
    /// described, or [`Capture::new`] refuses the contents.
    pub fn open(folder: &Path) -> Result<Capture> {
        let path = folder.join(DESCRIPTION);
        let text = fs::read_to_string(&path).with_context(|| {
            format!(
                "cannot read {}: a capture is a folder with a {DESCRIPTION} in it",
                path.display()
            )
        })?;
        let description = Description::parse(&text)
            .with_context(|| format!("{} cannot be used", path.display()))?;
        let file = folder.join(&description.file);
        let bytes = read(&file)?;
        check_identity(&description, &bytes)
            .with_context(|| format!("{} is not the file described", file.display()))?;
        Capture::new(
            description.name,
            description.format,
            bytes,
            &description.sources,
        )
        .with_context(|| format!("{} cannot be used", path.display()))
    }

    /// Makes a capture from a bare trace file.
    ///
    /// # Errors
    /// If the file cannot be read or [`Capture::new`] refuses it.
    pub fn from_file(
        file: &Path,
        format: Format,
        sources: &[SourceDescription],
    ) -> Result<Capture> {
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        Capture::new(name.into_owned(), format, read(file)?, sources)
            .with_context(|| format!("{} cannot be used", file.display()))
    }

    /// Makes a capture from its parts.
    ///
    /// # Errors
    /// If there are no bytes, the last frame is cut short, a source is refused by [`Source::new`],
    /// a raw capture has not exactly one source, or a source in a framed capture has no trace ID.
    pub fn new(
        name: String,
        format: Format,
        bytes: Vec<u8>,
        sources: &[SourceDescription],
    ) -> Result<Capture> {
        ensure!(!bytes.is_empty(), "the trace is empty: capture it again");
        let whole = bytes.len() / FRAME_BYTES * FRAME_BYTES;
        ensure!(
            format != Format::Framed(tpiu::Format::Frames) || whole == bytes.len(),
            "the last frame, at offset {whole}, has {} of {FRAME_BYTES} bytes: cut the trace to {whole} \
             bytes, or name a format with sync words if there are any between its frames",
            bytes.len() - whole
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
        Ok(Capture {
            name,
            format,
            bytes,
            sources,
        })
    }

    /// The source with this trace ID.
    pub fn source(&self, trace_id: u8) -> Option<&Source> {
        self.sources
            .iter()
            .find(|source| source.trace_id == Some(trace_id))
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    fs::read(file).with_context(|| format!("cannot read {}: is the name right?", file.display()))
}

fn check_identity(description: &Description, bytes: &[u8]) -> Result<()> {
    if let Some(want) = description.bytes {
        ensure!(
            want == bytes.len() as u64,
            "it has {} bytes and should have {want}: get it again or correct `bytes`",
            bytes.len()
        );
    }
    if let Some(want) = &description.sha256 {
        let found = sha256_hex(bytes);
        ensure!(
            found.eq_ignore_ascii_case(want),
            "its SHA-256 is {found} and should be {want}: get it again or correct `sha256`"
        );
    }
    Ok(())
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
