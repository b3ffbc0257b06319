// SPDX-License-Identifier: MIT OR Apache-2.0
//! Captures of the On-Chip Logic Analyzer (OCLA) of a ThunderX, as capture folders.
//!
//! It has no formatter: each half of its words is the trace bus of one trace unit. A capture folder has
//! frames with a trace ID for each, as a trace port would have sent them, so everything that reads captures
//! reads it. Where bytes of a half were lost, a frame is cut off by a sync, which every reader of frames
//! reports for all sources.
//!
//! The format of the words is inferred, and was never compared with a capture: see
//! [`coretrace_coresight::ocla`].

mod port;
mod table;

pub use port::OclaPort;
pub use table::OclaTable;

use std::fs;
use std::io::BufReader;
use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::copy::{copy, new_folder, open, write_text};

/// Name of the trace file.
const TRACE: &str = "trace.bin";

/// What was found in the words of an analyzer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OclaStatistics {
    /// Words that hold an entry.
    pub entries: u64,
    /// Bytes of trace of each half.
    pub bytes: [u64; 2],
    /// Places where bytes were lost, or are not believed.
    pub losses: u64,
    /// Bytes behind the last whole word.
    pub cut_bytes: u64,
}

/// Writes the words of an analyzer, of 64 bits in little-endian order, as a new capture folder. Memory does not
/// depend on their number.
///
/// # Errors
/// If the words cannot be read, none of them holds an entry, or the folder exists or cannot be written.
pub fn write_ocla(words: &Path, table: &OclaTable, folder: &Path) -> Result<OclaStatistics> {
    let mut port = OclaPort::new(BufReader::new(open(words)?), table)?;
    new_folder(folder)?;
    let trace = copy([Ok(&mut port)], &folder.join(TRACE))
        .with_context(|| format!("{} cannot be read", words.display()))?;
    let found = port.statistics();
    if found.entries == 0 {
        fs::remove_dir_all(folder)?;
        bail!(
            "{} has no entry: bit 63 marks those that were read from DAT_POP; in a dump of the memory all words are \
         entries, which `memory = true` in the table says",
            words.display()
        );
    }
    let mut text = format!(
        "name = \"OCLA\"\norigin = \"words of an On-Chip Logic Analyzer\"\nfile = \"{TRACE}\"\n\
         format = \"tpiu-fsync\"\nbytes = {}\nsha256 = \"{}\"\n",
        trace.bytes, trace.sha256
    );
    for source in table.sources() {
        text.push('\n');
        text.push_str(&source.toml());
    }
    write_text(&folder.join("capture.toml"), &text)?;
    Ok(found)
}
