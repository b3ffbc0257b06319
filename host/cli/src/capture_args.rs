// SPDX-License-Identifier: MIT OR Apache-2.0
//! The capture that a command works on.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use coretrace_capture::{Capture, Format, SourceDescription};
use coretrace_coresight::TraceId;
use coretrace_etm::Registers;

/// The register that names the trace ID.
const TRACE_ID: &str = "TRCTRACEIDR";

/// Heading of the options that describe a bare trace file.
const BARE: &str = "Bare trace files";

/// Names a capture folder or a bare trace file.
#[derive(Debug, Args)]
pub struct CaptureArgs {
    /// A capture folder (with a capture.toml in it) or a bare trace file
    capture: PathBuf,

    /// How a bare trace file is framed: raw (one source, the default), frames, tpiu-fsync,
    /// tpiu-hsync or dstream
    #[arg(long, value_name = "FORMAT", help_heading = BARE)]
    raw_format: Option<Format>,

    #[command(flatten)]
    source: BareSource,
}

/// Describes the one source of a bare trace file.
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
    /// Opens the capture to decode it; `id` is the trace ID of a bare file's source.
    ///
    /// # Errors
    /// If there is no such capture, it cannot be used, or its description is missing or given
    /// twice.
    pub fn open(&self, id: Option<TraceId>) -> Result<Capture> {
        if self.is_folder()? {
            return Capture::open(&self.capture);
        }
        ensure!(
            !self.source.reg.is_empty(),
            "{} is a bare trace file: give the registers of its source, --reg TRCCONFIGR=0x... and so \
             on, or put it into a folder with a capture.toml",
            self.capture.display()
        );
        let format = self.raw_format.unwrap_or(Format::Raw);
        ensure!(
            format == Format::Raw || id.is_some(),
            "{format} needs the trace ID of the source to decode: give it with --id",
        );
        let protocol = self.source.protocol.as_deref().unwrap_or("ETM4");
        let registers = self.source.reg.iter();
        let source = SourceDescription {
            name: "ETM".into(),
            protocol: protocol.to_ascii_uppercase(),
            trace_id: id.map(TraceId::value),
            core: self.source.core.clone(),
            registers: registers
                .map(|&(name, value)| (name.into(), value))
                .collect(),
        };
        Capture::from_file(&self.capture, format, &[source])
    }

    /// Opens the capture for its frames alone: a bare file needs no description of a source.
    ///
    /// # Errors
    /// As [`CaptureArgs::open`].
    pub fn open_frames(&self) -> Result<Capture> {
        if self.is_folder()? {
            return Capture::open(&self.capture);
        }
        let Some(format @ Format::Framed(_)) = self.raw_format else {
            anyhow::bail!(
                "{} is a bare trace file: say with --raw-format how it is framed",
                self.capture.display()
            );
        };
        Capture::from_file(&self.capture, format, &[])
    }

    fn is_folder(&self) -> Result<bool> {
        if self.raw_format.is_none() && !self.source.is_given() {
            return Ok(!self.capture.is_file());
        }
        ensure!(
            !self.capture.is_dir(),
            "{} is a folder: it is described by its capture.toml, and --raw-format, --protocol, \
             --core and --reg are for bare trace files",
            self.capture.display()
        );
        Ok(false)
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
    let parsed = match value.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => value.parse(),
    };
    parsed
        .map(|value| (name, value))
        .map_err(|_| format!("{value:?} is not a 32-bit number; write it as 0x28000ea1"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_known_by_name_and_hexadecimal_or_decimal() {
        assert_eq!(register("TRCIDR0=0x28000ea1"), Ok(("TRCIDR0", 0x2800_0EA1)));
        assert_eq!(register("trcidr8=20"), Ok(("TRCIDR8", 20)));
        for text in ["TRCIDR0", "TRCIDRO=1", "TRCIDR0=x", "TRCIDR0=0x100000000"] {
            assert!(register(text).is_err(), "{text}");
        }
    }
}
