// SPDX-License-Identifier: MIT OR Apache-2.0
//! What simulated cores do, if the user has a trace of it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_capture::{Capture, Format, MemoryImage, SourceDescription, open};
use coretrace_etm::Registers;

use crate::error::say;

/// The trace of a core, and what was in memory.
pub struct Recording {
    /// The bytes of its trace unit.
    pub bytes: Vec<u8>,
    /// The registers that they were made with.
    pub registers: Registers,
    /// What was in memory.
    pub memory: Vec<MemoryImage>,
}

impl Recording {
    /// Reads a trace of one trace unit without frames.
    ///
    /// # Errors
    /// If it cannot be read, or has frames.
    pub fn open(path: &Path) -> Result<Recording> {
        let name = path.display();
        let trace = open(path, None).with_context(|| format!("cannot play {name}"))?;
        let capture = Capture::load(&trace.name, &trace.buffers[0])?;
        ensure!(
            capture.format == Format::Raw,
            "cannot play {name}: it has frames, and a core sends none"
        );
        Ok(Recording {
            bytes: capture.bytes,
            registers: capture.sources[0].registers,
            memory: trace.memory,
        })
    }

    /// Warns if trace units were set up in another way than when the trace was made.
    pub fn compare(&self, sources: &[SourceDescription]) {
        let made = self.registers.trcconfigr;
        for source in sources.iter().filter(|of| of.protocol == "ETM4") {
            let set = source.registers.get("TRCCONFIGR").copied().unwrap_or(0);
            if set != made {
                let name = &source.name;
                say(&format!(
                    "warning: {name} has TRCCONFIGR {set:#x}, and the trace that it plays was made with {made:#x}"
                ));
            }
        }
    }
}
