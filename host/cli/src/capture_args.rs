// SPDX-License-Identifier: MIT OR Apache-2.0
//! The trace that a command works on.

use std::io::{Cursor, Read, stdin};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use clap::Args;
use coretrace_capture::{
    BareTrace, Container, CoreCapture, Format, SourceDescription, Trace, TraceBuffer, TraceBytes,
    container, is_guessed, open, open_stream,
};
use coretrace_coresight::TraceId;
use coretrace_etm::Registers;

use crate::error::say;
use crate::stream_file;

/// The register that names the trace ID.
pub const TRACE_ID: &str = "TRCTRACEIDR";

/// Heading of the options that describe bare trace.
const BARE: &str = "Bare trace";

/// The path that means standard input or output.
pub const STANDARD: &str = "-";

/// Names a trace.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// A capture folder, a CoreSight snapshot, a perf.data, a file of bare trace, or - for standard
    /// input
    capture: PathBuf,

    #[command(flatten)]
    pub options: CaptureOptions,
}

/// How a trace is read.
#[derive(Debug, Args)]
pub struct CaptureOptions {
    /// How bare trace is framed: raw (one source, the default), frames, tpiu-fsync, tpiu-hsync or
    /// dstream
    #[arg(long, value_name = "FORMAT", help_heading = BARE)]
    raw_format: Option<Format>,

    #[command(flatten)]
    source: BareSource,

    /// Bytes without any A-Sync after which a trace is given up
    #[arg(long, value_name = "BYTES", default_value_t = 64 << 20)]
    pub sync_limit: u64,
}

/// What a command works on.
pub enum Input {
    /// Bytes of trace.
    Trace(Box<Trace>),
    /// A stream of a core.
    Stream(Box<dyn Read>),
}

/// Which streams of a core a command takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Streams {
    /// Record streams.
    Records,
    /// Record streams and profile streams. Whatever is not known for something else may be one.
    Any,
}

impl Streams {
    /// Whether bytes with this beginning are taken for one.
    fn has(self, beginning: &[u8]) -> bool {
        coretrace_streams::begins_packet(beginning)
            || coretrace_streams::software::begins_packet(beginning)
            || self == Streams::Any
                && matches!(container(beginning), Container::Unknown | Container::Empty)
    }
}

/// Describes the sources of bare trace.
#[derive(Debug, Args)]
struct BareSource {
    /// Protocol of the source: ETM4 (the default) or ETE
    #[arg(long, value_parser = ["ETM4", "ETE"], ignore_case = true, help_heading = BARE)]
    protocol: Option<String>,

    /// Name of the traced core, such as Cortex-M33: it decides the profile
    #[arg(long, help_heading = BARE)]
    core: Option<String>,

    /// A register of the trace unit; give each that is needed
    #[arg(long, value_name = "NAME=VALUE", value_parser = register, help_heading = BARE)]
    reg: Vec<(&'static str, u32)>,
}

impl BareSource {
    fn is_given(&self) -> bool {
        self.protocol.is_some() || self.core.is_some() || !self.reg.is_empty()
    }
}

impl CaptureArgs {
    /// Opens the trace, or the record stream of a core. `id` is the trace ID of the only source of
    /// interest.
    ///
    /// # Errors
    /// As [`CaptureOptions::open_input`].
    pub fn open_input(&self, id: Option<TraceId>) -> Result<Input> {
        self.options.open_input(&self.capture, id, Streams::Records)
    }

    /// What the user calls the trace.
    pub fn path(&self) -> &Path {
        &self.capture
    }

    /// Opens the trace for its frames alone: bare trace needs no description of a source.
    ///
    /// # Errors
    /// As [`CaptureOptions::open`].
    pub fn open_frames(&self) -> Result<Trace> {
        let Some(format) = self.options.raw_format else {
            return self.options.open(&self.capture, None);
        };
        self.options.check_kind(&self.capture)?;
        ensure!(
            format != Format::Raw,
            "raw trace is the bytes of one source: it has no frames to take apart"
        );
        let bytes = if self.capture == Path::new(STANDARD) {
            TraceBytes::once(Box::new(stdin()))
        } else {
            TraceBytes::of_file(&self.capture)?
        };
        let buffer = TraceBuffer::of_whole_frames(format, bytes, &[])?;
        Ok(Trace::of_buffer(self.capture.display().to_string(), buffer))
    }
}

impl CaptureOptions {
    /// Opens a trace.
    ///
    /// # Errors
    /// As [`CaptureOptions::open_input`], and if it is the record stream of a core.
    pub fn open(&self, path: &Path, id: Option<TraceId>) -> Result<Trace> {
        match self.open_input(path, id, Streams::Records)? {
            Input::Trace(trace) => Ok(*trace),
            Input::Stream(_) => bail!(
                "{} is the record stream of a core, which has no bytes of trace: `etm4 records` lists it",
                path.display()
            ),
        }
    }

