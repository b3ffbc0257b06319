// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chip that the user names.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use clap::Args;
use coretrace_target::{Preset, Topology};

/// Bytes of a description, at most.
const LIMIT: u64 = 1 << 20;

/// Names a chip.
#[derive(Debug, Args)]
pub struct ChipArgs {
    /// The chip: a preset, or a file in TOML with its components, links and clocks
    #[arg(long, value_name = "PRESET|FILE")]
    topology: String,
}

/// A chip with its description as it was read.
pub struct Chip {
    /// The description.
    pub text: String,
    /// What it says.
    pub topology: Topology,
}

impl ChipArgs {
    /// Reads the description.
    ///
    /// # Errors
    /// If there is none with that name, or it is wrong.
    pub fn open(&self) -> Result<Chip> {
        let name = &self.topology;
        match Preset::find(name) {
            Some(preset) => Chip::parse(preset.source.to_owned()),
            None => Chip::read(Path::new(name))
                .with_context(|| format!("{name} is no preset: `etm4 target list` has them")),
        }
        .with_context(|| format!("{name} cannot be used as a topology"))
    }
}

impl Chip {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is no description.
    pub fn read(path: &Path) -> Result<Chip> {
        let cannot = || format!("cannot read {}", path.display());
        let mut text = String::new();
        let file = File::open(path).with_context(cannot)?;
        let bytes = file.take(LIMIT + 1).read_to_string(&mut text);
        let bytes = bytes.with_context(cannot)? as u64;
        ensure!(
            bytes <= LIMIT,
            "{} has more than {LIMIT} bytes",
            path.display()
        );
        Chip::parse(text)
    }

    fn parse(text: String) -> Result<Chip> {
        let topology = Topology::parse(&text)?;
        Ok(Chip { text, topology })
    }
}
