// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a snapshot holds.

use std::path::PathBuf;
use std::str::FromStr;

use coretrace_decode::tpiu::{self, detect_format};

use crate::{Format, MemoryImage, SourceDescription};

/// The trace of a snapshot. No trace byte has been read yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Name of the folder.
    pub name: String,
    /// The trace buffers, at least one.
    pub buffers: Vec<SnapshotBuffer>,
    /// Memory dumps of all devices.
    pub dumps: Vec<MemoryImage>,
    /// Devices that are of no use here: name, type and, for a trace source, the reason.
    pub skipped: Vec<String>,
}

/// A trace buffer and the sources that feed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotBuffer {
    /// Name of the buffer.
    pub name: String,
    /// Its files, in order: the trace is all of them joined.
    pub files: Vec<PathBuf>,
    /// How its bytes are framed.
    pub framing: Framing,
    /// Its sources. Those of source data have no trace ID.
    pub sources: Vec<SourceDescription>,
}

/// How the bytes of a buffer are framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    /// `source_data`: the bytes of one source.
    SourceData,
    /// `coresight`: frames. Whether there are syncs between them is not said.
    CoreSight,
    /// `dstream_coresight`: a trace port, mostly as a DSTREAM probe stores it. OpenCSD writes it for
    /// ports without a probe as well.
    Dstream,
}

impl Framing {
    const NAMES: [(Self, &'static str); 3] = [
        (Self::SourceData, "source_data"),
        (Self::CoreSight, "coresight"),
        (Self::Dstream, "dstream_coresight"),
    ];

    /// The format of a buffer that begins with these bytes; some tens of kilobytes are enough. It
    /// says whether there are syncs, and bytes of a probe.
    pub fn format(self, start: &[u8]) -> Format {
        match (self, detect_format(start)) {
            (Framing::SourceData, _) => Format::Raw,
            (Framing::Dstream, tpiu::Format::Frames) => Format::Framed(tpiu::Format::Dstream),
            (_, found) => Format::Framed(found),
        }
    }

    /// Its name in a snapshot.
    pub(super) fn name(self) -> &'static str {
        let named = Self::NAMES
            .into_iter()
            .find(|(framing, _)| *framing == self);
        named.map_or("", |(_, name)| name)
    }
}

impl FromStr for Framing {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Framing, &'static str> {
        Framing::NAMES
            .into_iter()
            .find(|(_, known)| name.eq_ignore_ascii_case(known))
            .map(|(framing, _)| framing)
            .ok_or("format is source_data, coresight or dstream_coresight: write one of them")
    }
}
