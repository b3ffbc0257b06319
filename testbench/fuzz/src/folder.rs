// SPDX-License-Identifier: MIT OR Apache-2.0
//! A case as a capture: `cargo etm4 packets FOLDER` lists it, and it can be replayed.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use coretrace_capture::{Capture, Format};
use coretrace_etm::Protocol;

use crate::case::Stream;
use crate::{Case, units};

const TRACE: &str = "trace.bin";

/// Writes a case to a folder, which is created if absent.
///
/// # Errors
/// If the folder or a file cannot be written.
pub fn write(folder: &Path, case: &Case) -> Result<()> {
    let cannot = || format!("cannot write to {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    fs::write(folder.join(TRACE), &case.bytes).with_context(cannot)?;
    fs::write(folder.join("capture.toml"), description(case)).with_context(cannot)
}

fn description(case: &Case) -> String {
    let set = &case.set;
    let protocol = match set.protocol {
        Protocol::Etm4 => "ETM4",
        Protocol::Ete => "ETE",
    };
    let registers = set.registers.named();
    let registers: String = registers
        .map(|(name, value)| format!("{name} = {value:#x}\n"))
        .collect();
    format!(
        "name = \"case\"\nfile = \"{TRACE}\"\nformat = \"raw\"\n\n\
         [[source]]\nname = \"{}\"\nprotocol = \"{protocol}\"\ncore = \"{}\"\n\
         [source.registers]\n{registers}",
        set.name, set.core,
    )
}

/// Reads a case from any raw capture.
///
/// # Errors
/// If it is not a capture, has frames, or its source is neither an ETMv4 nor an ETE.
pub fn read(folder: &Path) -> Result<Case> {
    let capture = Capture::open(folder)?;
    ensure!(
        capture.format == Format::Raw,
        "{} has frames: give the raw capture of one source",
        folder.display()
    );
    let source = &capture.sources[0];
    let protocol = source.protocol.grammar().with_context(|| {
        format!(
            "{} is of an {}: give an ETM4 or an ETE",
            folder.display(),
            source.protocol
        )
    })?;
    Ok(Case {
        set: units::with_registers(protocol, source.profile, source.registers),
        stream: Stream::Given,
        bytes: capture.bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().expect("a folder");
        for seed in 0..100 {
            let case = Case::from_seed(seed);
            if case.bytes.is_empty() {
                continue;
            }
            write(folder.path(), &case).expect("it is written");
            let again = read(folder.path()).expect("it is read");
            assert_eq!(again.bytes, case.bytes, "seed {seed}");
            assert_eq!(again.set.config(), case.set.config(), "seed {seed}");
        }
    }
}