    /// Opens a trace, or a stream of a core.
    ///
    /// # Errors
    /// If there is no such trace, it cannot be used, or its description is missing or given twice.
    pub fn open_input(&self, path: &Path, id: Option<TraceId>, streams: Streams) -> Result<Input> {
        self.check_kind(path)?;
        if let Some(core) = CoreCapture::open(path)? {
            if let Some(damage) = core.damage() {
                say(&format!("warning: {}: {damage}", path.display()));
            }
            return Ok(Input::Stream(stream_file::open(&core.file)?));
        }
        let bare = self.bare(id);
        let trace = if is_described(path) {
            open(path, bare.as_ref())?
        } else {
            let (head, rest) = stream_file::beginning(stream_file::open(path)?)?;
            let stream = Cursor::new(head.clone()).chain(rest);
            if bare.is_none() && streams.has(&head) {
                return Ok(Input::Stream(Box::new(stream)));
            }
            // What can be opened again can be read several times.
            if path.is_file() {
                open(path, bare.as_ref())?
            } else {
                open_stream(&name_of(path), stream, bare.as_ref())?
            }
        };
        report(&trace);
        Ok(Input::Trace(Box::new(trace)))
    }

    /// The name of the traced core, if it was given.
    pub fn core(&self) -> Option<&str> {
        self.source.core.as_deref()
    }

    /// The description of bare trace, if there is one.
    fn bare(&self, id: Option<TraceId>) -> Option<BareTrace> {
        if self.source.reg.is_empty() {
            return None;
        }
        let registers = self.source.reg.iter();
        let programmed = registers.clone().find(|(name, _)| *name == TRACE_ID);
        let programmed = programmed.map(|(_, value)| (value & 0x7F) as u8);
        let protocol = self.source.protocol.as_deref().unwrap_or("ETM4");
        Some(BareTrace {
            format: self.raw_format.unwrap_or(Format::Raw),
            source: SourceDescription {
                name: "ETM".into(),
                protocol: protocol.to_ascii_uppercase(),
                trace_id: id.map(TraceId::value).or(programmed),
                core: self.source.core.clone(),
                registers: registers
                    .map(|&(name, value)| (name.into(), value))
                    .collect(),
            },
            scan_limit: self.sync_limit,
        })
    }

    /// Options for bare trace go with nothing else.
    fn check_kind(&self, path: &Path) -> Result<()> {
        if self.raw_format.is_none() && !self.source.is_given() {
            return Ok(());
        }
        ensure!(
            !path.is_dir(),
            "{} is a folder: it is described by a file in it, and --raw-format, --protocol, --core and \
             --reg are for bare trace",
            path.display()
        );
        if path
            .extension()
            .is_some_and(|extension| extension == "toml" || extension == "ini")
        {
            bail!(
                "{} describes a trace: leave out --raw-format, --protocol, --core and --reg",
                path.display()
            );
        }
        Ok(())
    }
}

/// What messages call standard input and other files.
fn name_of(path: &Path) -> String {
    if path == Path::new(STANDARD) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

/// Whether a path is no file of bytes: a folder, or a text that describes a trace.
fn is_described(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    path.is_dir() || matches!(extension, Some("toml" | "ini" | "ett"))
}

/// Says what is wrong with a trace.
fn report(trace: &Trace) {
    for source in trace.buffers.iter().flat_map(|buffer| &buffer.sources) {
        if let Some(core) = source.core.as_deref().filter(|core| is_guessed(core)) {
            say(&format!(
                "note: core {core:?} is not known: it is decoded as an application core"
            ));
        }
    }
    for damage in &trace.damage {
        say(&format!("warning: {damage}"));
    }
}

/// Reads `NAME=VALUE`.
fn register(text: &str) -> Result<(&'static str, u32), String> {
    let (name, value) = text.split_once('=').ok_or("write it as NAME=VALUE")?;
    let mut known = Registers::NAMES.iter().chain(&[TRACE_ID]).copied();
    let name = known
        .find(|known| known.eq_ignore_ascii_case(name))
        .ok_or_else(|| {
            format!(
                "only these registers change decoding: {}, {TRACE_ID}",
                Registers::NAMES.join(", ")
            )
        })?;
    let digits = value.strip_prefix("0x").or(value.strip_prefix("0X"));
    if digits.is_none() && value.len() > 1 && value.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(format!(
            "{value:?} may be decimal or hexadecimal: write it as 0x{value} if it is hexadecimal"
        ));
    }
    u32::from_str_radix(digits.unwrap_or(value), 16)
        .map(|value| (name, value))
        .map_err(|_| format!("{value:?} is not a 32-bit number; write it as 0x28000ea1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_known_by_name_and_their_values_are_hexadecimal() {
        assert_eq!(register("TRCIDR0=0x28000ea1"), Ok(("TRCIDR0", 0x2800_0EA1)));
        assert_eq!(register("trcidr8=0"), Ok(("TRCIDR8", 0)));
        for text in ["TRCIDR0", "TRCIDRO=1", "TRCIDR0=x", "TRCIDR0=0x100000000"] {
            assert!(register(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_number_that_may_be_decimal_or_hexadecimal_is_refused() {
        for text in ["TRCCONFIGR=1001", "TRCIDR8=20", "TRCIDR0=28000ea1"] {
            let error = register(text).unwrap_err();
            assert!(error.contains("write it as 0x"), "{error}");
        }
    }
}
