// SPDX-License-Identifier: MIT OR Apache-2.0
//! The chip that the user names.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
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

    /// Access a real chip at addresses of the FILE that are in no area of a preset
    #[arg(long)]
    i_know: bool,
}

/// A chip with its description as it was read.
pub struct Chip {
    /// The description.
    pub text: String,
    /// What it says.
    pub topology: Topology,
    /// Whether the user answers for addresses that no preset has.
    is_answered_for: bool,
}

impl ChipArgs {
    /// Reads the description.
    ///
    /// # Errors
    /// If there is none with that name, or it is wrong.
    pub fn open(&self) -> Result<Chip> {
        let name = &self.topology;
        match Preset::find(name) {
            Some(preset) => Chip::parse(preset.source.to_owned(), true),
            None => Chip::load(Path::new(name), self.i_know)
                .with_context(|| format!("{name} is no preset: `etm4 target list` has them")),
        }
        .with_context(|| format!("{name} cannot be used as a topology"))
    }
}

impl Chip {
    /// Reads the file of a session, for whose addresses the user has answered when it was begun.
    ///
    /// # Errors
    /// If it cannot be read or is no description.
    pub fn of_session(path: &Path) -> Result<Chip> {
        Chip::load(path, true)
    }

    fn load(path: &Path, is_answered_for: bool) -> Result<Chip> {
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
        Chip::parse(text, is_answered_for)
    }

    fn parse(text: String, is_answered_for: bool) -> Result<Chip> {
        let topology = Topology::parse(&text)?;
        Ok(Chip {
            text,
            topology,
            is_answered_for,
        })
    }

    /// Whether a real chip may be accessed at its addresses.
    ///
    /// # Errors
    /// If one of them is in no area of a preset, and the user does not answer for that.
    pub fn check(&self) -> Result<()> {
        let unknown = self.topology.unknown().filter(|_| !self.is_answered_for);
        let Some(Range { start, end }) = unknown else {
            return Ok(());
        };
        bail!(
            "{} has {start:#X} to {end:#X}, which no preset has: an access to a wrong address may hang the machine, so \
             give --i-know if you are sure of each",
            self.topology.name
        )
    }
}
