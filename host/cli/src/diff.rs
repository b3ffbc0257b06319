// SPDX-License-Identifier: MIT OR Apache-2.0
//! `etm4 diff`: what changed between two profiles.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use coretrace_counts::{Difference, Functions, SCHEMA};

use crate::capture_args::{CaptureOptions, Input, Streams};
use crate::error::Outcome;
use crate::follow::FollowArgs;
use crate::output::Output;
use crate::profile::{count, functions};

const EXAMPLES: &str = "\
BEFORE and AFTER are traces with images, or profiles that `etm4 profile --format json` wrote. Functions
are compared by name, so the program may have been built again. --elf names programs of both traces.

Examples:
  etm4 diff before.json testbench/traces/sort-a64
  etm4 diff testbench/traces/sort-a64 testbench/traces/adpcm-a32 --top 5
  etm4 diff before.json testbench/traces/adpcm-a32 --format tsv
To make before.json:
  etm4 profile testbench/traces/sort-a64 --format json --out before.json";

/// The most bytes of a profile.
const MAX_BYTES: u64 = 1 << 30;

/// Compare two profiles: which functions execute more or fewer instructions
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub struct DiffArgs {
    /// A trace, or a profile as JSON
    before: PathBuf,

    /// A trace, or a profile as JSON
    after: PathBuf,

    #[command(flatten)]
    options: CaptureOptions,

    #[command(flatten)]
    follow: FollowArgs,

    /// How the difference is written
    #[arg(long, value_enum, default_value_t)]
    format: DiffFormat,

    /// Number of functions to show in text
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: usize,
}

/// How a difference is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum DiffFormat {
    /// A table for people
    #[default]
    Text,
    /// Tab-separated
    Tsv,
    /// One JSON object a line
    Json,
}

/// Runs the command.
///
/// # Errors
/// If a trace or a profile cannot be used.
pub fn run(args: &DiffArgs) -> Result<Outcome> {
    let difference = Difference::new(
        &args.functions(&args.before)?,
        &args.functions(&args.after)?,
    );
    let mut output = Output::new();
    match args.format {
        DiffFormat::Text => difference.write_text(&mut output.text, args.top),
        DiffFormat::Tsv => difference.write_tsv(&mut output.text),
        DiffFormat::Json => difference.write_json(&mut output.text),
    }
    output.finish();
    Ok(Outcome::Complete)
}

impl DiffArgs {
    fn functions(&self, path: &Path) -> Result<Functions> {
        let name = path.display().to_string();
        if let Some(text) = profile_text(path)? {
            return Functions::of_json(&text)
                .with_context(|| format!("{name} cannot be used as a profile"));
        }
        let Input::Trace(trace) = self
            .options
            .open_input(path, self.follow.id, Streams::Any)?
        else {
            bail!(
                "{name} is no trace and no profile of one: `etm4 profile TRACE --format json` writes a profile"
            );
        };
        let traced = self.follow.traced(&trace)?;
        ensure!(
            self.follow.has_images(&trace, &traced),
            "{name} has no memory images, so it is not known what ran: --elf names the program"
        );
        let counted = count(&name, &trace, traced, &self.follow, self.options.sync_limit)?;
        Ok(Functions::of_view(&functions(&[counted])?))
    }
}

/// The text of a file, if it is a profile as JSON.
fn profile_text(path: &Path) -> Result<Option<String>> {
    let Ok(data) = fs::metadata(path) else {
        return Ok(None);
    };
    if !data.is_file() || data.len() > MAX_BYTES {
        return Ok(None);
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let is_profile = bytes.starts_with(b"{") && {
        let first = bytes
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or_default();
        String::from_utf8_lossy(first).contains(SCHEMA)
    };
    Ok(if is_profile {
        String::from_utf8(bytes).ok()
    } else {
        None
    })
}
